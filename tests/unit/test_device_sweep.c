// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads made from ranges: every byte of every range comes once, in reads that the reader can do. */
#include "tests/unit/test.h"

#include "analyzer/scan/device_sweep.h"

#include <stdlib.h>
#include <string.h>

#define RANGES 2000
#define ALIGN  4096

struct ranges {
	struct device_range all[RANGES];
	uint64_t seen[RANGES]; /* bytes */
	uint32_t count;
};

static struct device_range range_at(uint32_t index, const void *context)
{
	const struct ranges *ranges = context;

	return ranges->all[index];
}

/* Adds up what the reads are for; returns their number. */
static unsigned sweep_all(struct ranges *ranges, uint64_t gap_bytes)
{
	const struct device_source source = {.align_bytes = ALIGN};
	const struct device_scan scan = {.source = &source};
	struct device_sweep sweep = {.scan = &scan,
		.gap_bytes = gap_bytes,
		.range = range_at,
		.context = ranges,
		.count = ranges->count};
	struct device_read read;
	unsigned reads = 0;

	memset(ranges->seen, 0, sizeof(ranges->seen));
	for (; device_sweep_next(&sweep, &read); reads++) {
		struct device_share share = device_sweep_share(&read);

		assert_true(read.bytes && read.bytes <= DEVICE_BUFFER_BYTES);
		assert_int_equal(read.offset % ALIGN, 0);
		assert_int_equal(read.bytes % ALIGN, 0);
		for (uint32_t i = share.first; i < share.first + share.count; i++) {
			const struct device_range *range = &ranges->all[i];
			uint64_t to = share.to < range->bytes ? share.to : range->bytes;

			assert_int_equal(share.from, ranges->seen[i]);
			assert_true(range->start + share.from >= read.offset);
			assert_true(range->start + to <= read.offset + read.bytes);
			ranges->seen[i] = to;
		}
	}
	for (uint32_t i = 0; i < ranges->count; i++)
		assert_int_equal(ranges->seen[i], ranges->all[i].bytes);
	return reads;
}

static void every_byte_comes_once(void **state)
{
	static const uint64_t gaps[] = {0, 1, 65536, 1 << 20, UINT64_MAX};
	static struct ranges ranges;

	(void)state;
	srandom(7);
	for (unsigned round = 0; round < 50; round++) {
		uint64_t at = (uint64_t)random() % 100000 * 512;

		ranges.count = 1 + (uint32_t)random() % RANGES;
		for (uint32_t i = 0; i < ranges.count; i++) {
			/* now and then a long one, or one that overlaps the one before */
			uint64_t blocks = 1 + (uint64_t)random() % (random() % 20 ? 16 : 9000);

			ranges.all[i] = (struct device_range){.start = at, .bytes = blocks * 512};
			at += (uint64_t)random() % (2 * blocks + 1) * 512;
		}
		sweep_all(&ranges, gaps[round % 5]);
	}
}

static void near_ranges_are_one_read_and_far_ones_are_not(void **state)
{
	static struct ranges ranges;

	(void)state;
	ranges.count = 10;
	for (uint32_t i = 0; i < ranges.count; i++)
		ranges.all[i] = (struct device_range){.start = i * 65536ULL, .bytes = 4096};
	assert_int_equal(sweep_all(&ranges, 65536 - 4096), 1);
	assert_int_equal(sweep_all(&ranges, 65536 - 4097), 10);
}

static void a_long_range_is_cut(void **state)
{
	static struct ranges ranges;

	(void)state;
	ranges.count = 1;
	ranges.all[0] = (struct device_range){.start = 512, .bytes = 5ULL * DEVICE_CUT_BYTES + 512};
	assert_int_equal(sweep_all(&ranges, 0), 6);
	ranges.all[0].bytes = 1ULL << 40;
	assert_int_equal(sweep_all(&ranges, 0), (1ULL << 40) / DEVICE_CUT_BYTES);
	ranges.count = 0;
	assert_int_equal(sweep_all(&ranges, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_comes_once),
		cmocka_unit_test(near_ranges_are_one_read_and_far_ones_are_not),
		cmocka_unit_test(a_long_range_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
