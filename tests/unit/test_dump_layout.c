// SPDX-License-Identifier: GPL-2.0-or-later
/* The bytes that are expected here follow from xfsdump's sources, extent by extent. */
#include "tests/unit/test.h"

#include "analyzer/census/dump_layout.h"
#include "analyzer/census/dump_stream.h"
#include "base/cleanup.h"

#define FILE_AND_END (256 + 32)
#define GROUP        (16ULL << 20)

struct extent {
	uint64_t offset, length;
};

static uint64_t lay_out(struct dump_position *position, uint64_t size_bytes,
	const struct extent *extents, size_t count)
{
	struct dump_layout layout;

	dump_layout_begin(&layout, position, size_bytes);
	for (size_t i = 0; i < count; i++)
		dump_layout_extent(&layout, extents[i].offset, extents[i].length);
	return dump_layout_end(&layout);
}

/* A file of one extent from the start, the stream at @in_page. */
static uint64_t one_extent(struct dump_position *position, uint32_t in_page, uint64_t size_bytes)
{
	const struct extent extent = {0, (size_bytes + 4095) / 4096 * 4096};

	*position = (struct dump_position){.is_known = true, .in_page = in_page};
	return lay_out(position, size_bytes, &extent, size_bytes > 0);
}

static void small_data_is_not_aligned(void **state)
{
	struct dump_position position;

	(void)state;
	assert_int_equal(one_extent(&position, 0, 0), FILE_AND_END);
	assert_int_equal(position.in_page, FILE_AND_END);
	assert_int_equal(one_extent(&position, 4000, 1), FILE_AND_END + 32 + 512);
	assert_int_equal(position.in_page, (4000 + FILE_AND_END + 32 + 512) % 4096);
	assert_int_equal(one_extent(&position, 8, 32256), FILE_AND_END + 32 + 32256);
	assert_true(position.is_known);
}

static void long_data_starts_a_page(void **state)
{
	static const struct {
		uint32_t in_page, padding; /* the latter with its header and that of the data */
	} cases[] = {
		{0, 4096 - 256},
		{3840, 4096},
		{3832, 8 + 4096},
		{3776, 64},
		{3784, 56 + 4096},
		{4088, 4096 - 248},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct dump_position position;

		assert_int_equal(one_extent(&position, cases[i].in_page, 32768),
			FILE_AND_END + cases[i].padding + 32768);
		assert_int_equal(position.in_page, 32);
	}
}

/* From a position that nobody knows, the first padding is put at its mean; then it is known. */
static void an_unknown_position_becomes_known(void **state)
{
	const struct extent extents[] = {{0, 65536}, {131072, 65536}};
	struct dump_position position = {0};

	(void)state;
	assert_int_equal(lay_out(&position, 196608, extents, 2),
		FILE_AND_END + 2108 + 65536 + 32 + (4096 - 32 + 4096) % 4096 + 65536);
	assert_true(position.is_known);
	assert_int_equal(position.in_page, 32);
	position = (struct dump_position){0};
	lay_out(&position, 4096, extents, 1);
	assert_false(position.is_known);
}

static void holes_have_a_header(void **state)
{
	const struct extent island = {8192, 4096}, start = {0, 4096};
	const struct extent beyond[] = {{0, 4096}, {1 << 20, 4096}};
	struct dump_position position = {0};

	(void)state;
	assert_int_equal(lay_out(&position, 12288, &island, 1), FILE_AND_END + 32 + 32 + 4096);
	assert_int_equal(lay_out(&position, 5000, &start, 1), FILE_AND_END + 32 + 4096 + 32);
	assert_int_equal(lay_out(&position, 1 << 20, NULL, 0), FILE_AND_END);
	/* preallocated past the end: nothing of it is dumped, nor is the hole before */
	assert_int_equal(lay_out(&position, 4096, beyond, 2), FILE_AND_END + 32 + 4096);
	assert_int_equal(lay_out(&position, 100, beyond, 2), FILE_AND_END + 32 + 512);
	assert_int_equal(lay_out(&position, 5000, beyond, 2), FILE_AND_END + 32 + 4096 + 32);
}

/* Each full group takes as much as its data and a page. */
static void large_files_are_cut_into_groups(void **state)
{
	struct dump_position position;
	uint64_t first = 256 + 3840 + GROUP, next = 32 + 256 + 3808;

	(void)state;
	assert_int_equal(one_extent(&position, 0, GROUP), first + 32);
	assert_int_equal(one_extent(&position, 0, GROUP + 1), first + next - 3808 + 32 + 512 + 32);
	assert_int_equal(one_extent(&position, 0, 2 * GROUP), first + next + GROUP + 32);
	assert_int_equal(one_extent(&position, 0, 1ULL << 40),
		first + ((1ULL << 40) / GROUP - 1) * (GROUP + 4096) + 32);
	assert_int_equal(position.in_page, 32);
}

/* Whatever a disk says, it ends, and soon. */
static void nonsense_ends(void **state)
{
	const struct extent huge[] = {{0, UINT64_MAX}, {1, 1}, {0, UINT64_MAX}};
	struct dump_position position = {0};

	(void)state;
	assert_true(lay_out(&position, INT64_MAX, huge, 3) > INT64_MAX);
	assert_true(lay_out(&position, UINT64_MAX, huge, 3) > INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_data_is_not_aligned),
		cmocka_unit_test(long_data_starts_a_page),
		cmocka_unit_test(an_unknown_position_becomes_known),
		cmocka_unit_test(holes_have_a_header),
		cmocka_unit_test(large_files_are_cut_into_groups),
		cmocka_unit_test(nonsense_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
