// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>

static void sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0},
		{"4096", 4096},
		{"4K", 4096},
		{"4k", 4096},
		{"4KiB", 4096},
		{"4KB", 4096},
		{"1.5M", 3 << 19},
		{"1G", 1 << 30},
		{"15E", 15ULL << 60},
		{"18446744073709551615", UINT64_MAX},
	};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(unit_parse_bytes(good[i].text, &bytes), 0);
		assert_true(bytes == good[i].bytes);
	}
	assert_int_equal(unit_parse_bytes("16E", &bytes), -ERANGE);
	assert_int_equal(unit_parse_bytes("18446744073709551616", &bytes), -ERANGE);
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "K", "4KK", "4iB", "0x10",
		"1.5", "1.K", ".5K", "4B2", "1e3"};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(unit_parse_bytes(bad[i], &bytes), -EINVAL);
}

static void durations_are_read(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} good[] = {{"90", 90}, {"90s", 90}, {"1h30m", 5400}, {"5min", 300}, {"1.5h", 5400},
		{"2d", 172800}, {"1w", 604800}, {"0.5", 0.5}};
	static const char *const bad[] = {"", "h", "1h30", "1x", "-1", "1 h", "1.h"};
	double seconds;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(unit_parse_seconds(good[i].text, &seconds), 0);
		assert_true(fabs(seconds - good[i].seconds) < 1e-9);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(unit_parse_seconds(bad[i], &seconds), -EINVAL);
}

static void counts_are_read(void **state)
{
	uint64_t count;

	(void)state;
	assert_int_equal(unit_parse_count("1M", &count), 0);
	assert_int_equal(count, 1000000);
	assert_int_equal(unit_parse_count("250k", &count), 0);
	assert_int_equal(count, 250000);
	assert_int_equal(unit_parse_count("1.5M", &count), -EINVAL);
	assert_int_equal(unit_parse_count("99999999999G", &count), -ERANGE);
}

#define check_text(call, expected) assert_string_equal(call, expected)

static void numbers_are_short_for_people(void **state)
{
	char out[UNIT_TEXT_BYTES];

	(void)state;
	check_text(unit_format_bytes(0, out), "0 B");
	check_text(unit_format_bytes(999, out), "999 B");
	check_text(unit_format_bytes(1000, out), "1.0 KiB");
	check_text(unit_format_bytes(4096, out), "4 KiB");
	check_text(unit_format_bytes(10189, out), "10 KiB"); /* 9.95 rounds up */
	check_text(unit_format_bytes(31ULL << 30, out), "31 GiB");
	check_text(unit_format_bytes(1023ULL << 30, out), "1.0 TiB");
	check_text(unit_format_bytes(UINT64_MAX, out), "16 EiB");
	check_text(unit_format_bytes(INT64_MAX - 1ULL, out), "8 EiB");
	check_text(unit_format_bytes(INT64_MAX, out), "≥ 8 EiB"); /* where a stored sum stops */
	check_text(unit_format_bytes(INT64_MAX + 1ULL, out), "8 EiB");
	check_text(unit_format_count(999, out), "999");
	check_text(unit_format_count(9999, out), "9 999");
	check_text(unit_format_count(1000, out), "1 000");
	check_text(unit_format_count(13100000, out), "13.1 M");
	check_text(unit_format_count(999999, out), "1.0 M");
	check_text(unit_format_count(UINT64_MAX, out), "18.4 E");
	check_text(unit_format_rate(800e3, out), "800 KB/s");
	check_text(unit_format_rate(4e6, out), "4.0 MB/s");
	check_text(unit_format_rate(0, out), "0.0 B/s");
}

static void durations_are_short_for_people(void **state)
{
	char out[UNIT_TEXT_BYTES];

	(void)state;
	check_text(unit_format_seconds(0, out), "0.0 s");
	check_text(unit_format_seconds(0.000001, out), "<10 µs");
	check_text(unit_format_seconds(0.000025, out), "25 µs");
	check_text(unit_format_seconds(0.00125, out), "1.2 ms");
	check_text(unit_format_seconds(0.025, out), "25 ms");
	check_text(unit_format_seconds(0.84, out), "0.8 s");
	check_text(unit_format_seconds(58.3, out), "58 s");
	check_text(unit_format_seconds(119.6, out), "2 min 00");
	check_text(unit_format_seconds(250, out), "4 min 10");
	check_text(unit_format_seconds(3599.7, out), "1 h 00");
	check_text(unit_format_seconds(18 * 3600 + 14 * 60, out), "18 h 14");
	check_text(unit_format_seconds(76 * 3600, out), "3 d 4 h");
	check_text(unit_format_seconds(NAN, out), "unknown");
	check_text(unit_format_seconds(INFINITY, out), "for ever");
}

static void shares_are_whole_only_where_exact(void **state)
{
	char out[UNIT_TEXT_BYTES];

	(void)state;
	check_text(unit_format_share(0, 10, out), "0 %");
	check_text(unit_format_share(1, 1000, out), "<1 %");
	check_text(unit_format_share(54, 100, out), "54 %");
	check_text(unit_format_share(999, 1000, out), ">99 %");
	check_text(unit_format_share(5, 5, out), "100 %");
	check_text(unit_format_share(1, 0, out), "0 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(durations_are_read),
		cmocka_unit_test(counts_are_read),
		cmocka_unit_test(numbers_are_short_for_people),
		cmocka_unit_test(durations_are_short_for_people),
		cmocka_unit_test(shares_are_whole_only_where_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
