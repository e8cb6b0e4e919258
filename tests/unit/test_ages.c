// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/census/ages.h"

#include <stdlib.h>

#define TODAY 20787 /* 2026-11-30 */

static const struct ages_sums one = {.inodes = 1, .size_bytes = 10, .allocated_bytes = 20};

static void recent_days_are_exact(void **state)
{
	(void)state;
	for (int64_t day = TODAY - 35; day <= TODAY + 1; day++)
		assert_int_equal(ages_period_start(day, TODAY, AGES_BY_AGE), day);
}

static void periods_grow_with_age(void **state)
{
	(void)state;
	assert_int_equal(ages_period_start(TODAY - 200, TODAY, AGES_BY_AGE) % 7, 0);
	assert_int_equal(ages_period_start(TODAY - 1000, TODAY, AGES_BY_AGE) % 28, 0);
	assert_int_equal(ages_period_start(TODAY - 9000, TODAY, AGES_BY_AGE) % 364, 0);
	assert_int_equal(ages_period_start(TODAY + 9000, TODAY, AGES_BY_AGE) % 364, 0);
}

static void times_of_any_size_have_a_period(void **state)
{
	(void)state;
	assert_int_equal(ages_period_start(INT64_MAX, TODAY, AGES_BY_AGE), AGES_DAY_MAX);
	assert_int_equal(ages_period_start(INT64_MIN, TODAY, AGES_BY_AGE), AGES_DAY_MIN);
	assert_int_equal(ages_period_start(-1, TODAY, AGES_BY_AGE), -364);
	assert_int_equal(ages_period_start(5, TODAY, AGES_NONE), AGES_DAY_MIN);
}

/* Rounding twice, at the same or a coarser resolution, is rounding once. */
static void periods_nest(void **state)
{
	(void)state;
	for (int64_t day = TODAY - 8000; day < TODAY + 800; day++) {
		for (enum ages_resolution fine = AGES_BY_AGE; fine <= AGES_NONE; fine++) {
			int64_t start = ages_period_start(day, TODAY, fine);

			assert_true(start <= day);
			for (enum ages_resolution coarse = fine; coarse <= AGES_NONE; coarse++)
				assert_int_equal(ages_period_start(start, TODAY, coarse),
					ages_period_start(day, TODAY, coarse));
		}
	}
}

static void assert_same(const struct ages *a, const struct ages *b)
{
	assert_int_equal(a->resolution, b->resolution);
	assert_int_equal(ages_count(a), ages_count(b));
	for (size_t i = 0; i < ages_count(a); i++) {
		struct ages_key key_a, key_b;
		const struct ages_sums *sums_a = ages_at(a, i, &key_a);
		const struct ages_sums *sums_b = ages_at(b, i, &key_b);

		assert_int_equal(key_a.uid, key_b.uid);
		assert_int_equal(key_a.day, key_b.day);
		assert_int_equal(key_a.kind, key_b.kind);
		assert_int_equal(key_a.size_class, key_b.size_class);
		assert_memory_equal(sums_a, sums_b, sizeof(*sums_a));
	}
}

/* However the inodes are dealt out, the merged table is the same, its resolution too. */
static void the_result_does_not_depend_on_the_parts(void **state)
{
	static const size_t bounds[] = {10, 50, 300, 2000, 100000};

	(void)state;
	for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
		struct ages whole, parts[3];
		unsigned seed = 7;

		ages_init(&whole, TODAY);
		whole.max_cells = bounds[b];
		for (int i = 0; i < 3; i++) {
			ages_init(&parts[i], TODAY);
			parts[i].max_cells = bounds[b];
		}
		for (int i = 0; i < 6000; i++) {
			struct ages_key key = {.uid = (uint32_t)rand_r(&seed) % 20,
				.size_class = (uint8_t)(rand_r(&seed) % 4)};
			int64_t day = TODAY - (int64_t)rand_r(&seed) % 6000;
			int part = rand_r(&seed) % 10;

			assert_int_equal(ages_add(&whole, &key, day, &one), 0);
			assert_int_equal(ages_add(&parts[part > 2 ? 0 : part], &key, day, &one), 0);
		}
		assert_int_equal(ages_merge(&parts[2], &parts[0]), 0);
		assert_int_equal(ages_merge(&parts[2], &parts[1]), 0);
		ages_sort(&whole);
		ages_sort(&parts[2]);
		assert_same(&whole, &parts[2]);
		assert_true(ages_count(&whole) <= bounds[b] || whole.resolution == AGES_NONE);
		ages_fini(&whole);
		for (int i = 0; i < 3; i++)
			ages_fini(&parts[i]);
	}
}

static void negative_days_sort_before_positive(void **state)
{
	struct ages_key key = {.uid = 1};
	struct ages ages;

	(void)state;
	ages_init(&ages, TODAY);
	ages_add(&ages, &key, 20000, &one);
	ages_add(&ages, &key, -20000, &one);
	ages_sort(&ages);
	ages_at(&ages, 0, &key);
	assert_true(key.day < 0);
	ages_fini(&ages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recent_days_are_exact),
		cmocka_unit_test(periods_grow_with_age),
		cmocka_unit_test(times_of_any_size_have_a_period),
		cmocka_unit_test(periods_nest),
		cmocka_unit_test(the_result_does_not_depend_on_the_parts),
		cmocka_unit_test(negative_days_sort_before_positive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
