// SPDX-License-Identifier: GPL-2.0-or-later
/* Logs in all the shapes that XFS gives them. */
#include "tests/unit/log_fixture.h"

#include "analyzer/xfs/log/format.h"

#include <errno.h>

static void nothing_between_tail_and_head(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, 0, 0);
	assert_int_equal(fixture->changes.records, 0);
	assert_false(fixture->changes.ended_early);
}

static void tail_past_the_head_is_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct log_range range = {{6, 100}, {5, 4000}};

	assert_int_equal(
		log_collect(&fixture->log.source, &range, &fixture->changes, &fixture->err), 0);
	assert_logged(fixture, 0, 0);
}

static void one_transaction(void **state)
{
	struct fixture *fixture = *state;

	builder_transaction(&fixture->log, TRANS, FIRST, 40);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 40);
	assert_int_equal(fixture->changes.records, 1);
	assert_int_equal(fixture->changes.transactions, 1);
	assert_int_equal(fixture->changes.items, 40);
	assert_int_equal(fixture->changes.inode_items, 40);
	assert_int_equal(fixture->changes.splits, 0);
}

static void same_inode_many_times_is_one(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < 20; i++) {
		builder_transaction(&fixture->log, TRANS + i, FIRST, 3);
		builder_record(&fixture->log);
	}
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 3);
	assert_int_equal(fixture->changes.inode_items, 60);
}

/* A record in every place near the end: header, extended header and payload go over it in turn. */
static void records_wrap_at_the_end(void **state)
{
	struct fixture *fixture = *state;
	unsigned records = 0;

	for (uint32_t left = 1; left <= 20; left++) {
		builder_fini(&fixture->log);
		builder_init(&fixture->log, BLOCKS, 5);
		fixture->log.buffer_bytes = left % 2 ? 96 * 1024 : 32 * 1024;
		builder_seek(&fixture->log, BLOCKS - left);
		for (uint32_t i = 0; i < 3; i++, records++) {
			builder_transaction(&fixture->log, TRANS + i, FIRST + records * 12, 12);
			builder_record(&fixture->log);
		}
		assert_int_equal(fixture->log.at.cycle, 6);
		assert_int_equal(collect(fixture), 0);
	}
	assert_logged(fixture, FIRST, records * 12);
}

static void record_may_end_at_the_end(void **state)
{
	struct fixture *fixture = *state;

	builder_seek(&fixture->log, BLOCKS - 8);
	builder_transaction(&fixture->log, TRANS, FIRST, 13);
	builder_record(&fixture->log);
	assert_int_equal(fixture->log.at.block, 0);
	builder_transaction(&fixture->log, TRANS, FIRST + 13, 13);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 26);
}

static void version_1(void **state)
{
	struct fixture *fixture = *state;

	fixture->log.version = 1;
	fixture->log.crc = false;
	fixture->log.source.has_crc = false;
	for (uint32_t i = 0; i < 3; i++) {
		builder_transaction(&fixture->log, TRANS + i, FIRST + 100 * i, 100);
		builder_record(&fixture->log);
	}
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 300);
}

static void stripe_units(void **state)
{
	static const uint32_t stripes[] = {4096, 32 * 1024, 256 * 1024};
	struct fixture *fixture = *state;

	fixture->log.buffer_bytes = 256 * 1024;
	for (uint32_t i = 0; i < 3; i++) {
		fixture->log.stripe_bytes = stripes[i];
		builder_seek(&fixture->log, 512 * i);
		builder_transaction(&fixture->log, TRANS + i, FIRST + 100 * i, 100);
		builder_record(&fixture->log);
		assert_int_equal(fixture->log.at.block % (stripes[i] / 512), 0);
		assert_int_equal(collect(fixture), 0);
	}
	assert_logged(fixture, FIRST, 300);
}

/* 950 items of 256 bytes: inode numbers lie in payload blocks that all eight headers stand for. */
static void extended_headers(void **state)
{
	struct fixture *fixture = *state;

	fixture->log.buffer_bytes = 256 * 1024;
	builder_transaction(&fixture->log, TRANS, FIRST, 950);
	builder_record(&fixture->log);
	assert_int_equal(fixture->log.at.block, 8 + 476);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 950);
}

