// SPDX-License-Identifier: GPL-2.0-or-later
/* Forecasts on made-up histories whose truth is known. */
#include "tests/unit/test.h"

#include "analyzer/history/changes.h"
#include "analyzer/history/forecast.h"
#include "analyzer/history/slope.h"
#include "analyzer/window/random.h"
#include "base/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define START  1700000000.0
#define POINTS 2600

struct series {
	struct forecast_point points[POINTS];
	size_t count;
	struct random random;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * M_PI * random_unit(random));
}

static void add(struct series *series, double day, double value)
{
	assert_true(series->count < POINTS);
	series->points[series->count++] =
		(struct forecast_point){START + day * SECONDS_PER_DAY, value};
}

/* Nightly scans of @level + @per_day a day, with noise of that standard deviation. */
static void add_nights(
	struct series *series, int first, int end, double level, double per_day, double noise)
{
	for (int day = first; day < end; day++)
		add(series, day + 0.01 * random_unit(&series->random),
			level + per_day * day + noise * normal(&series->random));
}

static struct forecast forecast(const struct series *series)
{
	struct forecast result;

	assert_int_equal(forecast_make(series->points, series->count, &result), 0);
	return result;
}

static double day_of(double seconds)
{
	return (seconds - START) / SECONDS_PER_DAY;
}

static void assert_near(double value, double truth, double tolerance)
{
	if (!(fabs(value - truth) <= tolerance))
		fail_msg("%g is not within %g of %g", value, tolerance, truth);
}

/* That the pace is known to be @truth, with it in the interval, from about day @since on. */
static void assert_pace(const struct series *series, double truth, double tolerance, double since)
{
	struct forecast result = forecast(series);

	assert_int_equal(result.state, FORECAST_MADE);
	assert_near(result.per_day, truth, tolerance);
	assert_true(result.low_per_day <= result.per_day);
	assert_true(result.per_day <= result.high_per_day);
	assert_near(day_of(result.since_seconds), since, 4);
	assert_true(result.changed == (since > 0));
}

static void a_straight_line(void **state)
{
	struct series series = {0};
	struct crossing crossing;
	struct forecast result;

	(void)state;
	for (int day = 0; day <= 60; day++)
		add(&series, day, 1000 + 10.0 * day);
	result = forecast(&series);
	assert_int_equal(result.state, FORECAST_MADE);
	assert_int_equal(result.scans, 61);
	assert_false(result.changed);
	assert_near(result.per_day, 10, 1e-9);
	assert_near(result.low_per_day, 10, 1e-9);
	assert_near(result.high_per_day, 10, 1e-9);
	forecast_crossing(&result, 2000, &crossing);
	assert_int_equal(crossing.state, CROSSING_AHEAD);
	assert_near(day_of(crossing.seconds), 100, 1e-3);
	assert_near(day_of(crossing.early_seconds), 100, 1e-3);
	assert_near(day_of(crossing.late_seconds), 100, 1e-3);
	forecast_crossing(&result, 10000, &crossing); /* day 900, and it reaches to day 240 */
	assert_int_equal(crossing.state, CROSSING_BEYOND);
	forecast_crossing(&result, 1500, &crossing);
	assert_int_equal(crossing.state, CROSSING_PAST);
}

static void noise_alone(void **state)
{
	struct series series = {.random.state = 5};

	(void)state;
	add_nights(&series, 0, 400, 1e6, 2000, 20000);
	assert_pace(&series, 2000, 100, 0);
}

static void a_step_up(void **state)
{
	struct series series = {.random.state = 6};

	(void)state;
	add_nights(&series, 0, 120, 1e6, 1000, 3000);
	add_nights(&series, 120, 180, 6e6, 1000, 3000);
	assert_pace(&series, 1000, 100, 120);
}

