// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk engine with system calls that fail, or whose world changes, when told to. The linker
 * puts the __wrap_ functions before the real ones.
 */
#include "tests/unit/walk_tree.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif

/* --- Faults ---------------------------------------------------------------------------------- */

enum probe { NO_PROBE, OPENAT, STATX, STATX_SELF, GETDENTS, CENSUS_ADD, GETATTR };

static struct {
	enum probe at;
	const char *name;         /* only for this entry; NULL: any */
	int code;                 /* errno to fail with; 0: call change instead */
	void (*change)(void *at); /* statx: struct statx *; otherwise NULL */
	atomic_int skip;          /* calls that go well before */
	int times;                /* calls that fail, then no more; 0: all */
	atomic_int fired;
} fault;

static void fail_at(enum probe at, const char *name, int code)
{
	fault.at = at;
	fault.name = name;
	fault.code = code;
}

/* Whether a call of this kind has to fail now. */
static bool fires(enum probe at, const char *name)
{
	if (fault.at != at || (fault.name && strcmp(fault.name, name)))
		return false;
	if (fault.skip > 0 && fault.skip-- > 0)
		return false;
	if (fault.times && fault.fired >= fault.times)
		return false;
	fault.fired++;
	return true;
}

int __real_openat64(int fd, const char *name, int flags, ...);
int __wrap_openat64(int fd, const char *name, int flags, ...);
int __real_statx(int fd, const char *name, int flags, unsigned mask, struct statx *stat);
int __wrap_statx(int fd, const char *name, int flags, unsigned mask, struct statx *stat);
ssize_t __real_getdents64(int fd, void *buffer, size_t bytes);
ssize_t __wrap_getdents64(int fd, void *buffer, size_t bytes);
int __real_census_add(struct census *census, const struct inode_record *inode);
int __wrap_census_add(struct census *census, const struct inode_record *inode);

int __wrap_openat64(int fd, const char *name, int flags, ...)
{
	if (fires(OPENAT, name)) {
		errno = fault.code;
		if (errno)
			return -1;
		fault.change(NULL);
	}
	return __real_openat64(fd, name, flags);
}

int __wrap_statx(int fd, const char *name, int flags, unsigned mask, struct statx *stat)
{
	bool fire = fires(*name ? STATX : STATX_SELF, name);
	int rc;

	if (fire && fault.code) {
		errno = fault.code;
		return -1;
	}
	rc = __real_statx(fd, name, flags, mask, stat);
	if (fire)
		fault.change(stat);
	return rc;
}

ssize_t __wrap_getdents64(int fd, void *buffer, size_t bytes)
{
	if (fires(GETDENTS, "")) {
		errno = fault.code;
		return -1;
	}
	return __real_getdents64(fd, buffer, bytes);
}

int __wrap_census_add(struct census *census, const struct inode_record *inode)
{
	return fires(CENSUS_ADD, "") ? -fault.code : __real_census_add(census, inode);
}

/* --- file_getattr(2); open_tree(2) is refused, as to ordinary users, unless is_bare ---------- */

static bool is_bare;

/* What the kernel would answer, for every file but those that fail. */
static void answer(uint32_t *attr)
{
	attr[0] = 0x80000080; /* an attribute fork, nodump */
	attr[3] = 5;          /* extents */
	attr[4] = 42;         /* project */
}

long __wrap_syscall(long number, int fd, const char *name, void *attr, size_t size, int flags);

long __wrap_syscall(long number, int fd, const char *name, void *attr, size_t size, int flags)
{
	(void)flags;
	if (number == SYS_open_tree && is_bare)
		return dup(fd);
	if (number == SYS_open_tree) {
		errno = EPERM;
		return -1;
	}
	assert_int_equal(number, 468);
	assert_int_equal(size, 24);
	if (fires(GETATTR, name)) {
		errno = fault.code;
		return -1;
	}
	answer(attr);
	return 0;
}

