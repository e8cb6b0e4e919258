// SPDX-License-Identifier: GPL-2.0-or-later
/* The source and the reader on a file in which every word holds its own place. */
#include "tests/unit/test.h"

#include "analyzer/scan/device_reader.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES (40ULL * DEVICE_BUFFER_BYTES + 1504)
#define READ_BYTES (DEVICE_BUFFER_BYTES - 8192)

static char path[] = "/tmp/xfscensus-reader.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	(void)state;
	for (uint64_t at = 0; file && at < FILE_BYTES; at += sizeof(at))
		fwrite(&at, sizeof(at), 1, file);
	return file ? fclose(file) : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

struct run {
	uint64_t next;       /* offset of the next read */
	atomic_ullong bytes; /* that came right */
	atomic_uint reads;   /* done */
	atomic_uint wrong;   /* words */
	unsigned fail_at;    /* the read to answer with an error */
};

static bool next_read(struct device_read *read, void *context)
{
	struct run *run = context;

	if (run->next >= FILE_BYTES + 2 * READ_BYTES)
		return false;
	*read = (struct device_read){
		.offset = run->next, .bytes = READ_BYTES, .first = (uint32_t)(run->next / 4096)};
	run->next += READ_BYTES;
	return true;
}

static int check_read(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context)
{
	struct run *run = context;

	assert_true(worker < 4);
	assert_int_equal(read->first, read->offset / 4096);
	for (ssize_t i = 0; i + 8 <= got; i += 8) {
		uint64_t word;

		memcpy(&word, (const char *)data + i, sizeof(word));
		atomic_fetch_add(&run->wrong, word != read->offset + (uint64_t)i);
	}
	if (got < 0)
		atomic_fetch_add(&run->wrong, 1);
	else
		atomic_fetch_add(&run->bytes, (unsigned long long)got);
	return atomic_fetch_add(&run->reads, 1) + 1 == run->fail_at ? -ENOMEM : 0;
}

static int run_reader(
	enum device_io io, enum device_caching caching, unsigned workers, struct run *run)
{
	struct device_source source;
	struct device_reader *reader;
	int rc;

	assert_int_equal(device_source_open(&source, path, 0, caching, NULL), 0);
	assert_int_equal(source.size_bytes, FILE_BYTES);
	rc = device_reader_new(&reader, &source, io, workers);
	if (!rc) {
		rc = device_reader_run(reader, next_read, check_read, run);
		device_reader_free(reader);
	}
	device_source_close(&source);
	return rc;
}

/* io_uring, or threads where the kernel refuses it. */
static enum device_io uring_or_threads(void)
{
	struct device_source source;
	struct device_reader *reader;
	int rc;

	assert_int_equal(device_source_open(&source, path, 0, DEVICE_CACHING_AUTO, NULL), 0);
	rc = device_reader_new(&reader, &source, DEVICE_IO_URING, 1);
	if (!rc)
		device_reader_free(reader);
	device_source_close(&source);
	return rc ? DEVICE_IO_THREADS : DEVICE_IO_URING;
}

static void every_way_reads_the_same(void **state)
{
	const enum device_io ways[] = {uring_or_threads(), DEVICE_IO_AUTO};

	(void)state;
	for (unsigned i = 0; i < 24; i++) {
		struct run run = {0};

		assert_int_equal(run_reader(ways[i % 2], i / 2 % 3, 1 + i / 6, &run), 0);
		assert_int_equal(run.bytes, FILE_BYTES);
		assert_int_equal(run.wrong, 0);
		assert_int_equal(run.reads, (FILE_BYTES + 3 * READ_BYTES - 1) / READ_BYTES);
	}
}

static void an_error_ends_the_run(void **state)
{
	const enum device_io ways[] = {uring_or_threads(), DEVICE_IO_THREADS};

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		struct run run = {.fail_at = 1 + i};

		assert_int_equal(run_reader(ways[i % 2], i / 2 % 3, 1 + i % 4, &run), -ENOMEM);
		assert_true(run.reads >= run.fail_at);
	}
}

static void a_reader_can_run_again(void **state)
{
	struct device_source source;
	struct device_reader *reader;

	(void)state;
	assert_int_equal(device_source_open(&source, path, 0, DEVICE_CACHING_AUTO, NULL), 0);
	assert_int_equal(device_reader_new(&reader, &source, DEVICE_IO_AUTO, 2), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct run run = {0};

		assert_int_equal(device_reader_run(reader, next_read, check_read, &run), 0);
		assert_int_equal(run.bytes, FILE_BYTES);
	}
	device_reader_free(reader);
	device_source_close(&source);
}