/* The inode number itself lies where the cycle number was put, at the start of a block. */
static void word_under_the_cycle_number(void **state)
{
	struct fixture *fixture = *state;
	char filler[1024] = {0}, format[56];

	for (unsigned block = 1; block < 130; block += 64) {
		/* start 12, header 28, then a buffer item, then an op header and 16 bytes */
		uint32_t before = 512 * block - (12 + 28) - (12 + 16);

		fixture->log.buffer_bytes = 96 * 1024;
		builder_start(&fixture->log, TRANS);
		filler[0] = 0x3d;
		filler[1] = 0x12;
		for (uint32_t left = before, n = 0; left; n++) {
			uint32_t take = left > 1024 ? 512 : left;

			filler[2] = 1;
			builder_operation(&fixture->log, TRANS, 0, filler, take - 12);
			left -= take;
		}
		builder_inode_format(&fixture->log, format, FIRST + block, 1);
		builder_operation(&fixture->log, TRANS, 0, format, sizeof(format));
		builder_record(&fixture->log);
	}
	assert_int_equal(collect(fixture), 0);
	assert_int_equal(inode_set_count(&fixture->changes.logged), 3);
	assert_true(inode_set_contains(&fixture->changes.logged, FIRST + 1));
	assert_true(inode_set_contains(&fixture->changes.logged, FIRST + 65));
	assert_true(inode_set_contains(&fixture->changes.logged, FIRST + 129));
}

#define CONTINUE XLOG_CONTINUE_TRANS
#define BETWEEN  (XLOG_WAS_CONT_TRANS | XLOG_CONTINUE_TRANS)
#define LAST     (XLOG_WAS_CONT_TRANS | XLOG_END_TRANS)

/* The format region is cut at every place it may be, the rest is in the next record. */
static void region_split_over_two_records(void **state)
{
	struct fixture *fixture = *state;
	char format[56];

	for (uint32_t cut = 0; cut < 56; cut += 4) {
		builder_start(&fixture->log, TRANS);
		builder_inode_format(&fixture->log, format, FIRST + cut / 4, 2);
		builder_operation(&fixture->log, TRANS, CONTINUE, format, cut);
		builder_record(&fixture->log);
		builder_operation(
			&fixture->log, TRANS, cut ? LAST : 0, format + cut, sizeof(format) - cut);
		builder_operation(&fixture->log, TRANS, 0, "core", 4);
		builder_commit(&fixture->log, TRANS);
		builder_record(&fixture->log);
	}
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 14);
	assert_int_equal(fixture->changes.splits, 13);
}

static void region_split_over_three_records(void **state)
{
	struct fixture *fixture = *state;
	char format[56];

	builder_start(&fixture->log, TRANS);
	builder_inode_format(&fixture->log, format, FIRST, 1);
	builder_operation(&fixture->log, TRANS, CONTINUE, format, 8);
	builder_record(&fixture->log);
	builder_operation(&fixture->log, TRANS, BETWEEN, format + 8, 12);
	builder_record(&fixture->log);
	builder_operation(&fixture->log, TRANS, LAST, format + 20, 36);
	builder_inode(&fixture->log, TRANS, FIRST + 1);
	builder_commit(&fixture->log, TRANS);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 2);
	assert_int_equal(fixture->changes.splits, 1);
	assert_int_equal(fixture->changes.transactions, 1);
}

static void transaction_header_split(void **state)
{
	struct fixture *fixture = *state;
	char header[16] = {'N', 'A', 'R', 'T'};

	builder_operation(&fixture->log, TRANS, XLOG_START_TRANS, NULL, 0);
	builder_operation(&fixture->log, TRANS, CONTINUE, header, 4);
	builder_record(&fixture->log);
	builder_operation(&fixture->log, TRANS, LAST, header + 4, 12);
	builder_inode(&fixture->log, TRANS, FIRST);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 1);
}

