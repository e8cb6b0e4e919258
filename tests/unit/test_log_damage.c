// SPDX-License-Identifier: GPL-2.0-or-later
/* Logs that are written while they are read, and logs that are damaged. */
#include "tests/unit/log_fixture.h"

#include "analyzer/xfs/log/format.h"

#include <errno.h>
#include <unistd.h>

#define LAST (XLOG_WAS_CONT_TRANS | XLOG_END_TRANS)

static void unwritten_blocks_end_the_reading(void **state)
{
	struct fixture *fixture = *state;
	char old[512];
	struct log_position second;

	builder_transaction(&fixture->log, TRANS, FIRST, 5);
	builder_record(&fixture->log);
	second = fixture->log.at;
	builder_load(&fixture->log, second.block + 2, old);
	builder_transaction(&fixture->log, TRANS + 1, FIRST + 5, 5);
	builder_record(&fixture->log);
	builder_store(&fixture->log, second.block + 2, old);
	builder_transaction(&fixture->log, TRANS + 2, FIRST + 10, 5);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 5);
	assert_true(fixture->changes.ended_early);
}

/* The head comes round and takes the second record's place while the first is read. */
static void overwritten_blocks_ask_for_another_try(void **state)
{
	struct fixture *fixture = *state;
	struct log_position start[3];
	char newer[512] = {0, 0, 0, 6};
	struct log_range range;

	for (unsigned i = 0; i < 3; i++) {
		builder_transaction(&fixture->log, TRANS + i, FIRST + 5 * i, 5);
		start[i] = builder_record(&fixture->log);
	}
	range = (struct log_range){fixture->log.tail, fixture->log.at};
	builder_store(&fixture->log, start[1].block + 1, newer);
	assert_int_equal(collect(fixture), -EAGAIN);
	assert_non_null(strstr(fixture->err.message, "overwritten"));
	assert_int_equal(inode_set_count(&fixture->changes.logged), 5);
	err_clear(&fixture->err);
	range.tail = start[2];
	assert_int_equal(
		log_collect(&fixture->log.source, &range, &fixture->changes, &fixture->err), 0);
	assert_int_equal(inode_set_count(&fixture->changes.logged), 10);
	assert_true(inode_set_contains(&fixture->changes.logged, FIRST + 14));
}

static void wrong_checksum_is_damage(void **state)
{
	struct fixture *fixture = *state;
	struct log_position second;
	char block[512];

	builder_transaction(&fixture->log, TRANS, FIRST, 5);
	second = builder_record(&fixture->log);
	builder_transaction(&fixture->log, TRANS + 1, FIRST + 5, 5);
	second = builder_record(&fixture->log);
	builder_load(&fixture->log, second.block + 1, block);
	block[100] ^= 4;
	builder_store(&fixture->log, second.block + 1, block);
	assert_int_equal(collect(fixture), -EUCLEAN);
	assert_non_null(strstr(fixture->err.message, "checksum"));
	assert_int_equal(inode_set_count(&fixture->changes.logged), 5);
}

static void missing_checksum_is_damage_on_v5_only(void **state)
{
	struct fixture *fixture = *state;

	fixture->log.crc = false;
	builder_transaction(&fixture->log, TRANS, FIRST, 5);
	builder_record(&fixture->log);
	assert_int_equal(collect(fixture), -EUCLEAN);
	err_clear(&fixture->err);
	fixture->log.source.has_crc = false;
	assert_int_equal(collect(fixture), 0);
	assert_logged(fixture, FIRST, 5);
}

static void record_of_another_filesystem_is_damage(void **state)
{
	struct fixture *fixture = *state;

	builder_transaction(&fixture->log, TRANS, FIRST, 5);
	builder_record(&fixture->log);
	fixture->log.source.uuid[3]++;
	assert_int_equal(collect(fixture), -EUCLEAN);
	assert_non_null(strstr(fixture->err.message, "another filesystem"));
}

