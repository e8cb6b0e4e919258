// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/census/recency.h"

static void recent_changes_are_told_apart_by_the_second(void **state)
{
	(void)state;
	for (uint64_t age = 0; age < 512; age++) {
		assert_int_equal(recency_of_age(age), RECENCIES - 1 - age);
		assert_int_equal(recency_least_age(recency_of_age(age)), age);
	}
}

/* Older ones are not told apart if less than a 256th of their age lies between. */
static void older_ones_by_their_age(void **state)
{
	(void)state;
	for (uint64_t age = 512; age >> RECENCY_AGE_LOG == 0; age += 1 + age / 300) {
		unsigned recency = recency_of_age(age);
		uint64_t least = recency_least_age(recency);
		uint64_t next = recency_least_age(recency - 1);

		assert_true(recency > 0 && recency < RECENCIES);
		assert_true(least <= age && age < next);
		assert_true(next - least <= 1 + age / 256);
		assert_int_equal(recency_of_age(least), recency);
		assert_int_equal(recency_of_age(next), recency - 1);
	}
}

static void the_ends_are_held(void **state)
{
	(void)state;
	assert_true(recency_of_age(UINT64_MAX) > 0);
	assert_int_equal(recency_of_age(UINT64_MAX), recency_of_age((1ULL << RECENCY_AGE_LOG) - 1));
	assert_int_equal(recency_of(INT64_MIN, INT64_MAX), recency_of_age(UINT64_MAX));
	assert_int_equal(recency_of(INT64_MAX, INT64_MIN), RECENCIES - 1);
	assert_int_equal(recency_of(100, 103), RECENCIES - 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recent_changes_are_told_apart_by_the_second),
		cmocka_unit_test(older_ones_by_their_age),
		cmocka_unit_test(the_ends_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