static int setup(void **state)
{
	memset(&fault, 0, sizeof(fault));
	is_bare = false;
	return tree_setup(state);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void unreadable_directory_is_counted_and_tallied(void **state)
{
	struct census census;

	(void)state;
	tree_directory("locked\n");
	tree_file("locked\n/hidden", 1);
	tree_file("seen", 1);
	for (int i = 0; i < 2; i++) {
		is_bare = i;
		fault.fired = 0;
		fail_at(OPENAT, "locked\n", EACCES);
		assert_int_equal(tree_walk(2, &census), 0);
		assert_totals(&census, 1, 2, 0, 0);
		assert_failure(&census, FAILURE_OPEN_DIRECTORY, -EACCES, "locked\\x0a");
		assert_true(fault.fired);
		census_fini(&census);
	}
}

static void no_permission_for_noatime_opens_without(void **state)
{
	struct census census;

	(void)state;
	tree_directory("others");
	tree_file("others/file", 1);
	fail_at(OPENAT, "others", EPERM);
	fault.times = 1;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 1, 2, 0, 0);
	assert_int_equal(failures_total(&census.failures), 0);
	assert_int_equal(fault.fired, 1);
	census_fini(&census);
}

static void unreadable_piece_is_tallied(void **state)
{
	struct census census;

	(void)state;
	tree_file("file", 1);
	fail_at(GETDENTS, NULL, EIO);
	fault.skip = 1;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 1, 1, 0, 0);
	assert_failure(&census, FAILURE_READ_DIRECTORY, -EIO, "");
	census_fini(&census);
}

static void unreadable_inode_is_tallied(void **state)
{
	struct census census;

	(void)state;
	tree_file("bad", 1);
	tree_file("good", 1);
	fail_at(STATX, "bad", EIO);
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 1, 1, 0, 0);
	assert_failure(&census, FAILURE_STAT, -EIO, "bad");
	assert_int_equal(census.failures.inodes[FAILURE_STAT], 1);
	census_fini(&census);
}

static void what_vanishes_is_no_failure(void **state)
{
	static const struct {
		enum probe at;
		const char *name;
		int code;
		uint64_t files;
		uint64_t directories;
	} cases[] = {
		{STATX, "file", ENOENT, 1, 2},
		{STATX, "file", ESTALE, 1, 2},
		{STATX, "dir", ENOENT, 1, 1},
		{OPENAT, "dir", ENOENT, 1, 1},
		{OPENAT, "dir", ENOTDIR, 1, 1},
		{STATX_SELF, NULL, ESTALE, 1, 1},
		{GETDENTS, NULL, ENOENT, 1, 2},
	};

	(void)state;
	tree_file("file", 1);
	tree_directory("dir");
	tree_file("dir/below", 1);
	for (size_t n = 0; n < 2 * sizeof(cases) / sizeof(*cases); n++) {
		size_t i = n / 2;
		struct census census;

		memset(&fault, 0, sizeof(fault));
		is_bare = n % 2 && cases[i].at != STATX; /* which comes first only elsewhere */
		fail_at(cases[i].at, cases[i].name, cases[i].code);
		fault.skip = cases[i].at == STATX_SELF ? 1 : cases[i].at == GETDENTS ? 2 : 0;
		assert_int_equal(tree_walk(1, &census), 0);
		assert_true(fault.fired);
		assert_int_equal(failures_total(&census.failures), 0);
		assert_totals(&census, cases[i].files, cases[i].directories, 0, 0);
		census_fini(&census);
	}
}

static void closed_levels_make_room_for_descriptors(void **state)
{
	struct census census;

	(void)state;
	tree_comb(6);
	fail_at(OPENAT, NULL, EMFILE);
	fault.skip = 6;
	fault.times = 1;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_int_equal(fault.fired, 1);
	assert_int_equal(failures_total(&census.failures), 0);
	assert_totals(&census, 0, 19, 0, 0);
	census_fini(&census);
}

static void lost_parent_is_tallied(void **state)
{
	struct census census;

	(void)state;
	tree_comb(140);
	fail_at(OPENAT, "..", ENOENT);
	assert_int_equal(tree_walk(1, &census), 0);
	assert_true(fault.fired);
	assert_true(census.failures.count[FAILURE_READ_DIRECTORY] > 0);
	census_fini(&census);
}

static void swap_for_link(void *at)
{
	(void)at;
	assert_int_equal(rename("swap", "away"), 0);
	assert_int_equal(symlink("away", "swap"), 0);
}

static void swapped_directory_is_not_followed(void **state)
{
	struct census census;

	(void)state;
	tree_directory("swap");
	tree_file("swap/file", 1);
	for (int i = 0; i < 2; i++) {
		is_bare = i;
		fault.fired = 0;
		fail_at(OPENAT, "swap", 0);
		fault.change = swap_for_link;
		fault.times = 1;
		assert_int_equal(tree_walk(1, &census), 0);
		assert_int_equal(fault.fired, 1);
		/* the link is met where the name is looked at once more */
		assert_totals(&census, 0, 1, is_bare, 0);
		assert_int_equal(failures_total(&census.failures), 0);
		census_fini(&census);
		assert_int_equal(unlink("swap"), 0);
		assert_int_equal(rename("away", "swap"), 0);
	}
}