/* Makes io_uring_setup(2) fail as on a system where it is switched off. */
static void forbid_uring(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(9);
}

/* In a child, since what is forbidden stays so. Returns 0 or the number of what went wrong. */
static int without_uring(void)
{
	struct run run = {0};

	forbid_uring();
	if (run_reader(DEVICE_IO_URING, DEVICE_CACHING_AUTO, 2, &run) != -EOPNOTSUPP)
		return 1;
	if (run_reader(DEVICE_IO_AUTO, DEVICE_CACHING_AUTO, 2, &run))
		return 2;
	return run.bytes == FILE_BYTES && !run.wrong ? 0 : 3;
}

static void threads_read_where_uring_is_refused(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	assert_true(child >= 0);
	if (!child)
		_exit(without_uring());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void source_reads_any_place(void **state)
{
	struct device_source source;
	uint64_t words[3];

	(void)state;
	for (int caching = DEVICE_CACHING_AUTO; caching <= DEVICE_CACHING_BUFFERED; caching++) {
		assert_int_equal(device_source_open(&source, path, 0, caching, NULL), 0);
		for (uint64_t at = 4080; at <= 4096; at += 8) {
			assert_int_equal(device_source_read(&source, at, sizeof(words), words), 0);
			assert_int_equal(words[0], at);
			assert_int_equal(words[2], at + 16);
		}
		assert_int_equal(device_source_read(&source, FILE_BYTES - 24, 24, words), 0);
		assert_int_equal(words[2], FILE_BYTES - 8);
		assert_int_equal(device_source_read(&source, FILE_BYTES - 16, 24, words), -ENODATA);
		assert_int_equal(
			device_source_read(&source, UINT64_MAX - 100, 24, words), -ENODATA);
		assert_int_equal(device_source_read(&source, 1ULL << 62, 24, words), -ENODATA);
		assert_true(device_source_seek_ns(&source) > 0);
		device_source_close(&source);
	}
}

/* Tells "cached" of a whole range only, and of nothing where the page cache is not to be used. */
static void source_knows_what_is_cached(void **state)
{
	struct device_source source;
	char *data = malloc(FILE_BYTES);
	bool cached = false;

	(void)state;
	assert_non_null(data);
	assert_int_equal(device_source_open(&source, path, 0, DEVICE_CACHING_AUTO, NULL), 0);
	for (int i = 0; i < 20 && !cached && source.cached_fd >= 0; i++) {
		assert_int_equal(pread(source.cached_fd, data, FILE_BYTES, 0), FILE_BYTES);
		cached = device_source_is_cached(&source, 0, FILE_BYTES);
	}
	assert_true(cached || source.cached_fd < 0); /* no O_DIRECT: one way of reading */
	assert_false(device_source_is_cached(&source, FILE_BYTES - 1504, 1504 + 8192));
	device_source_close(&source);
	assert_int_equal(source.cached_fd, -1);
	for (int caching = DEVICE_CACHING_DIRECT; caching <= DEVICE_CACHING_BUFFERED; caching++) {
		assert_int_equal(device_source_open(&source, path, 0, caching, NULL), 0);
		assert_false(device_source_is_cached(&source, 0, 4096));
		device_source_close(&source);
	}
	free(data);
}

static void what_is_no_device_is_refused(void **state)
{
	struct device_source source;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		device_source_open(&source, "/nowhere", 0, DEVICE_CACHING_AUTO, &err), -ENOENT);
	assert_non_null(strstr(err.message, "/nowhere"));
	err_clear(&err);
	assert_int_equal(
		device_source_open(&source, "/tmp", 0, DEVICE_CACHING_AUTO, &err), -ENOTBLK);
	err_clear(&err);
	assert_int_equal(
		device_source_open(&source, "/dev/null", 0, DEVICE_CACHING_AUTO, &err), -ENOTBLK);
	assert_non_null(strstr(err.message, "neither"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_reads_the_same),
		cmocka_unit_test(an_error_ends_the_run),
		cmocka_unit_test(a_reader_can_run_again),
		cmocka_unit_test(threads_read_where_uring_is_refused),
		cmocka_unit_test(source_reads_any_place),
		cmocka_unit_test(source_knows_what_is_cached),
		cmocka_unit_test(what_is_no_device_is_refused),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