/* Two transactions take turns, each in the middle of an item and of a region. */
static void transactions_interleave(void **state)
{
	struct fixture *fixture = *state;
	char a[56], b[56];

	builder_inode_format(&fixture->log, a, FIRST, 2);
	builder_inode_format(&fixture->log, b, FIRST + 1, 2);
	builder_start(&fixture->log, TRANS);
	builder_start(&fixture->log, TRANS + 1);
	builder_operation(&fixture->log, TRANS, CONTINUE, a, 20);
	builder_operation(&fixture->log, TRANS + 1, CONTINUE, b, 12);
	builder_record(&fixture->log);
	builder_operation(&fixture->log, TRANS + 1, BETWEEN, b + 12, 8);
	builder_operation(&fixture->log, TRANS, LAST, a + 20, 36);
	builder_record(&fixture->log);
	builder_operation(&fixture->log, TRANS, 0, "core", 4);
	builder_operation(&fixture->log, TRANS + 1, LAST, b + 20, 36);
	builder_operation(&fixture->log, TRANS + 1, 0, "core", 4);
	builder_inode(&fixture->log, TRANS, FIRST + 2);
	builder_commit(&fixture->log, TRANS + 1);
	builder_inode(&fixture->log, TRANS, FIRST + 3);
	builder_commit(&fixture->log, TRANS);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 4);
	assert_int_equal(fixture->changes.transactions, 2);
}

/* A buffer's content looks like an inode item, but is none. */
static void content_is_not_taken_for_an_item(void **state)
{
	struct fixture *fixture = *state;
	char buffer[24] = {0x3c, 0x12, 3}, trap[56];

	builder_inode_format(&fixture->log, trap, 9999, 1);
	builder_start(&fixture->log, TRANS);
	builder_operation(&fixture->log, TRANS, 0, buffer, sizeof(buffer));
	builder_operation(&fixture->log, TRANS, 0, trap, sizeof(trap));
	builder_operation(&fixture->log, TRANS, 0, trap, sizeof(trap));
	builder_inode(&fixture->log, TRANS, FIRST);
	builder_commit(&fixture->log, TRANS);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 1);
	assert_int_equal(fixture->changes.items, 2);
}

/* All types that kernels know, and one of the future. */
static void other_items_are_passed_over(void **state)
{
	struct fixture *fixture = *state;

	builder_start(&fixture->log, TRANS);
	for (unsigned type = 0x1236; type < 0x1251; type++) {
		char item[32] = {(char)type, (char)(type >> 8), 2};

		if (type == XFS_LI_INODE || type == XFS_LI_ICREATE)
			continue;
		builder_operation(&fixture->log, TRANS, 0, item, sizeof(item));
		builder_operation(&fixture->log, TRANS, 0, item, sizeof(item));
	}
	builder_inode(&fixture->log, TRANS, FIRST);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 1);
	assert_int_equal(fixture->changes.items, 26);
}

static void inode_format_of_32_bit_kernels(void **state)
{
	struct fixture *fixture = *state;
	char format[56], packed[52];

	builder_start(&fixture->log, TRANS);
	builder_inode_format(&fixture->log, format, FIRST, 1);
	memcpy(packed, format, 12);
	memcpy(packed + 12, format + 16, 40);
	builder_operation(&fixture->log, TRANS, 0, packed, sizeof(packed));
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 1);
}

static void log_of_a_big_endian_host(void **state)
{
	struct fixture *fixture = *state;

	fixture->log.big_endian = true;
	builder_transaction(&fixture->log, TRANS, FIRST, 30);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 30);
}

static void checksum_of_an_i386_host(void **state)
{
	struct fixture *fixture = *state;

	fixture->log.crc_i386 = true;
	builder_transaction(&fixture->log, TRANS, FIRST, 30);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 30);
}

static void put_chunk(
	struct fixture *fixture, uint32_t agno, uint32_t agbno, uint32_t count, uint32_t length)
{
	uint32_t words[7] = {
		0, htobe32(agno), htobe32(agbno), htobe32(count), htobe32(512), htobe32(length), 0};
	uint16_t head[2] = {htole16(XFS_LI_ICREATE), htole16(1)};

	memcpy(words, head, sizeof(head));
	builder_operation(&fixture->log, TRANS, 0, words, sizeof(words));
}

static void new_chunks_are_seen(void **state)
{
	struct fixture *fixture = *state;

	builder_start(&fixture->log, TRANS);
	put_chunk(fixture, 3, 16, 64, 8);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, 0, 0);
	assert_int_equal(fixture->changes.chunk_items, 1);
}