static void move_to_other_device(void *at)
{
	struct statx *stat = at;

	stat->stx_dev_minor++;
}

static void put_under_mount(void *at)
{
	struct statx *stat = at;

	stat->stx_attributes |= STATX_ATTR_MOUNT_ROOT;
}

static void other_filesystems_are_left_out(void **state)
{
	void (*const changes[])(void *at) = {move_to_other_device, put_under_mount};
	const enum probe probes[] = {STATX, STATX_SELF};
	struct census census;

	(void)state;
	tree_directory("mount");
	tree_file("mount/file", 1);
	for (int i = 0; i < 4; i++) {
		memset(&fault, 0, sizeof(fault));
		fail_at(probes[i % 2], i % 2 ? NULL : "mount", 0);
		fault.skip = i % 2;
		fault.change = changes[i / 2];
		assert_int_equal(tree_walk(1, &census), 0);
		assert_int_equal(fault.fired, 1);
		assert_totals(&census, 0, 1, 0, 0);
		assert_failure(&census, FAILURE_HIDDEN, 0, "mount");
		assert_int_equal(census.failures.inodes[FAILURE_HIDDEN], 1);
		census_fini(&census);
	}
}

/* The filesystem is whole only if nothing of it is hidden. */
static void hidden_place_is_missing_from_the_whole(void **state)
{
	struct census census;

	(void)state;
	tree_directory("mount");
	tree_is_root = true;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_true(tree_was_whole);
	census_fini(&census);
	fail_at(STATX, "mount", 0);
	fault.change = put_under_mount;
	assert_int_equal(tree_walk(2, &census), 0);
	assert_false(tree_was_whole);
	census_fini(&census);
}

static void shut_down_filesystem_ends_the_walk(void **state)
{
	struct census census;

	(void)state;
	tree_bush(20, 100);
	fail_at(STATX_SELF, NULL, EIO);
	fault.skip = 10;
	assert_int_equal(tree_walk(3, &census), -EIO);
	assert_non_null(strstr(tree_message, "shut down"));
	assert_true(fault.fired > 1);
	census_fini(&census);
}

/* An I/O error of one place while the rest answers is of that place. */
static void one_io_error_does_not_end_the_walk(void **state)
{
	struct census census;

	(void)state;
	tree_directory("bad");
	tree_file("good", 1);
	fail_at(STATX_SELF, NULL, EIO);
	fault.skip = 1;
	fault.times = 1;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 1, 1, 0, 0);
	assert_failure(&census, FAILURE_STAT, -EIO, "bad");
	census_fini(&census);
}

static void file_on_another_device_counts(void **state)
{
	struct census census;

	(void)state;
	tree_file("layer", 1);
	tree_file("bound", 1);
	fail_at(STATX, "layer", 0);
	fault.change = move_to_other_device;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 2, 1, 0, 0);
	census_fini(&census);
	fail_at(STATX, "bound", 0);
	fault.change = put_under_mount;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_totals(&census, 1, 1, 0, 0);
	assert_failure(&census, FAILURE_HIDDEN, 0, "bound");
	census_fini(&census);
}

static void repeat_inodes(void *at)
{
	struct statx *stat = at;

	if (S_ISDIR(stat->stx_mode))
		stat->stx_ino %= 7;
}

static void loops_end(void **state)
{
	struct census census;

	(void)state;
	tree_comb(100);
	fail_at(STATX_SELF, NULL, 0);
	fault.change = repeat_inodes;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_true(census.failures.count[FAILURE_READ_DIRECTORY] > 0);
	assert_int_equal(census.failures.examples[FAILURE_READ_DIRECTORY][0].code, -ELOOP);
	assert_true(census.inodes < 100);
	census_fini(&census);
}

static void cancel(void *at)
{
	(void)at;
	tree_cancelled = 1;
}

static void cancelling_ends_a_huge_directory(void **state)
{
	struct census census;

	(void)state;
	tree_bush(2, 5000);
	fail_at(STATX, NULL, 0);
	fault.skip = 100;
	fault.change = cancel;
	assert_int_equal(tree_walk(2, &census), -ECANCELED);
	assert_true(fault.fired && fault.fired < 100);
	census_fini(&census);
}

