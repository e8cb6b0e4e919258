// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be found out about a path without root; the rest is in integration/bulkstat.sh. */
#include "tests/unit/test.h"

#include "analyzer/scan/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_target.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return chdir("/") || rmdir(folder) ? -1 : 0;
}

static void write_file(const char *name, const void *bytes, size_t length)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

static void missing_path_is_named(void **state)
{
	struct scan_target target;
	struct err err = {0};

	(void)state;
	assert_int_equal(target_open(&target, "missing", &err), -ENOENT);
	assert_string_equal(err.message, "missing: No such file or directory");
	assert_int_equal(target.fd, -1);
	assert_null(target.path);
}

static void directory_has_a_mount_and_a_name(void **state)
{
	struct scan_target target;
	struct err err = {0};
	struct stat st;

	(void)state;
	assert_int_equal(target_open(&target, ".", &err), 0);
	assert_int_equal(target.kind, TARGET_DIRECTORY);
	assert_string_equal(target.path, folder);
	assert_false(target.is_root);
	assert_true(target.fd >= 0);
	assert_int_equal(stat(folder, &st), 0);
	assert_true(target.device_number == st.st_dev);
	assert_non_null(target.mount_point);
	assert_int_equal(strncmp(folder, target.mount_point, strlen(target.mount_point)), 0);
	assert_string_not_equal(target.fs_type, "");
	assert_string_not_equal(target.fs_id, "");
	assert_true(target.block_bytes > 0);
	target_close(&target);
	assert_int_equal(target.fd, -1);
}

static void links_are_resolved(void **state)
{
	struct scan_target target;
	struct err err = {0};

	(void)state;
	assert_int_equal(symlink("/proc", "link"), 0);
	assert_int_equal(target_open(&target, "link/", &err), 0);
	assert_string_equal(target.path, "/proc");
	assert_string_equal(target.mount_point, "/proc");
	assert_string_equal(target.fs_type, "proc");
	assert_true(target.is_root);
	assert_false(target.is_xfs);
	target_close(&target);
	assert_int_equal(unlink("link"), 0);
}

static void fifo_is_refused_without_waiting(void **state)
{
	struct scan_target target;
	struct err err = {0};

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(target_open(&target, "fifo", &err), -ENOTDIR);
	assert_non_null(strstr(err.message, "neither a directory"));
	assert_int_equal(unlink("fifo"), 0);
}

static void other_file_is_an_image_of_nothing_known(void **state)
{
	struct scan_target target;
	struct err err = {0};

	(void)state;
	write_file("file", "hello", 5);
	assert_int_equal(target_open(&target, "file", &err), 0);
	assert_int_equal(target.kind, TARGET_IMAGE);
	assert_false(target.is_xfs);
	assert_string_equal(target.fs_type, "");
	assert_string_equal(target.fs_id, "");
	assert_null(target.mount_point);
	assert_string_equal(target.device, target.path);
	target_close(&target);
	assert_int_equal(unlink("file"), 0);
}

static void scan_of_no_filesystem_says_so(void **state)
{
	struct scan_options options;
	struct scan_target target;
	struct scan_info info;
	struct census census;
	struct err err = {0};

	(void)state;
	write_file("notes.txt", "hello", 5);
	assert_int_equal(target_open(&target, "notes.txt", &err), 0);
	for (int engine = ENGINE_AUTO; engine <= ENGINE_WALK; engine++) {
		scan_options_init(&options);
		options.engine = (enum scan_engine_choice)engine;
		err_clear(&err);
		assert_int_equal(scan_run(&options, &target, &info, &census, &err), -EMEDIUMTYPE);
		assert_non_null(strstr(err.message, "notes.txt is no XFS image"));
		assert_null(strstr(err.message, "walk"));
		census_fini(&census);
		scan_info_fini(&info);
	}
	target_close(&target);
	assert_int_equal(unlink("notes.txt"), 0);
}

static void damaged_image_is_told(void **state)
{
	unsigned char sb[512] = "XFSB";
	struct scan_target target;
	struct err err = {0};

	(void)state;
	write_file("image", sb, sizeof(sb));
	assert_int_equal(target_open(&target, "image", &err), -EUCLEAN);
	assert_non_null(strstr(err.message, "superblock is damaged"));
	assert_int_equal(unlink("image"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_path_is_named),
		cmocka_unit_test(directory_has_a_mount_and_a_name),
		cmocka_unit_test(links_are_resolved),
		cmocka_unit_test(fifo_is_refused_without_waiting),
		cmocka_unit_test(other_file_is_an_image_of_nothing_known),
		cmocka_unit_test(scan_of_no_filesystem_says_so),
		cmocka_unit_test(damaged_image_is_told),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
