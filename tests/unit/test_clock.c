// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/clock.h"

#include <errno.h>

#define NOW 1796004600 /* 2026-11-30T02:10:00Z */

static void assert_time(const char *text, int64_t expected)
{
	int64_t seconds = 0;

	assert_int_equal(clock_parse_time(text, NOW, &seconds), 0);
	assert_int_equal(seconds, expected);
}

static void dates_are_utc(void **state)
{
	(void)state;
	assert_time("2026-11-30", NOW - 7800);
	assert_time("2026-11-30T02:10", NOW);
	assert_time("2026-11-30T02:10Z", NOW);
	assert_time("2026-11-30T02:10:01", NOW + 1);
	assert_time("2026-11-30T02:10:01Z", NOW + 1);
	assert_time("2026-11-30T03:10+01:00", NOW);
	assert_time("2026-11-29T20:40:00-0530", NOW);
	assert_time("@1764540000", 1764540000);
	assert_time("1970-01-01", 0);
	assert_time("1969-12-30", -2 * 86400);
	assert_time("2024-02-29", 1709164800);
}

static void durations_lie_before_now(void **state)
{
	(void)state;
	assert_time("30d", NOW - 30 * 86400);
	assert_time("1h30m", NOW - 5400);
	assert_time("90", NOW - 90);
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = {"", "2026-13-01", "2026-02-30", "2025-02-29",
		"2026-11-30 ", "2026-11-30T", "2026-11-30T25:00", "yesterday", "-3d", "1e300", "@",
		"@-5", "2026-11-30T02:10+1", "99999999999999999999d"};
	int64_t seconds;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (clock_parse_time(texts[i], NOW, &seconds) != -EINVAL)
			fail_msg("\"%s\" was taken for a time", texts[i]);
	}
}

static void no_time_is_too_far(void **state)
{
	(void)state;
	assert_true(clock_seconds_of(1e300) == INT64_MAX);
	assert_true(clock_seconds_of(0x1p63) == INT64_MAX);
	assert_true(clock_seconds_of(-1e300) == INT64_MIN);
	assert_int_equal(clock_seconds_of(-1.5), -1);
	assert_int_equal(clock_seconds_of(1796004600.9), NOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_are_utc),
		cmocka_unit_test(durations_lie_before_now),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(no_time_is_too_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
