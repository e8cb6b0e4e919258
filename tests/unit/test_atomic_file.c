// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "cli/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/xfscensus-unit.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink("file");
	unlink("link");
	return chdir("/") || rmdir(folder);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void assert_holds(const char *name, const char *text)
{
	char bytes[64] = "";
	int fd = open(name, O_RDONLY);

	assert_true(read(fd, bytes, sizeof(bytes) - 1) >= 0);
	assert_string_equal(bytes, text);
	close(fd);
}

static int entries(void)
{
	DIR *dir = opendir(".");
	int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void replace(const char *name, const char *text, int code)
{
	struct atomic_file file;

	assert_int_equal(atomic_file_open(&file, name), 0);
	fputs(text, file.stream);
	assert_int_equal(atomic_file_close(&file, code), code);
}

static void a_new_file_has_the_mode_of_the_umask(void **state)
{
	struct stat st;

	(void)state;
	umask(027);
	replace("file", "new", 0);
	assert_holds("file", "new");
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	unlink("file");
}

static void an_old_file_keeps_its_mode(void **state)
{
	struct stat st;

	(void)state;
	write_file("file", "old", 0600);
	replace("file", "new", 0);
	assert_holds("file", "new");
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void a_link_stays_and_its_target_changes(void **state)
{
	struct stat st;

	(void)state;
	write_file("file", "old", 0644);
	assert_int_equal(symlink("file", "link"), 0);
	replace("link", "new", 0);
	assert_holds("file", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink("link");
}

static void after_an_error_the_old_file_is_whole(void **state)
{
	(void)state;
	write_file("file", "old", 0644);
	replace("file", "half", -EIO);
	assert_holds("file", "old");
	assert_int_equal(entries(), 1);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
	struct atomic_file file;

	(void)state;
	assert_int_equal(atomic_file_open(&file, "nowhere/file"), -ENOENT);
	assert_null(file.path);
}

static void a_link_to_itself_stays(void **state)
{
	struct atomic_file file;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(atomic_file_open(&file, "loop"), -ELOOP);
	assert_null(file.path);
	assert_int_equal(lstat("loop", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink("loop");
}

static void a_private_file_replaces_a_link_and_takes_nothing_over(void **state)
{
	struct atomic_file file;
	struct stat st;

	(void)state;
	umask(0);
	write_file("file", "old", 0666);
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(atomic_file_open_private(&file, "link"), 0);
	fputs("new", file.stream);
	assert_int_equal(atomic_file_close(&file, 0), 0);
	assert_holds("file", "old");
	assert_holds("link", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	unlink("link");
	assert_int_equal(atomic_file_open_private(&file, "nowhere/file"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file_has_the_mode_of_the_umask),
		cmocka_unit_test(an_old_file_keeps_its_mode),
		cmocka_unit_test(a_link_stays_and_its_target_changes),
		cmocka_unit_test(after_an_error_the_old_file_is_whole),
		cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
		cmocka_unit_test(a_link_to_itself_stays),
		cmocka_unit_test(a_private_file_replaces_a_link_and_takes_nothing_over),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