static void out_of_memory_ends_the_walk(void **state)
{
	struct census census;

	(void)state;
	tree_bush(10, 500);
	fail_at(CENSUS_ADD, NULL, ENOMEM);
	fault.skip = 200;
	assert_int_equal(tree_walk(3, &census), -ENOMEM);
	census_fini(&census);
}

static void root_that_fails_is_an_error(void **state)
{
	struct census census;

	(void)state;
	fail_at(OPENAT, ".", EACCES);
	assert_int_equal(tree_walk(1, &census), -EACCES);
	census_fini(&census);
	fail_at(STATX_SELF, NULL, EIO);
	assert_int_equal(tree_walk(1, &census), -EIO);
	assert_non_null(strstr(tree_message, "shut down"));
	census_fini(&census);
}

static void attributes_come_from_the_kernel(void **state)
{
	struct census census;
	struct cube_key key;

	(void)state;
	tree_is_xfs = true;
	tree_file("file", 1);
	assert_int_equal(tree_walk(1, &census), 0);
	assert_int_equal(census.unknown_inodes, 0);
	assert_int_equal(cube_count(&census.cube), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct cube_sums *sums = cube_at(&census.cube, i, &key);

		assert_int_equal(key.projid, 42);
		assert_true(sums->extents == 5 || key.kind == KIND_DIRECTORY);
	}
	census_fini(&census);
}

static void attributes_that_fail_are_unknown(void **state)
{
	static const struct {
		int code;
		uint64_t files;
		uint64_t unknown;
		uint64_t failures;
	} cases[] = {{EIO, 2, 1, 1}, {EACCES, 2, 1, 0}, {ENOENT, 1, 0, 0}};

	(void)state;
	tree_is_xfs = true;
	tree_file("file", 1);
	tree_file("bad", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct census census;

		fail_at(GETATTR, "bad", cases[i].code);
		assert_int_equal(tree_walk(1, &census), 0);
		assert_totals(&census, cases[i].files, 1, 0, 0);
		assert_int_equal(census.unknown_inodes, cases[i].unknown);
		assert_int_equal(census.failures.count[FAILURE_ATTRIBUTES], cases[i].failures);
		assert_int_equal(failures_total(&census.failures), cases[i].failures);
		census_fini(&census);
	}
}

static void gone_name_of_several_still_counts(void **state)
{
	struct census census;

	(void)state;
	tree_is_xfs = true;
	tree_file("first", 1);
	assert_int_equal(link("first", "second"), 0);
	fail_at(GETATTR, NULL, ENOENT);
	fault.skip = 2; /* the probe and the root */
	fault.times = 1;
	assert_int_equal(tree_walk(1, &census), 0);
	assert_int_equal(fault.fired, 1);
	assert_totals(&census, 1, 1, 0, 0);
	census_fini(&census);
}

static void no_way_to_ask_off_xfs(void **state)
{
	struct census census;

	(void)state;
	tree_file("file", 1);
	fail_at(GETATTR, NULL, EIO);
	assert_int_equal(tree_walk(1, &census), 0);
	assert_int_equal(fault.fired, 0);
	assert_int_equal(census.unknown_inodes, 0);
	census_fini(&census);
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(unreadable_directory_is_counted_and_tallied),
		ON_TREE(no_permission_for_noatime_opens_without),
		ON_TREE(unreadable_piece_is_tallied),
		ON_TREE(unreadable_inode_is_tallied),
		ON_TREE(what_vanishes_is_no_failure),
		ON_TREE(closed_levels_make_room_for_descriptors),
		ON_TREE(lost_parent_is_tallied),
		ON_TREE(swapped_directory_is_not_followed),
		ON_TREE(other_filesystems_are_left_out),
		ON_TREE(hidden_place_is_missing_from_the_whole),
		ON_TREE(shut_down_filesystem_ends_the_walk),
		ON_TREE(one_io_error_does_not_end_the_walk),
		ON_TREE(file_on_another_device_counts),
		ON_TREE(loops_end),
		ON_TREE(cancelling_ends_a_huge_directory),
		ON_TREE(out_of_memory_ends_the_walk),
		ON_TREE(root_that_fails_is_an_error),
		ON_TREE(attributes_come_from_the_kernel),
		ON_TREE(attributes_that_fail_are_unknown),
		ON_TREE(gone_name_of_several_still_counts),
		ON_TREE(no_way_to_ask_off_xfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