static void chunks_outside_the_filesystem_are_damage(void **state)
{
	static const uint32_t bad[][4] = {
		{4, 16, 64, 8}, {3, 5000, 64, 8}, {3, 4993, 64, 8}, {3, 16, 63, 8}, {3, 16, 64, 9}};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		builder_start(&fixture->log, TRANS);
		put_chunk(fixture, bad[i][0], bad[i][1], bad[i][2], bad[i][3]);
		builder_record(&fixture->log);
		assert_int_equal(collect(fixture), -EUCLEAN);
		err_clear(&fixture->err);
		fixture->log.tail = fixture->log.at;
	}
	assert_int_equal(fixture->changes.chunk_items, 0);
}

static void put_buffer(struct fixture *fixture, uint16_t flags, uint64_t sector, uint16_t sectors)
{
	char buffer[24] = {0x3c, 0x12, 1};

	flags = htole16(flags);
	sectors = htole16(sectors);
	sector = htole64(sector);
	memcpy(buffer + 4, &flags, 2);
	memcpy(buffer + 6, &sectors, 2);
	memcpy(buffer + 8, &sector, 8);
	builder_operation(&fixture->log, TRANS, 0, buffer, sizeof(buffer));
}

static void buffers_thrown_away_are_seen(void **state)
{
	struct fixture *fixture = *state;

	builder_start(&fixture->log, TRANS);
	put_buffer(fixture, 0, 8ULL * 5000, 16);
	put_buffer(fixture, XFS_BLF_CANCEL, 8ULL * 5002, 16);
	put_buffer(fixture, XFS_BLF_CANCEL, INT64_MAX, UINT16_MAX);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_int_equal(fixture->changes.cancelled_buffers, 2);
	assert_logged(fixture, 0, 0);
}

/* As many inodes in as many places as there is memory for, less a quarter, then one too many. */
static void memory_for_inodes_is_limited(void **state)
{
	struct fixture *fixture = *state;

	fixture->changes.logged.limit = 8;
	builder_start(&fixture->log, TRANS);
	for (uint64_t i = 0; i < 9; i++)
		builder_inode(&fixture->log, TRANS, FIRST + 64 * i);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), -EFBIG);
	assert_non_null(strstr(fixture->err.message, "more inodes are named than a log can hold"));
	assert_int_equal(inode_set_count(&fixture->changes.logged), 8);
	assert_int_equal(fixture->changes.logged.capacity, 8);
}

static void transaction_begun_before_the_tail_is_left_out(void **state)
{
	struct fixture *fixture = *state;

	builder_operation(&fixture->log, TRANS, LAST, "rest", 4);
	builder_inode(&fixture->log, TRANS, FIRST + 50);
	builder_commit(&fixture->log, TRANS);
	builder_transaction(&fixture->log, TRANS + 1, FIRST, 2);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 2);
	assert_int_equal(fixture->changes.orphans, 4);
}

/* It is a question too many at worst. */
static void uncommitted_transaction_counts(void **state)
{
	struct fixture *fixture = *state;

	builder_start(&fixture->log, TRANS);
	builder_inode(&fixture->log, TRANS, FIRST);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 1);
	assert_int_equal(fixture->changes.transactions, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_between_tail_and_head),
		TEST(tail_past_the_head_is_nothing),
		TEST(one_transaction),
		TEST(same_inode_many_times_is_one),
		TEST(records_wrap_at_the_end),
		TEST(record_may_end_at_the_end),
		TEST(version_1),
		TEST(stripe_units),
		TEST(extended_headers),
		TEST(word_under_the_cycle_number),
		TEST(region_split_over_two_records),
		TEST(region_split_over_three_records),
		TEST(transaction_header_split),
		TEST(transactions_interleave),
		TEST(content_is_not_taken_for_an_item),
		TEST(other_items_are_passed_over),
		TEST(inode_format_of_32_bit_kernels),
		TEST(log_of_a_big_endian_host),
		TEST(checksum_of_an_i386_host),
		TEST(new_chunks_are_seen),
		TEST(chunks_outside_the_filesystem_are_damage),
		TEST(buffers_thrown_away_are_seen),
		TEST(memory_for_inodes_is_limited),
		TEST(transaction_begun_before_the_tail_is_left_out),
		TEST(uncommitted_transaction_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
