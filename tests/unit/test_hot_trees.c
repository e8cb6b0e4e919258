// SPDX-License-Identifier: GPL-2.0-or-later
/* What makes a tree hot, to the file. Random trees are in tests/property/test_directories.c. */
#include "tests/unit/test.h"

#include "analyzer/census/hot_trees.h"
#include "base/cleanup.h"

#define MANY 100

/* A root with @count directories of @tiny files each. */
static void make_even(
	struct directories *even, struct directory rows[MANY + 1], unsigned count, uint64_t tiny)
{
	*even = (struct directories){.present = true, .rows = rows, .count = count + 1};
	rows[0] = (struct directory){.parent = DIRECTORY_NO_PARENT};
	rows[0].tree.tiny_files = count * tiny;
	for (unsigned i = 1; i <= count; i++)
		rows[i] = (struct directory){.own.tiny_files = tiny, .tree.tiny_files = tiny};
}

static void assert_hot(
	const struct directories *directories, double share, uint64_t threshold, size_t count)
{
	struct hot_trees hot;

	assert_int_equal(hot_trees_find(directories, NULL, share, &hot), 0);
	assert_int_equal(hot.threshold, threshold);
	assert_int_equal(hot.count, count);
	hot_trees_fini(&hot);
}

/* Any share is that many files and none more, also one such as 0.07, which no double is. */
static void just_the_share_is_enough(void **state)
{
	static const uint64_t sizes[] = {1, 3, 7, 1000, 999999937, 1ULL << 40};
	struct directory rows[MANY + 1];
	struct directories even;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		make_even(&even, rows, MANY, sizes[i]);
		for (unsigned per_cent = 1; per_cent <= 100; per_cent++)
			assert_hot(&even, per_cent / 100.0, per_cent * sizes[i],
				per_cent == 1 ? MANY : 1);
	}
}

static void parts_of_a_file_are_rounded_up(void **state)
{
	struct directory rows[MANY + 1];
	struct directories even;

	(void)state;
	make_even(&even, rows, 10, 1);
	assert_hot(&even, 0.1, 1, 10);
	assert_hot(&even, 0.11, 2, 1);
	assert_hot(&even, 1e-300, 1, 10);
	make_even(&even, rows, 3, 0);
	assert_hot(&even, 0.01, 1, 0);
}

static void numbers_without_end(void **state)
{
	struct directory rows[MANY + 1];
	struct directories even;

	(void)state;
	make_even(&even, rows, 1, UINT64_MAX);
	assert_hot(&even, 1, UINT64_MAX, 1);
}

/* Of as many files, the first in the order of the paths. */
static void ties_go_by_path(void **state)
{
	struct directory rows[MANY + 1];
	struct directories even;
	struct hot_trees hot;

	(void)state;
	make_even(&even, rows, 50, 8);
	rows[9].own.tiny_files = rows[9].tree.tiny_files = 9;
	rows[0].tree.tiny_files++;
	assert_int_equal(hot_trees_find(&even, NULL, 0.01, &hot), 0);
	assert_int_equal(hot.count, 50);
	assert_int_equal(hot.trees[0].directory, 9);
	for (size_t i = 1; i < hot.count; i++)
		assert_int_equal(hot.trees[i].directory, i < 9 ? i : i + 1);
	hot_trees_fini(&hot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(just_the_share_is_enough),
		cmocka_unit_test(parts_of_a_file_are_rounded_up),
		cmocka_unit_test(numbers_without_end),
		cmocka_unit_test(ties_go_by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
