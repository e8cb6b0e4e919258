// SPDX-License-Identifier: GPL-2.0-or-later
/* What is cached of a file of known pages, told by both system calls. */
#include "tests/unit/test.h"

#include "base/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES        64
#define CACHESTAT    451
#define MAX_PAGE     65536
#define TRIES        20
#define CHILD_FAILED 9

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A file of PAGES pages but for its first two, which are a hole, just written. */
static int make_file(void)
{
	static const char data[MAX_PAGE] = {1};
	char path[] = "/tmp/xfscensus-cache.XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	for (unsigned i = 2; fd >= 0 && i < PAGES; i++) {
		if (pwrite(fd, data, page_bytes(), (off_t)(i * page_bytes())) < 0)
			return -1;
	}
	return fd;
}

static bool counts(int fd, uint64_t offset, uint64_t bytes, uint64_t cached, uint64_t pages)
{
	uint64_t is_cached = 99, is_pages = 99;

	return !page_cache_count(fd, offset, bytes, &is_cached, &is_pages) && is_cached == cached &&
	       is_pages == pages;
}

/* All that must hold of a new file; others may drop the caches meanwhile, so it may fail. */
static bool new_file_is_told(void)
{
	uint64_t page = page_bytes();
	int fd = make_file();
	bool told = fd >= 0 && counts(fd, 0, PAGES * page, PAGES - 2, PAGES) &&
		    counts(fd, 0, 2 * page, 0, 2) && counts(fd, 2 * page, page, 1, 1) &&
		    counts(fd, 2 * page + 5, 1, 1, 1) && counts(fd, 3 * page - 1, 2, 2, 2) &&
		    counts(fd, 2 * page - 1, 2, 1, 2);

	close(fd);
	return told;
}

static bool told_in_the_end(void)
{
	for (int i = 0; i < TRIES; i++) {
		if (new_file_is_told())
			return true;
	}
	return false;
}

static void pages_are_counted(void **state)
{
	(void)state;
	assert_true(told_in_the_end());
}

/* In a child, since what is forbidden stays so. */
static int without_cachestat(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CACHESTAT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return CHILD_FAILED;
	return told_in_the_end() ? 0 : 1;
}

static void pages_are_counted_without_cachestat(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	assert_true(child >= 0);
	if (!child)
		_exit(without_cachestat());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void nothing_is_cached_of_what_is_no_file(void **state)
{
	uint64_t cached = 99, pages;

	(void)state;
	assert_int_equal(page_cache_count(-1, 0, 4096, &cached, &pages), -EBADF);
	assert_int_equal(cached, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_counted),
		cmocka_unit_test(pages_are_counted_without_cachestat),
		cmocka_unit_test(nothing_is_cached_of_what_is_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