/* The culprit grew fast and was deleted; what is left grows slowly. */
static void a_deleted_culprit(void **state)
{
	struct series series = {.random.state = 7};
	struct crossing crossing;
	struct forecast result;

	(void)state;
	add_nights(&series, 0, 200, 1e6, 50000, 10000);
	add_nights(&series, 200, 260, 1e6, 500, 10000);
	assert_pace(&series, 500, 250, 200);
	result = forecast(&series);
	forecast_crossing(&result, 12e6, &crossing);
	assert_int_not_equal(crossing.state, CROSSING_AHEAD);
}

/* The morning after, nobody knows how it goes on; a week later still not. */
static void just_deleted(void **state)
{
	struct series series = {.random.state = 8};
	struct forecast result;

	(void)state;
	add_nights(&series, 0, 200, 1e6, 50000, 10000);
	for (int day = 200; day < 206; day++) {
		struct crossing crossing;

		add_nights(&series, day, day + 1, 1e6, 500, 10000);
		result = forecast(&series);
		assert_int_equal(result.state, FORECAST_CHANGED);
		assert_near(day_of(result.since_seconds), 200, 1);
		forecast_crossing(&result, 12e6, &crossing);
		assert_int_equal(crossing.state, CROSSING_NONE);
	}
}

/* Somebody starts to write: no step, only another pace. */
static void another_pace(void **state)
{
	struct series series = {.random.state = 9};

	(void)state;
	add_nights(&series, 0, 300, 5e6, 500, 10000);
	add_nights(&series, 300, 360, 5e6 - 300 * 19500.0, 20000, 10000);
	assert_pace(&series, 20000, 800, 300);
}

static void a_gap(void **state)
{
	struct series series = {.random.state = 10};

	(void)state;
	add_nights(&series, 0, 100, 1e6, 2000, 5000);
	add_nights(&series, 190, 230, 1e6, 2000, 5000);
	assert_pace(&series, 2000, 60, 0);
}

/* Jobs run on working days and are cleaned away on Saturdays. */
static void weekends(void **state)
{
	struct series series = {.random.state = 11};

	(void)state;
	for (int day = 0; day < 90; day++)
		add(&series, day,
			1e6 + 1000 * day + (day % 7 < 5 ? 40000 * (day % 7) : 0) +
				1000 * normal(&series.random));
	assert_pace(&series, 1000, 60, 0);
	series.count -= 3; /* at any day of the week */
	assert_pace(&series, 1000, 60, 0);
}

/* Temporary files of a night or two, and a scan that could not read half of it. */
static void values_that_stand_out(void **state)
{
	static const int days[] = {10, 33, 34, 60, 71, 72, 90};
	struct series series = {.random.state = 12};

	(void)state;
	add_nights(&series, 0, 100, 1e6, 1000, 2000);
	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++)
		series.points[days[i]].value *= i % 2 ? 3 : 0.5;
	assert_pace(&series, 1000, 60, 0);
}

/* A year of coming and going on top of a trend: it must not claim to see far. */
static void a_year(void **state)
{
	struct series series = {.random.state = 13};
	struct crossing crossing;
	struct forecast result;

	(void)state;
	for (int day = 0; day < 1000; day++)
		add(&series, day,
			1e6 + 1000 * day + 90000 * sin(day * 2 * M_PI / 365) +
				3000 * normal(&series.random));
	result = forecast(&series);
	assert_int_equal(result.state, FORECAST_MADE);
	forecast_crossing(&result, 4e6, &crossing); /* in truth on day 3000 */
	assert_int_not_equal(crossing.state, CROSSING_AHEAD);
}

/* Years that go alike: day @day of them. */
static double of_season(double day)
{
	return 1e6 + 1000 * day + 90000 * sin(day * 2 * M_PI / 365.25) +
	       (fmod(day, 365.25) > 250 ? 30000 : 0);
}

static void add_season(struct series *series, int end, double noise)
{
	for (int day = 0; day < end; day++)
		add(series, day, of_season(day) + noise * normal(&series->random));
}

