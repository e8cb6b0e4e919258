// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/checked.h"
#include "base/clock.h"

static void overflow_is_reported_or_saturates(void **state)
{
	uint64_t result;

	(void)state;
	assert_true(checked_add_u64(UINT64_MAX - 1, 1, &result));
	assert_true(result == UINT64_MAX);
	assert_false(checked_add_u64(UINT64_MAX, 1, &result));
	assert_true(checked_mul_u64(1ULL << 32, (1ULL << 32) - 1, &result));
	assert_false(checked_mul_u64(1ULL << 32, 1ULL << 32, &result));
	assert_true(sat_add_u64(UINT64_MAX, 5) == UINT64_MAX);
	assert_true(sat_mul_u64(1ULL << 63, 2) == UINT64_MAX);
	assert_true(clamp_i64(1ULL << 63) == INT64_MAX);
	assert_true(clamp_i64(INT64_MAX) == INT64_MAX);
	assert_true(sat_add_i64(INT64_MAX, 1) == INT64_MAX);
	assert_true(sat_add_i64(INT64_MIN, -1) == INT64_MIN);
	assert_int_equal(sat_add_i64(-3, 2), -1);
	assert_int_equal(change_i64(7, 3), -4);
	assert_true(change_i64(0, UINT64_MAX) == INT64_MAX);
	assert_true(change_i64(UINT64_MAX, 0) == INT64_MIN);
	assert_true(change_i64(UINT64_MAX, UINT64_MAX - 1) == -1);
}

static void rounding_up_ends_at_the_type(void **state)
{
	(void)state;
	assert_int_equal(div_ceil_u64(0, 511), 0);
	assert_int_equal(div_ceil_u64(511, 511), 1);
	assert_int_equal(div_ceil_u64(512, 511), 2);
	assert_int_equal(round_up_u64(1, 512), 512);
	assert_int_equal(round_up_u64(512, 512), 512);
	assert_true(round_up_u64(UINT64_MAX, 4096) == UINT64_MAX);
}

static void days_round_down_before_1970_too(void **state)
{
	(void)state;
	assert_int_equal(clock_day_of(0), 0);
	assert_int_equal(clock_day_of(86399), 0);
	assert_int_equal(clock_day_of(86400), 1);
	assert_int_equal(clock_day_of(-1), -1);
	assert_int_equal(clock_day_of(-86400), -1);
	assert_int_equal(clock_day_of(-86401), -2);
	assert_true(clock_day_of(INT64_MIN) == INT64_MIN / 86400 - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overflow_is_reported_or_saturates),
		cmocka_unit_test(rounding_up_ends_at_the_type),
		cmocka_unit_test(days_round_down_before_1970_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
