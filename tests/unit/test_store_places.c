// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Full and read-only filesystems, and readers who may not write: on real ones, which takes root.
 * Mounts are made in a mount namespace of this process and vanish with it.
 */
#include "tests/unit/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#define SMALL_DISK "size=1m,mode=755"
#define OTHER_USER 65534
#define BIG_CENSUS 30000
#define FILL_BYTES 4096

static int setup(void **state)
{
	if (support_setup(state))
		return -1;
	chmod(support_folder, 0755);
	return 0;
}

static int teardown(void **state)
{
	static const char *const mounts[] = {"small", "full", "ro"};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
		umount2(in_folder(mounts[i]), MNT_DETACH);
	return support_teardown(state);
}

/*
 * A namespace of our own for mounts, which does not keep in use what is unmounted elsewhere.
 * Without root the test is skipped.
 */
static void need_root(void)
{
	static bool separate;

	if (!separate && (geteuid() || unshare(CLONE_NEWNS) ||
				 mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL)))
		skip();
	separate = true;
}

static void mount_small(const char *name)
{
	need_root();
	assert_int_equal(mkdir(in_folder(name), 0755), 0);
	assert_int_equal(mount("none", in_folder(name), "tmpfs", 0, SMALL_DISK), 0);
}

/* Takes what is left of a filesystem. */
static void fill(const char *path)
{
	static const char bytes[FILL_BYTES];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

static int try_to_store(const char *path, size_t cells, struct err *err)
{
	struct scan_info info = make_info("a", "/srv");
	struct store *store = NULL;
	struct census census;
	int rc = store_open(&store, path, STORE_WRITE, err);

	if (!rc) {
		make_census(&census, cells, 40);
		rc = store_save_scan(store, &info, &census, err);
		assert_int_equal(info.scan_id != 0, rc == 0);
		census_fini(&census);
		store_close(store);
	}
	scan_info_fini(&info);
	return rc;
}

static size_t count_scans(const char *path)
{
	struct store *store = open_store(path, STORE_READ);
	struct store_scan_list list;
	struct err err = {0};
	struct cube cube;
	size_t count;

	if (store_list_scans(store, NULL, &list, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < list.count; i++) {
		cube_init(&cube);
		assert_int_equal(store_load_cube(store, list.scans[i].scan_id, &cube, &err), 0);
		assert_true(cube_count(&cube) > 0);
		cube_fini(&cube);
	}
	count = list.count;
	store_scan_list_fini(&list);
	store_close(store);
	return count;
}

static void assert_no_space(int rc, const struct err *err)
{
	assert_int_equal(rc, -ENOSPC);
	if (!strstr(err->message, "no space left for") && !strstr(err->message, "No space left"))
		fail_msg("%s", err->message);
}

static void a_disk_that_fills_up_loses_nothing(void **state)
{
	const char *path;
	struct err err = {0};

	(void)state;
	mount_small("small");
	path = in_folder("small/a.db");
	assert_int_equal(try_to_store(path, 200, &err), 0);
	assert_int_equal(try_to_store(path, 300, &err), 0);
	assert_no_space(try_to_store(path, BIG_CENSUS, &err), &err);
	assert_int_equal(count_scans(path), 2);
	err_clear(&err);
	assert_int_equal(try_to_store(path, 300, &err), 0);
	assert_int_equal(count_scans(path), 3);
}

static void a_full_disk_is_told(void **state)
{
	const char *path;
	struct err err = {0};

	(void)state;
	mount_small("full");
	fill(in_folder("full/ballast"));
	path = in_folder("full/a.db");
	assert_no_space(try_to_store(path, 200, &err), &err);
	assert_int_equal(unlink(in_folder("full/ballast")), 0);
	err_clear(&err);
	assert_int_equal(try_to_store(path, 200, &err), 0);
	fill(in_folder("full/ballast"));
	assert_no_space(try_to_store(path, 2000, &err), &err);
	assert_int_equal(count_scans(path), 1);
}

static void a_read_only_filesystem_is_read(void **state)
{
	static const char *const without[] = {NULL, "ro/a.db-shm", "ro/a.db-wal"};
	struct err err = {0};

	(void)state;
	mount_small("ro");
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(try_to_store(in_folder("ro/a.db"), 50, &err), 0);
		for (size_t j = 1; j <= i; j++)
			assert_int_equal(unlink(in_folder(without[j])), 0);
		assert_int_equal(
			mount("none", in_folder("ro"), NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
		assert_int_equal(count_scans(in_folder("ro/a.db")), i + 1);
		assert_open_fails(in_folder("ro/a.db"), STORE_WRITE, -EROFS, "cannot be written");
		assert_open_fails(in_folder("ro/b.db"), STORE_WRITE, -EROFS, "cannot make");
		assert_int_equal(mount("none", in_folder("ro"), NULL, MS_REMOUNT, SMALL_DISK), 0);
	}
}

/* --- Another user ----------------------------------------------------------------------------- */

/* Runs @work as an ordinary user in a child. */
static void as_other_user(void (*work)(void))
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		if (setgid(OTHER_USER) || setuid(OTHER_USER))
			_exit(2);
		work();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* In a child a failed assertion would go on with the tests after it. */
static void must(bool true_enough, const char *what)
{
	if (!true_enough) {
		fprintf(stderr, "# as another user: %s\n", what);
		_exit(1);
	}
}

static void read_as_other(void)
{
	struct store *store = NULL;
	struct store_scan_list list;
	struct err err = {0};

	must(!store_open(&store, in_folder("other/a.db"), STORE_READ, &err), err.message);
	must(!store_list_scans(store, NULL, &list, &err), err.message);
	must(list.count == 1, "one scan");
	store_scan_list_fini(&list);
	store_close(store);
}

static void fail_as_other(void)
{
	struct store *store = NULL;
	struct err err = {0};

	must(store_open(&store, in_folder("other/a.db"), STORE_READ, &err) == -EACCES, err.message);
	must(strstr(err.message, "a.db") && !strchr(err.message, '\n'), err.message);
}

static void fail_to_write_as_other(void)
{
	struct store *store = NULL;
	struct err err = {0};

	must(store_open(&store, in_folder("other/a.db"), STORE_WRITE, &err) == -EACCES,
		err.message);
	must(strstr(err.message, "cannot be written"), err.message);
	err_clear(&err);
	must(store_open(&store, in_folder("other/b.db"), STORE_WRITE, &err) == -EACCES,
		err.message);
	must(strstr(err.message, "cannot make the database"), err.message);
}

static void allow_others(const char *const *names, mode_t mode)
{
	for (; *names; names++)
		assert_int_equal(chmod(in_folder(*names), mode), 0);
}

/* What root stores can be read by whom root lets read it, with and without the companions. */
static void an_ordinary_user_reads(void **state)
{
	static const char *const files[] = {"other/a.db", "other/a.db-wal", "other/a.db-shm", NULL};
	struct err err = {0};

	(void)state;
	need_root();
	assert_int_equal(try_to_store(in_folder("other/a.db"), 50, &err), 0);
	as_other_user(fail_as_other);
	allow_others(files, 0644);
	as_other_user(read_as_other);
	as_other_user(fail_to_write_as_other);
	assert_int_equal(chmod(in_folder("other/a.db-shm"), 0640), 0);
	as_other_user(fail_as_other);
	assert_int_equal(unlink(in_folder("other/a.db-shm")), 0);
	as_other_user(read_as_other);
	assert_int_equal(unlink(in_folder("other/a.db-wal")), 0);
	as_other_user(read_as_other);
}

/* A writer that was killed leaves its log behind; the companions let anybody read past it. */
static void an_ordinary_user_reads_after_a_crash(void **state)
{
	static const char *const files[] = {"other/a.db", "other/a.db-wal", "other/a.db-shm", NULL};
	struct stat st;
	pid_t child;

	(void)state;
	need_root();
	unlink(in_folder("other/a.db"));
	child = fork();
	if (child == 0) {
		struct store *store = NULL;
		struct scan_info info = make_info("a", "/srv");
		struct census census;

		umask(022);
		make_census(&census, 50, 40);
		_exit(store_open(&store, in_folder("other/a.db"), STORE_WRITE, NULL) ||
			store_save_scan(store, &info, &census, NULL));
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	allow_others(files, 0644);
	assert_int_equal(stat(in_folder("other/a.db-wal"), &st), 0);
	assert_true(st.st_size > 0);
	as_other_user(read_as_other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_fills_up_loses_nothing),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(a_read_only_filesystem_is_read),
		cmocka_unit_test(an_ordinary_user_reads),
		cmocka_unit_test(an_ordinary_user_reads_after_a_crash),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
