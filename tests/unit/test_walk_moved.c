// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk engine where a directory seems to be in two places: it was moved during the walk, or the
 * filesystem is damaged. The linker puts the __wrap_ functions before the real ones.
 */
#include "tests/unit/walk_tree.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif

static void (*change)(struct statx *stat); /* of directories that are open, but for the root */
static const char *looping;                /* a name that the kernel refuses with ELOOP */
static bool is_bare;                       /* open_tree(2) is allowed, as to root */
static int changed;

int __real_openat64(int fd, const char *name, int flags, ...);
int __wrap_openat64(int fd, const char *name, int flags, ...);
int __real_statx(int fd, const char *name, int flags, unsigned mask, struct statx *stat);
int __wrap_statx(int fd, const char *name, int flags, unsigned mask, struct statx *stat);
long __wrap_syscall(long number, int fd);

static bool loops(const char *name)
{
	if (!looping || strcmp(name, looping) != 0)
		return false;
	errno = ELOOP;
	return true;
}

int __wrap_openat64(int fd, const char *name, int flags, ...)
{
	return loops(name) ? -1 : __real_openat64(fd, name, flags);
}

int __wrap_statx(int fd, const char *name, int flags, unsigned mask, struct statx *stat)
{
	int rc = loops(name) ? -1 : __real_statx(fd, name, flags, mask, stat);

	if (!rc && !*name && change && changed++)
		change(stat);
	return rc;
}

long __wrap_syscall(long number, int fd)
{
	if (number == SYS_open_tree && is_bare)
		return dup(fd);
	errno = EPERM;
	return -1;
}

static int setup(void **state)
{
	change = NULL;
	changed = 0;
	looping = NULL;
	is_bare = false;
	return tree_setup(state);
}

static void be_the_same(struct statx *stat)
{
	stat->stx_ino = 77;
	stat->stx_btime = (struct statx_timestamp){.tv_sec = 5};
	stat->stx_mask |= STATX_BTIME;
}

static void have_the_same_number(struct statx *stat)
{
	be_the_same(stat);
	stat->stx_btime.tv_nsec = (uint32_t)changed;
}

static void be_born_before_times(struct statx *stat)
{
	be_the_same(stat);
	stat->stx_mask &= ~STATX_BTIME;
}

/*
 * A directory that is met again is neither counted nor read again. One that has the number of
 * another that is gone is, and so is any where nobody knows, or where directories are of no
 * interest.
 */
static void moved_directories_count_once(void **state)
{
	static const struct {
		void (*change)(struct statx *stat);
		bool charges;
		bool is_once;
	} cases[] = {
		{be_the_same, true, true},
		{have_the_same_number, true, false},
		{be_born_before_times, true, false},
		{be_the_same, false, false},
	};
	struct census census;

	(void)state;
	tree_directory("a");
	tree_directory("b");
	tree_file("a/file", 1);
	tree_file("b/file", 1);
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		change = cases[i].change;
		changed = 0;
		tree_charges = cases[i].charges;
		assert_int_equal(tree_walk(1, &census), 0);
		assert_int_equal(changed, 3);
		assert_totals(&census, cases[i].is_once ? 1 : 2, cases[i].is_once ? 2 : 3, 0, 0);
		assert_int_equal(failures_total(&census.failures), 0);
		census_fini(&census);
	}
}

/* One that is met again below itself was not moved there. */
static void a_directory_in_itself_is_tallied(void **state)
{
	struct census census;

	(void)state;
	tree_directory("a");
	tree_directory("a/b");
	tree_file("a/b/file", 1);
	change = be_the_same;
	tree_charges = true;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 0, 2, 0, 0);
	assert_failure(&census, FAILURE_READ_DIRECTORY, -ELOOP, "a/b");
	census_fini(&census);
}

/* As the kernel says of an entry that leads to a directory above it, whoever asks. */
static void an_entry_to_above_is_tallied(void **state)
{
	struct census census;

	(void)state;
	tree_directory("up");
	looping = "up";
	for (int i = 0; i < 2; i++) {
		is_bare = i;
		assert_int_equal(tree_walk(1, &census), 0);
		assert_totals(&census, 0, 1, 0, 0);
		assert_failure(&census, FAILURE_STAT, -ELOOP, "up");
		assert_int_equal(census.failures.inodes[FAILURE_STAT], 0);
		census_fini(&census);
	}
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(moved_directories_count_once),
		ON_TREE(a_directory_in_itself_is_tallied),
		ON_TREE(an_entry_to_above_is_tallied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
