// SPDX-License-Identifier: GPL-2.0-or-later
/* The exact cases are inodes of a real filesystem and their bytes in a real media file. */
#include "tests/unit/test.h"

#include "analyzer/census/dump_stream.h"
#include "base/cleanup.h"

#define BLOCK 4096

struct dumped {
	uint32_t mode;
	uint64_t size_bytes, allocated_bytes, extents;
	int attr_fork;
	uint64_t stream_bytes;
};

static uint64_t bytes_of(const struct dumped *inode, uint32_t nlink)
{
	const struct inode_record record = {
		.mode = (uint16_t)inode->mode,
		.size_bytes = inode->size_bytes,
		.allocated_bytes = inode->allocated_bytes,
		.extents = inode->extents,
		.nlink = nlink,
		.flags = inode->attr_fork ? INODE_ATTR_FORK : 0,
	};

	return dump_stream_inode_bytes(&record, BLOCK);
}

static void dumped_inodes_are_exact(void **state)
{
	static const struct dumped inodes[] = {
		{0100644, 0, 0, 0, 1, 560}, {0100644, 1, 4096, 1, 1, 1104},
		{0100644, 512, 4096, 1, 1, 1104}, {0100644, 513, 4096, 1, 1, 1616},
		{0100644, 4095, 4096, 1, 1, 4688}, {0100644, 4096, 4096, 1, 1, 4688},
		{0100644, 10000, 12288, 1, 1, 10832}, {0100644, 32256, 32768, 1, 1, 32848},
		{0100644, 1 << 20, 0, 0, 1, 560},  /* one hole */
		{0100644, 8192, 4096, 1, 1, 4720}, /* a hole at the end */
		{0120777, 1, 0, 0, 0, 296}, {0120777, 7, 0, 0, 0, 296}, {0120777, 8, 0, 0, 0, 304},
		{0120777, 300, 0, 0, 0, 592}, {0120777, 1000, 4096, 1, 0, 1296},
		{0010644, 0, 0, 0, 1, 528}, {0040755, 6, 0, 0, 1, 552}, /* an empty directory */
		{0040755, 17, 0, 0, 1, 576},                            /* one entry, "abc" */
		{0040755, 24, 0, 0, 1, 584},                            /* one entry of 10 bytes */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(inodes); i++)
		assert_int_equal(bytes_of(&inodes[i], 1), inodes[i].stream_bytes);
}

static void long_extents_are_aligned(void **state)
{
	const struct dumped just_below = {S_IFREG, 32256, 32768, 1, 0, 0};
	const struct dumped just_above = {S_IFREG, 32257, 32768, 1, 0, 0};
	const struct dumped two = {S_IFREG, 1 << 20, 1 << 20, 2, 0, 0};
	const struct dumped one = {S_IFREG, 1 << 20, 1 << 20, 1, 0, 0};

	(void)state;
	assert_int_equal(bytes_of(&just_below, 1), 256 + 32 + 32 + 32256);
	assert_int_equal(bytes_of(&just_above, 1), 256 + 32 + 2108 + 32768);
	assert_int_equal(bytes_of(&two, 1) - bytes_of(&one, 1), 4080);
}

/* From dumps of a population: measured bytes, and how near the formula must come. */
static void estimates_are_near(void **state)
{
	static const struct {
		struct dumped inode;
		uint32_t nlink;
		double tolerance;
	} cases[] = {
		{{S_IFREG, 49139712, 49180672, 5994, 1, 49271440}, 1, 0.005}, /* fragments */
		{{S_IFREG, 5000000, 344064, 11, 1, 363712}, 1, 0.05},         /* holes */
		{{S_IFREG, 554370, 557056, 2, 1, 563200}, 1, 0.005},
		{{S_IFDIR, 122880, 196608, 32, 1, 160552}, 2, 0.1}, /* 5000 entries */
		{{S_IFDIR, 269, 0, 0, 0, 832}, 5, 0.2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		assert_float_equal((double)bytes_of(&cases[i].inode, cases[i].nlink) /
					   (double)cases[i].inode.stream_bytes,
			1, (float)cases[i].tolerance);
}

static void a_file_is_cut_into_groups(void **state)
{
	const struct dumped whole = {S_IFREG, 64ULL << 20, 64ULL << 20, 1, 0, 0};
	uint64_t bytes = bytes_of(&whole, 1);

	(void)state;
	assert_in_range(
		bytes, whole.size_bytes + 5 * (288 + 64), whole.size_bytes + 5 * (288 + 4152));
}

static void deleted_inodes_are_not_dumped(void **state)
{
	const struct dumped file = {S_IFREG, 4096, 4096, 1, 1, 0};

	(void)state;
	assert_int_equal(bytes_of(&file, 0), 0);
}

static void preallocation_past_the_end_is_not_dumped(void **state)
{
	const struct dumped file = {S_IFREG, 100, 1 << 20, 1, 0, 0};

	(void)state;
	assert_int_equal(bytes_of(&file, 1), 256 + 32 + 32 + 512);
}

static void subdirectories_are_entries(void **state)
{
	const struct dumped directory = {S_IFDIR, 4096, 4096, 1, 0, 0};

	(void)state;
	assert_true(bytes_of(&directory, 102) >= 280 + 100 * 39);
	assert_true(bytes_of(&directory, 2) < 280 + 100 * 39);
}

static void hostile_numbers_stop_at_the_end(void **state)
{
	static const uint32_t modes[] = {S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(modes); i++) {
		const struct dumped inode = {modes[i], UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 0};

		assert_true(bytes_of(&inode, UINT32_MAX) >= 256);
	}
	assert_int_equal(bytes_of(&(struct dumped){S_IFREG, UINT64_MAX, UINT64_MAX, 1, 1, 0}, 1),
		UINT64_MAX);
}

static void overhead_counts_chunks(void **state)
{
	(void)state;
	assert_int_equal(dump_stream_overhead_bytes(0), 4096 + 256);
	assert_int_equal(dump_stream_overhead_bytes(511), 4096 + 256 + 16384);
	assert_int_equal(dump_stream_overhead_bytes(512), 4096 + 256 + 2 * 16384);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dumped_inodes_are_exact),
		cmocka_unit_test(long_extents_are_aligned),
		cmocka_unit_test(estimates_are_near),
		cmocka_unit_test(a_file_is_cut_into_groups),
		cmocka_unit_test(deleted_inodes_are_not_dumped),
		cmocka_unit_test(preallocation_past_the_end_is_not_dumped),
		cmocka_unit_test(subdirectories_are_entries),
		cmocka_unit_test(hostile_numbers_stop_at_the_end),
		cmocka_unit_test(overhead_counts_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
