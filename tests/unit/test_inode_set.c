// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/xfs/inode_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void empty_set_has_nothing(void **state)
{
	struct inode_set set;
	uint64_t ino = 0;

	(void)state;
	inode_set_init(&set);
	assert_int_equal(inode_set_count(&set), 0);
	assert_false(inode_set_contains(&set, 0));
	assert_int_equal(inode_set_mask(&set, 7), 0);
	assert_false(inode_set_next(&set, &ino));
	inode_set_fini(&set);
}

static void numbers_come_out_sorted_and_once(void **state)
{
	static const uint64_t in[] = {UINT64_MAX, 64, 63, 128, 63, 1ULL << 40, 64, 0};
	static const uint64_t out[] = {0, 63, 64, 128, 1ULL << 40, UINT64_MAX};
	struct inode_set set;
	uint64_t ino = 0;

	(void)state;
	inode_set_init(&set);
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		assert_int_equal(inode_set_add(&set, in[i]), 0);
	inode_set_seal(&set);
	assert_int_equal(inode_set_count(&set), 6);
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++, ino++) {
		assert_true(inode_set_next(&set, &ino));
		assert_int_equal(ino, out[i]);
		assert_true(inode_set_contains(&set, ino));
	}
	inode_set_fini(&set);
}

static void mask_crosses_words(void **state)
{
	struct inode_set set;

	(void)state;
	inode_set_init(&set);
	for (uint64_t ino = 100; ino < 170; ino++)
		assert_int_equal(inode_set_add(&set, ino), 0);
	inode_set_seal(&set);
	assert_int_equal(inode_set_count(&set), 70);
	assert_true(inode_set_mask(&set, 100) == UINT64_MAX);
	assert_true(inode_set_mask(&set, 64) == UINT64_MAX << 36);
	assert_true(inode_set_mask(&set, 128) == (1ULL << 42) - 1);
	assert_true(inode_set_mask(&set, 40) == 0xfULL << 60);
	assert_true(inode_set_mask(&set, 169) == 1);
	assert_true(inode_set_mask(&set, 170) == 0);
	inode_set_fini(&set);
}

/* Duplicates leave room again; what is left of a full set is a quarter, or it is an error. */
static void limit_holds(void **state)
{
	struct inode_set set;
	int rc = 0;

	(void)state;
	inode_set_init(&set);
	set.limit = 400;
	for (unsigned round = 0; round < 100; round++) {
		for (uint64_t i = 0; i < 200; i++)
			assert_int_equal(inode_set_add(&set, i * 64), 0);
	}
	for (uint64_t i = 200; i < 300; i++)
		assert_int_equal(inode_set_add(&set, i * 64), 0);
	for (uint64_t i = 0; i < 1000 && !rc; i++)
		rc = inode_set_add(&set, i % 300 * 64);
	assert_int_equal(rc, -EFBIG);
	inode_set_seal(&set);
	assert_int_equal(inode_set_count(&set), 300);
	assert_int_equal(set.capacity, 400);
	inode_set_fini(&set);
}

/* Against an array of flags, with additions after sealing. */
static void agrees_with_an_array(void **state)
{
	enum { NUMBERS = 40000 };
	static bool model[NUMBERS];
	struct inode_set set;
	uint64_t count = 0;

	(void)state;
	srandom(1);
	inode_set_init(&set);
	for (int i = 0; i < 30000; i++) {
		uint64_t ino = (uint64_t)random() % NUMBERS;

		model[ino] = true;
		assert_int_equal(inode_set_add(&set, ino), 0);
		if (i % 10000 == 0)
			inode_set_seal(&set);
	}
	inode_set_seal(&set);
	for (uint64_t ino = 0; ino < NUMBERS; ino++) {
		assert_int_equal(inode_set_contains(&set, ino), model[ino]);
		count += model[ino];
	}
	assert_int_equal(inode_set_count(&set), count);
	assert_true(set.capacity <= 2 * NUMBERS / INODE_SET_WORD_INODES);
	inode_set_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_set_has_nothing),
		cmocka_unit_test(numbers_come_out_sorted_and_once),
		cmocka_unit_test(mask_crosses_words),
		cmocka_unit_test(limit_holds),
		cmocka_unit_test(agrees_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
