// SPDX-License-Identifier: GPL-2.0-or-later
/* What the walk engine counts; test_walk_faults.c has what it does when something fails. */
#include "tests/unit/walk_tree.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_same(const struct census *a, const struct census *b)
{
	assert_int_equal(a->inodes, b->inodes);
	assert_int_equal(cube_count(&a->cube), cube_count(&b->cube));
	assert_memory_equal(a->cube.cells.entries, b->cube.cells.entries,
		a->cube.cells.count * a->cube.cells.entry_bytes);
	assert_int_equal(ages_count(&a->ages), ages_count(&b->ages));
	assert_memory_equal(a->ages.cells.entries, b->ages.cells.entries,
		a->ages.cells.count * a->ages.cells.entry_bytes);
}

static void empty_directory_is_one_inode(void **state)
{
	struct census census;

	(void)state;
	assert_int_equal(tree_walk(2, &census), 0);
	assert_totals(&census, 0, 1, 0, 0);
	census_fini(&census);
}

static void every_kind_counts_once(void **state)
{
	struct census census;

	(void)state;
	tree_directory("a");
	tree_directory("b");
	tree_directory("b/\xff\n\t");
	tree_file("a/one", 100);
	tree_file("b/\xff\n\t/\x01\xfe", 5000);
	tree_file("a/...", 0);
	assert_int_equal(link("a/one", "b/two"), 0);
	assert_int_equal(link("a/one", "three"), 0);
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(symlink("/", "a/up"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(link("pipe", "a/pipe"), 0);
	assert_int_equal(tree_walk(3, &census), 0);
	assert_totals(&census, 3, 4, 2, 1);
	assert_int_equal(failures_total(&census.failures), 0);
	census_fini(&census);
}

static void threads_do_not_matter(void **state)
{
	struct census one, many;

	(void)state;
	tree_bush(60, 3000);
	assert_int_equal(tree_walk(1, &one), 0);
	assert_totals(&one, 3300, 122, 0, 0);
	for (unsigned jobs = 2; jobs <= 8; jobs *= 2) {
		assert_int_equal(tree_walk(jobs, &many), 0);
		assert_same(&one, &many);
		census_fini(&many);
	}
	census_fini(&one);
}

static void depth_needs_few_descriptors(void **state)
{
	struct rlimit before, few;
	struct census census;

	(void)state;
	tree_comb(600);
	getrlimit(RLIMIT_NOFILE, &before);
	few = (struct rlimit){.rlim_cur = 48, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (unsigned jobs = 1; jobs <= 16; jobs *= 4) {
		assert_int_equal(tree_walk(jobs, &census), 0);
		assert_int_equal(failures_total(&census.failures), 0);
		assert_totals(&census, 0, 1801, 0, 0);
		census_fini(&census);
	}
	setrlimit(RLIMIT_NOFILE, &before);
}

/* As many workers as the descriptors suffice for; below that a refusal, never half a census. */
static void few_descriptors_are_refused_or_enough(void **state)
{
	struct rlimit before, few;
	struct census census;
	int refused = 0, walked = 0;

	(void)state;
	tree_bush(20, 100);
	tree_comb(50);
	getrlimit(RLIMIT_NOFILE, &before);
	for (rlim_t limit = 8; limit <= 40; limit++) {
		int rc;

		few = (struct rlimit){.rlim_cur = limit, .rlim_max = before.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		rc = tree_walk(8, &census);
		setrlimit(RLIMIT_NOFILE, &before);
		assert_true(!rc || rc == -EMFILE);
		if (rc)
			assert_non_null(strstr(tree_message, "ulimit -n"));
		else
			assert_totals(&census, 200, 42 + 150, 0, 0);
		assert_int_equal(failures_total(&census.failures), 0);
		refused += rc != 0;
		walked += !rc;
		census_fini(&census);
	}
	assert_true(refused && walked > 15);
}

static void only_directories_can_be_walked(void **state)
{
	char device[] = "/dev/sda";
	struct scan_target target = {.kind = TARGET_DEVICE, .path = device};
	struct err err = {0};

	(void)state;
	assert_int_equal(engine_walk.usable(NULL, &target, &err), -EOPNOTSUPP);
	assert_string_equal(err.message, "/dev/sda is not mounted; walk needs a directory");
	target.mount_point = device;
	assert_int_equal(engine_walk.usable(NULL, &target, &err), 0);
	target = (struct scan_target){.kind = TARGET_DIRECTORY};
	assert_int_equal(engine_walk.usable(NULL, &target, &err), 0);
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(empty_directory_is_one_inode),
		ON_TREE(every_kind_counts_once),
		ON_TREE(threads_do_not_matter),
		ON_TREE(depth_needs_few_descriptors),
		ON_TREE(few_descriptors_are_refused_or_enough),
		cmocka_unit_test(only_directories_can_be_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