static void senseless_operations_are_damage(void **state)
{
	static const char zero[64];
	struct fixture *fixture = *state;

	for (int kind = 0; kind < 8; kind++) {
		char format[56];
		uint64_t ino = kind == 0   ? 0
			       : kind == 1 ? 5001ULL << 3
			       : kind == 2 ? 4ULL << 16
					   : FIRST;

		builder_start(&fixture->log, TRANS);
		builder_inode_format(&fixture->log, format, ino,
			kind == 3   ? 0
			: kind == 4 ? 999
				    : 1);
		builder_operation(
			&fixture->log, TRANS, kind == 5 ? LAST : 0, format, kind == 6 ? 55 : 56);
		if (kind == 7)
			builder_operation(&fixture->log, TRANS, 0, zero, sizeof(zero));
		builder_record(&fixture->log);
		assert_int_equal(collect(fixture), -EUCLEAN);
		assert_non_null(strstr(fixture->err.message, "log record at 5:"));
		err_clear(&fixture->err);
		fixture->log.tail = fixture->log.at;
	}
	assert_int_equal(inode_set_count(&fixture->changes.logged), 1);
}

static void ranges_no_log_can_have_are_refused(void **state)
{
	static const struct log_range bad[] = {
		{{5, 0}, {7, 0}},
		{{5, 10}, {6, 11}},
		{{5, BLOCKS}, {6, 0}},
		{{5, 0}, {5, BLOCKS}},
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(log_collect(&fixture->log.source, &bad[i], &fixture->changes,
					 &fixture->err),
			-EUCLEAN);
		err_clear(&fixture->err);
	}
}

static void sources_no_log_can_have_are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct log_source good = fixture->log.source, *source = &fixture->log.source;

	for (int kind = 0; kind < 8; kind++) {
		*source = good;
		source->length_bytes = kind == 0   ? 0
				       : kind == 1 ? 4ULL << 30
				       : kind == 2 ? 700
						   : 512;
		source->offset_bytes = kind == 3 ? 100 : kind == 4 ? UINT64_MAX - 511 : 0;
		source->sector_bytes = kind == 5 ? 513 : 512;
		source->agblocks = kind == 6 ? 8193 : 5000;
		source->block_log = kind == 7 ? 8 : 12;
		assert_int_equal(collect(fixture), -EUCLEAN);
		err_clear(&fixture->err);
	}
}

static void device_shorter_than_its_log(void **state)
{
	struct fixture *fixture = *state;

	builder_transaction(&fixture->log, TRANS, FIRST, 50);
	builder_record(&fixture->log);
	assert_int_equal(ftruncate(fixture->log.source.fd, BUILDER_OFFSET + 2048), 0);
	assert_int_equal(collect(fixture), -EIO);
	assert_non_null(strstr(fixture->err.message, "end of its device"));
}

static void garbage_is_an_error_or_nothing(void **state)
{
	struct fixture *fixture = *state;

	srandom(3);
	for (int round = 0; round < 200; round++) {
		char block[512];
		int rc;

		builder_fini(&fixture->log);
		builder_init(&fixture->log, 64, 5);
		fixture->log.source.has_crc = false;
		fixture->log.crc = round % 2;
		builder_transaction(&fixture->log, TRANS, FIRST, 50);
		builder_record(&fixture->log);
		for (int i = 0; i < 1 + round / 20; i++) {
			uint32_t at = (uint32_t)random() % fixture->log.at.block;

			builder_load(&fixture->log, at, block);
			block[random() % 512] = (char)random();
			builder_store(&fixture->log, at, block);
		}
		rc = collect(fixture);
		assert_true(rc == 0 || rc == -EUCLEAN || rc == -EAGAIN);
		assert_int_equal(rc, fixture->err.code);
		err_clear(&fixture->err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unwritten_blocks_end_the_reading),
		TEST(overwritten_blocks_ask_for_another_try),
		TEST(wrong_checksum_is_damage),
		TEST(missing_checksum_is_damage_on_v5_only),
		TEST(record_of_another_filesystem_is_damage),
		TEST(senseless_operations_are_damage),
		TEST(ranges_no_log_can_have_are_refused),
		TEST(sources_no_log_can_have_are_refused),
		TEST(device_shorter_than_its_log),
		TEST(garbage_is_an_error_or_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
