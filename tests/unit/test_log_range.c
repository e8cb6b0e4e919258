// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "tests/unit/log_builder.h"

#include "analyzer/xfs/log/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCKS 16384
#define FIRST  8000
#define TRANS  0x1000

struct fixture {
	struct log_builder log;
	struct log_range range;
	struct err err;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	builder_init(&fixture->log, BLOCKS, 5);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	builder_fini(&fixture->log);
	free(fixture);
	return 0;
}

static void again(struct fixture *fixture, uint32_t blocks, uint32_t cycle)
{
	builder_fini(&fixture->log);
	builder_init(&fixture->log, blocks, cycle);
}

static int find(struct fixture *fixture)
{
	int rc = log_range_find(&fixture->log.source, &fixture->range, &fixture->err);

	assert_int_equal(rc, fixture->err.code);
	return rc;
}

static void assert_at(struct log_position actual, struct log_position expected)
{
	assert_int_equal(actual.cycle, expected.cycle);
	assert_int_equal(actual.block, expected.block);
}

static struct log_position add_record(struct fixture *fixture, unsigned inodes)
{
	builder_transaction(&fixture->log, TRANS, FIRST, inodes);
	return builder_record(&fixture->log);
}

/* Inodes in the log between the tail and the head that were found. */
static uint64_t count_logged(const struct fixture *fixture)
{
	struct log_changes changes;
	uint64_t count;

	log_changes_init(&changes);
	assert_int_equal(log_collect(&fixture->log.source, &fixture->range, &changes, NULL), 0);
	assert_false(changes.ended_early);
	count = inode_set_count(&changes.logged);
	log_changes_fini(&changes);
	return count;
}

static void never_written(void **state)
{
	struct fixture *fixture = *state;

	again(fixture, BLOCKS, 1);
	assert_int_equal(find(fixture), 0);
	assert_at(fixture->range.tail, fixture->range.head);
	assert_int_equal(count_logged(fixture), 0);
}

static void fresh_from_mkfs(void **state)
{
	struct fixture *fixture = *state;

	again(fixture, BLOCKS, 1);
	fixture->log.crc = false;
	builder_unmount(&fixture->log);
	assert_int_equal(find(fixture), 0);
	assert_at(fixture->range.head, (struct log_position){1, 2});
	assert_at(fixture->range.tail, fixture->range.head);
}

static void unmounted_cleanly(void **state)
{
	struct fixture *fixture = *state;

	builder_seek(&fixture->log, 3000);
	add_record(fixture, 20);
	builder_unmount(&fixture->log);
	assert_int_equal(find(fixture), 0);
	assert_at(fixture->range.head, fixture->log.at);
	assert_at(fixture->range.tail, fixture->range.head);
	assert_int_equal(count_logged(fixture), 0);
}

static void first_lap(void **state)
{
	struct fixture *fixture = *state;

	again(fixture, BLOCKS, 1);
	builder_unmount(&fixture->log);
	fixture->log.tail = fixture->log.at;
	for (unsigned i = 1; i < 10; i++)
		add_record(fixture, 10 * i);
	assert_int_equal(find(fixture), 0);
	assert_at(fixture->range.head, fixture->log.at);
	assert_at(fixture->range.tail, fixture->log.tail);
	assert_int_equal(count_logged(fixture), 90);
}

/* Wherever the head is, and however the records lie around the end of the log. */
static void head_anywhere(void **state)
{
	struct fixture *fixture = *state;

	srandom(4);
	for (int round = 0; round < 150; round++) {
		uint32_t start =
			round < 60 ? (uint32_t)(BLOCKS - 60 + round) : (uint32_t)random() % BLOCKS;

		again(fixture, BLOCKS, 2 + (uint32_t)round % 3);
		fixture->log.buffer_bytes = round % 2 ? 32 * 1024 : 64 * 1024;
		builder_seek(&fixture->log, start);
		for (unsigned i = 0; i < 1 + (unsigned)round % 4; i++)
			add_record(fixture, 20 + i);
		assert_int_equal(find(fixture), 0);
		assert_at(fixture->range.head, fixture->log.at);
		assert_at(fixture->range.tail, fixture->log.tail);
		assert_int_equal(count_logged(fixture), 20 + (unsigned)round % 4);
	}
}

static void log_smaller_than_the_window(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t start = 0; start < 128; start++) {
		again(fixture, 128, 2);
		builder_seek(&fixture->log, start);
		add_record(fixture, 20);
		add_record(fixture, 21);
		assert_int_equal(find(fixture), 0);
		assert_at(fixture->range.head, fixture->log.at);
		assert_int_equal(count_logged(fixture), 21);
	}
}

/* A crash in the middle: a buffer was not written, those after it were. */
static void head_goes_back_to_a_gap(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t start = BLOCKS - 70; start < BLOCKS + 30; start++) {
		struct log_position gap;
		char old[512] = {0};

		again(fixture, BLOCKS, 5);
		builder_seek(&fixture->log, start % BLOCKS);
		add_record(fixture, 20);
		gap = fixture->log.at;
		add_record(fixture, 30);
		for (uint32_t i = 0; i < 17; i++) {
			uint32_t block = (gap.block + i) % BLOCKS;

			old[3] = (char)(gap.block + i < BLOCKS ? gap.cycle - 1 : gap.cycle);
			builder_store(&fixture->log, block, old);
		}
		for (unsigned i = 0; i < 6; i++)
			add_record(fixture, 40);
		assert_int_equal(find(fixture), 0);
		assert_at(fixture->range.head, gap);
		assert_int_equal(count_logged(fixture), 20);
	}
}