/* Once it has come twice, a season is none of a trend, whenever one looks. */
static void a_season(void **state)
{
	(void)state;
	for (int end = 745; end < 1120; end += 15) {
		struct series series = {.random.state = 100 + (unsigned)end};
		struct forecast result;
		double low, high;

		add_season(&series, end, 3000);
		result = forecast(&series);
		assert_int_equal(result.state, FORECAST_MADE);
		assert_true(result.seasonal);
		assert_near(result.per_day, 1000, 60);
		assert_near(day_of(result.since_seconds), end - 731, 2);
		for (int ahead = 60; ahead <= 720; ahead += 60) {
			double truth = of_season(end + ahead);

			forecast_value(
				&result, START + (end + ahead) * SECONDS_PER_DAY, &low, &high);
			if (!(low <= truth && truth <= high))
				fail_msg("day %d + %d: %g is not from %g to %g", end, ahead, truth,
					low, high);
		}
	}
}

/* What has not come twice is no season: noise, a culprit come or gone, a year that is no other. */
static void no_season(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 100; seed++) {
		struct series series = {.random.state = seed};
		double noise = 0;

		for (int day = 0; day < 800; day++) {
			noise = 0.9 * noise + 8000 * normal(&series.random);
			add(&series, day, 1e6 + 300 * day + noise);
		}
		seen += forecast(&series).seasonal;
	}
	print_message("# a season seen in %u of 100 histories without one\n", seen);
	assert_true(seen <= 3);
	for (int end = 600; end < 1000; end += 40) {
		struct series series = {.random.state = (unsigned)end};

		add_season(&series, end, 1000);
		if (end < 735)
			assert_false(forecast(&series).seasonal);
		for (size_t i = series.count - 60; i < series.count; i++)
			series.points[i].value -= 700000; /* the culprit was deleted */
		assert_false(forecast(&series).seasonal);
		assert_true(forecast(&series).changed);
	}
}

static void weekly_scans(void **state)
{
	struct series series = {.random.state = 14};

	(void)state;
	for (int week = 0; week < 60; week++)
		add(&series, 7 * week, 1e6 + 7000.0 * week + 3000 * normal(&series.random));
	assert_pace(&series, 1000, 50, 0);
}

static void nothing_happens(void **state)
{
	struct series series = {0};
	struct crossing crossing;
	struct forecast result;

	(void)state;
	for (int day = 0; day < 50; day++)
		add(&series, day, 0);
	result = forecast(&series);
	assert_int_equal(result.state, FORECAST_MADE);
	assert_near(result.per_day, 0, 0);
	forecast_crossing(&result, 1, &crossing);
	assert_int_equal(crossing.state, CROSSING_NONE);
	assert_string_equal(crossing_state_name(&result, crossing.state), "never");
}

static void shrinking(void **state)
{
	struct series series = {.random.state = 15};
	struct crossing crossing;
	struct forecast result;

	(void)state;
	add_nights(&series, 0, 60, 1e6, -1000, 1000);
	assert_pace(&series, -1000, 40, 0);
	result = forecast(&series);
	forecast_crossing(&result, 1.1e6, &crossing);
	assert_int_equal(crossing.state, CROSSING_NONE);
}

static void too_little_history(void **state)
{
	struct series series = {0};
	struct crossing crossing;
	struct forecast result = forecast(&series);

	(void)state;
	assert_int_equal(result.state, FORECAST_NONE);
	forecast_crossing(&result, 0, &crossing);
	assert_int_equal(crossing.state, CROSSING_NONE);
	assert_string_equal(crossing_state_name(&result, crossing.state), "unknown");
	for (int day = 0; day < 4; day++) {
		add(&series, 30 * day, 100 * day);
		assert_int_equal(forecast(&series).state, FORECAST_SHORT);
	}
	result = forecast(&series);
	forecast_crossing(&result, 299, &crossing); /* that it is above is known all the same */
	assert_int_equal(crossing.state, CROSSING_PAST);
	add(&series, 120, 400);
	assert_int_equal(forecast(&series).state, FORECAST_MADE);
	memset(&series, 0, sizeof(series));
	for (int scan = 0; scan < 50; scan++) /* many, but of two days */
		add(&series, 0.04 * scan, 100 * scan);
	assert_int_equal(forecast(&series).state, FORECAST_SHORT);
}