/* The last write was torn: some blocks of the record are there. */
static void half_a_record_is_cut_off(void **state)
{
	struct fixture *fixture = *state;
	char old[512] = {0, 0, 0, 4};
	struct log_position last;

	builder_seek(&fixture->log, 5000);
	add_record(fixture, 20);
	last = add_record(fixture, 40);
	for (uint32_t block = last.block + 9; block < fixture->log.at.block; block++)
		builder_store(&fixture->log, block, old);
	assert_int_equal(find(fixture), 0);
	assert_at(fixture->range.head, last);
	assert_int_equal(count_logged(fixture), 20);
}

static void record_with_a_wrong_checksum_is_cut_off(void **state)
{
	struct fixture *fixture = *state;
	struct log_position bad;
	char block[512];

	builder_seek(&fixture->log, 5000);
	add_record(fixture, 20);
	bad = add_record(fixture, 40);
	add_record(fixture, 60);
	builder_load(&fixture->log, bad.block + 3, block);
	block[77] ^= 1;
	builder_store(&fixture->log, bad.block + 3, block);
	assert_int_equal(find(fixture), 0);
	assert_at(fixture->range.head, bad);
	assert_int_equal(count_logged(fixture), 20);
}

static void no_record_is_damage(void **state)
{
	struct fixture *fixture = *state;

	builder_seek(&fixture->log, 5000);
	assert_int_equal(find(fixture), -EUCLEAN);
	assert_non_null(strstr(fixture->err.message, "no whole record"));
}

static void the_log_of_another_filesystem(void **state)
{
	struct fixture *fixture = *state;

	builder_seek(&fixture->log, 5000);
	add_record(fixture, 20);
	fixture->log.source.uuid[3] ^= 1;
	assert_int_equal(find(fixture), -EUCLEAN);
	assert_non_null(strstr(fixture->err.message, "it is of another filesystem"));
}

static void first_block_never_written_is_damage(void **state)
{
	struct fixture *fixture = *state;
	char zero[512] = {0};

	builder_store(&fixture->log, 0, zero);
	assert_int_equal(find(fixture), -EUCLEAN);
}

static void random_blocks_are_an_error_or_a_range(void **state)
{
	struct fixture *fixture = *state;

	srandom(5);
	for (int round = 0; round < 300; round++) {
		char block[512] = {0};

		again(fixture, 64, 3);
		builder_seek(&fixture->log, (uint32_t)random() % 64);
		add_record(fixture, 20);
		for (int i = 0; i < 8; i++) {
			uint32_t at = (uint32_t)random() % 64;

			if (round % 2)
				builder_load(&fixture->log, at, block);
			block[random() % (round % 3 ? 8 : 40)] = (char)(random() % 8);
			builder_store(&fixture->log, at, block);
		}
		if (find(fixture) == 0) {
			assert_true(fixture->range.head.block < 64);
			assert_true(fixture->range.tail.block < 64);
		}
		err_clear(&fixture->err);
	}
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void folder_of_a_mounted_filesystem(void **state)
{
	char folder[] = "log_range.XXXXXX";
	struct fixture *fixture = *state;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(log_range_folder(folder, &fixture->range, &fixture->err), -ENOENT);
	assert_non_null(strstr(fixture->err.message, "log_head_lsn"));
	err_clear(&fixture->err);
	write_file(folder, "log_head_lsn", "7:1234\n");
	write_file(folder, "log_tail_lsn", "6:99999\n");
	assert_int_equal(log_range_folder(folder, &fixture->range, &fixture->err), 0);
	assert_at(fixture->range.head, (struct log_position){7, 1234});
	assert_at(fixture->range.tail, (struct log_position){6, 99999});
	write_file(folder, "log_head_lsn", "-2147483648:0\n");
	assert_int_equal(log_range_folder(folder, &fixture->range, &fixture->err), 0);
	assert_at(fixture->range.head, (struct log_position){0x80000000U, 0});
	write_file(folder, "log_tail_lsn", "nothing\n");
	assert_int_equal(log_range_folder(folder, &fixture->range, &fixture->err), -EINVAL);
	assert_int_equal(chdir(folder), 0);
	unlink("log_head_lsn");
	unlink("log_tail_lsn");
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void device_that_is_not_there(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(log_range_mounted(0, &fixture->range, &fixture->err), -ENOENT);
	assert_true(fixture->err.message[0] != '\0');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(never_written),
		TEST(fresh_from_mkfs),
		TEST(unmounted_cleanly),
		TEST(first_lap),
		TEST(head_anywhere),
		TEST(log_smaller_than_the_window),
		TEST(head_goes_back_to_a_gap),
		TEST(half_a_record_is_cut_off),
		TEST(record_with_a_wrong_checksum_is_cut_off),
		TEST(no_record_is_damage),
		TEST(the_log_of_another_filesystem),
		TEST(first_block_never_written_is_damage),
		TEST(random_blocks_are_an_error_or_a_range),
		TEST(folder_of_a_mounted_filesystem),
		TEST(device_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