/* Any order, several scans at once, a clock that stood still: no crash, no NaN. */
static void odd_times(void **state)
{
	struct series series = {.random.state = 16};
	struct forecast result;
	double low, high;

	(void)state;
	for (int day = 60; day >= 0; day--) {
		add(&series, day, 1000 + 10 * day);
		add(&series, day, 1000 + 10 * day);
	}
	result = forecast(&series);
	assert_int_equal(result.state, FORECAST_MADE);
	assert_near(result.per_day, 10, 1e-6);
	assert_near(
		forecast_value(&result, START + 100 * SECONDS_PER_DAY, &low, &high), 2000, 1e-3);
	memset(&series, 0, sizeof(series));
	for (int i = 0; i < 20; i++)
		add(&series, 5, i);
	assert_int_equal(forecast(&series).state, FORECAST_SHORT);
	memset(&series, 0, sizeof(series));
	for (int i = 0; i < 20; i++)
		add(&series, i < 19 ? -1e15 / SECONDS_PER_DAY : 5, 1e300 * i);
	result = forecast(&series);
	assert_false(isnan(result.per_day));
}

/* As many scans as anybody will have: in time, and by the newest of them. */
static void a_long_history(void **state)
{
	struct series series = {.random.state = 17};

	(void)state;
	add_nights(&series, 0, POINTS, 1e6, 1000, 30000);
	assert_near(forecast(&series).per_day, 1000, 60);
}

/* The interval keeps its word: true values and dates lie in it about as often as it says. */
static void coverage(void **state)
{
	unsigned inside = 0, values = 0, made = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct series series = {.random.state = seed};
		struct crossing crossing;
		struct forecast result;
		double low, high, truth = 1e6 + 2000 * 130;

		add_nights(&series, 0, 40 + seed % 60, 1e6, 2000, 8000);
		result = forecast(&series);
		if (result.state != FORECAST_MADE)
			continue;
		made++;
		forecast_value(&result, START + 130 * SECONDS_PER_DAY, &low, &high);
		values += low <= truth && truth <= high;
		forecast_crossing(&result, truth, &crossing);
		inside += day_of(crossing.early_seconds) <= 130 &&
			  130 <= day_of(crossing.late_seconds);
	}
	print_message("# made %u of 300, value %u, date %u\n", made, values, inside);
	assert_true(made >= 295);
	assert_true(values >= made * 92 / 100);
	assert_true(inside >= made * 92 / 100);
}

/* Noise that stays for some days is what real filesystems have; no false alarms of a change. */
static void noise_with_a_memory(void **state)
{
	unsigned changed = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 100; seed++) {
		struct series series = {.random.state = seed};
		double noise = 0;

		for (int day = 0; day < 120; day++) {
			noise = 0.5 * noise + 8000 * normal(&series.random);
			add(&series, day, 1e6 + 2000 * day + noise);
		}
		changed += forecast(&series).changed;
	}
	print_message("# changes seen in %u of 100 histories without one\n", changed);
	assert_true(changed <= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_straight_line),
		cmocka_unit_test(noise_alone),
		cmocka_unit_test(a_step_up),
		cmocka_unit_test(a_deleted_culprit),
		cmocka_unit_test(just_deleted),
		cmocka_unit_test(another_pace),
		cmocka_unit_test(a_gap),
		cmocka_unit_test(weekends),
		cmocka_unit_test(values_that_stand_out),
		cmocka_unit_test(a_year),
		cmocka_unit_test(a_season),
		cmocka_unit_test(no_season),
		cmocka_unit_test(weekly_scans),
		cmocka_unit_test(nothing_happens),
		cmocka_unit_test(shrinking),
		cmocka_unit_test(too_little_history),
		cmocka_unit_test(odd_times),
		cmocka_unit_test(a_long_history),
		cmocka_unit_test(coverage),
		cmocka_unit_test(noise_with_a_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
