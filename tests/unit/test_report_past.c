// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports on more than one scan, and for monitoring, compared with golden files. Forecasts are put
 * in by hand: how they are made is the business of another test.
 */
#include "tests/unit/test.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "reports/check.h"
#include "reports/sparkline.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_checks.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NIGHTS 40

/* A fixture with a past. */
struct past {
	struct fixture fixture;
	struct trend trend;
	struct growth growth;
};

static struct forecast made(double per_day, double value, int64_t now)
{
	return (struct forecast){
		.state = FORECAST_MADE,
		.scans = NIGHTS / 2,
		.since_seconds = (double)now - NIGHTS / 2.0 * SECONDS_PER_DAY,
		.until_seconds = (double)now,
		.changed = true,
		.last_value = value,
		.per_day = per_day,
		.low_per_day = per_day / 2,
		.high_per_day = per_day * 1.5,
		.centre_seconds = (double)now,
		.centre_value = value,
		.spread = fabs(per_day),
		.horizon_seconds = (double)now + 60.0 * SECONDS_PER_DAY,
	};
}

static void add_nights(struct past *past, unsigned nights)
{
	const struct scan_info *scan = &past->fixture.scan;

	for (unsigned i = 0; i < nights; i++) {
		struct history_scan *night = history_add(&past->trend.history);
		const struct cube_key tiny = {.kind = KIND_REGULAR, .size_class = 11};
		const struct cube_key big = {.kind = KIND_REGULAR, .size_class = 31};

		assert_non_null(night);
		night->scan_id = i + 1;
		night->started_seconds =
			scan->started_seconds - (int64_t)(nights - 1 - i) * SECONDS_PER_DAY;
		night->errors = i % 3;
		night->has_window = past->fixture.input.prediction;
		night->window_seconds = 40000 + 640.0 * i;
		assert_int_equal(cube_add(&night->cube, &tiny,
					 &(struct cube_sums){1000000 + 500000 * i,
						 2000000000ULL * i, 5000000000ULL * i, 1, 1}),
			0);
		assert_int_equal(cube_add(&night->cube, &big,
					 &(struct cube_sums){100 - i, (100ULL - i) << 30,
						 (100ULL - i) << 30, 1, 1}),
			0);
	}
	history_total(&past->trend.history, scan->tiny_bytes);
}

static void set_growth(struct growth *growth, const struct fixture *fixture)
{
	const struct growth_user users[] = {
		{0, {10, 5, 1000, 4096, 1}, {10, 5, 1000, 4096, 1}},
		{2041, {100000, 90000, 5000000, 90000000, 600},
			{13100000, 13000000, 31ULL << 30, 60ULL << 30, 32520}},
		{2177, {11500000, 11400000, 19ULL << 30, 40ULL << 30, 28000},
			{11000000, 10900000, 18ULL << 30, 38ULL << 30, 27240}},
		{3001, {1000, 10, 1ULL << 40, 1ULL << 40, 900}, {0, 0, 0, 0, 0}},
		{3002, {0, 0, 0, 0, 0}, {1, 0, UINT64_MAX, UINT64_MAX, 0.25}},
	};

	*growth = (struct growth){
		.before_scan_id = 7,
		.before_seconds = fixture->scan.started_seconds - 20 * SECONDS_PER_DAY,
		.after_scan_id = fixture->scan.scan_id,
		.after_seconds = fixture->scan.started_seconds,
		.has_seconds = fixture->input.prediction,
		.count = ARRAY_LENGTH(users),
		.users = malloc(sizeof(users)),
	};
	memcpy(growth->users, users, sizeof(users));
}

static void past_init(struct past *past, const char *name)
{
	struct forecast *forecasts = past->trend.forecasts;
	struct fixture *fixture = &past->fixture;
	int64_t now;

	memset(past, 0, sizeof(*past));
	fixture_init(fixture, name);
	now = fixture->scan.started_seconds;
	if (!strcmp(name, "array")) {
		add_nights(past, NIGHTS);
		forecasts[HISTORY_FILES] = made(500000, 20500060, now);
		forecasts[HISTORY_TINY_FILES] = made(500000, 20500000, now);
		forecasts[HISTORY_BYTES] = made(-1048576, 68719476736, now);
		forecasts[HISTORY_WINDOW] = made(640, 64960, now);
		set_growth(&past->trend.growth, fixture);
		set_growth(&past->growth, fixture);
	} else if (!strcmp(name, "one")) {
		add_nights(past, 1);
		for (int i = 0; i < HISTORY_WINDOW; i++)
			forecasts[i] = (struct forecast){.state = FORECAST_SHORT,
				.scans = 1,
				.since_seconds = (double)now,
				.until_seconds = (double)now};
	} else if (!strcmp(name, "odd")) {
		add_nights(past, 9);
		for (int i = 0; i < HISTORY_WINDOW; i++)
			forecasts[i] = (struct forecast){.state = FORECAST_CHANGED,
				.scans = 3,
				.since_seconds = (double)now - 2.0 * SECONDS_PER_DAY,
				.until_seconds = (double)now,
				.changed = true};
		set_growth(&past->growth, fixture);
	} else if (!strcmp(name, "huge")) {
		for (int i = 0; i < HISTORY_MEASURES; i++)
			forecasts[i] = made(1e300, 1e305, now);
		set_growth(&past->growth, fixture);
		set_growth(&past->trend.growth, fixture);
	}
	fixture->input.trend = &past->trend;
	fixture->input.growth = &past->growth;
}

static void past_fini(struct past *past)
{
	trend_fini(&past->trend);
	growth_fini(&past->growth);
	fixture_fini(&past->fixture);
}

static int check(const struct report_input *input, struct document *document, struct err *err)
{
	const struct check_limits limits = {
		.window = {true, true, 3600, 28800},
		.user_tiny = {true, false, 0, 1000000},
		.age = {.given = true, .critical = 129600},
	};
	enum check_state state;

	return report_check(input, &limits, sat_add_i64(input->scan->started_seconds, 7200),
		document, &state, err);
}

static const struct {
	const char *name;
	report_fn make;
} reports[] = {
	{"trend", report_trend},
	{"growth", report_growth},
	{"metrics", report_metrics},
	{"check", check},
};

/* --- Golden files -------------------------------------------------------------------------- */

static void check_golden(const char *name, const char *suffix, struct render_options options,
	const struct report_options *others)
{
	char *text = NULL, *file = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < ARRAY_LENGTH(reports); i++) {
		struct past past;
		autofree char *one = NULL;

		if (options.format == RENDER_OPENMETRICS && reports[i].make != report_metrics)
			continue;
		if (others && reports[i].make != report_trend)
			continue;
		past_init(&past, name);
		past.fixture.options.top = 4;
		if (others) {
			past.fixture.options.has_limit = others->has_limit;
			past.fixture.options.limit_seconds = others->limit_seconds;
			past.fixture.options.band_edges = others->band_edges;
			memcpy(past.fixture.options.bands, others->bands, sizeof(others->bands));
		}
		one = report_text(reports[i].make, &past.fixture, options);
		if (options.format == RENDER_OPENMETRICS)
			fputs(one, out);
		else
			fprintf(out, "== %s ==\n%s\n", reports[i].name, one);
		past_fini(&past);
	}
	fclose(out);
	assert_true(asprintf(&file, "past-%s", name) > 0);
	golden_check(file, suffix, text);
	free(file);
	free(text);
}

static void golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixture_count; i++) {
		check_golden(fixture_names[i], "txt", (struct render_options){.width = 80}, NULL);
		check_golden(fixture_names[i], "json",
			(struct render_options){.format = RENDER_JSON}, NULL);
		check_golden(fixture_names[i], "csv", (struct render_options){.format = RENDER_CSV},
			NULL);
		check_golden(fixture_names[i], "prom",
			(struct render_options){.format = RENDER_OPENMETRICS}, NULL);
	}
	check_golden(
		"array", "exact.txt", (struct render_options){.width = 200, .exact = true}, NULL);
}

static void golden_with_a_limit(void **state)
{
	static const struct {
		const char *suffix;
		double limit_seconds;
	} limits[] = {{"past.txt", 28800}, {"ahead.txt", 80000}, {"beyond.txt", 800000}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(limits); i++)
		check_golden("array", limits[i].suffix, (struct render_options){0},
			&(struct report_options){
				.has_limit = true, .limit_seconds = limits[i].limit_seconds});
	check_golden("array", "limit.json", (struct render_options){.format = RENDER_JSON},
		&(struct report_options){.has_limit = true, .limit_seconds = 80000});
	check_golden("one", "limit.txt", (struct render_options){0},
		&(struct report_options){.has_limit = true, .limit_seconds = 80000});
	check_golden("array", "bands.csv", (struct render_options){.format = RENDER_CSV},
		&(struct report_options){.band_edges = 2, .bands = {4096, 1 << 20}});
}

/* A season is told of, and so are scans left out since a clock was wrong. */
static void a_season_and_a_wrong_clock(void **state)
{
	struct past past;
	autofree char *text = NULL;
	struct forecast *window = &past.trend.forecasts[HISTORY_WINDOW];

	(void)state;
	past_init(&past, "array");
	past.trend.later = 2;
	window->seasonal = true;
	window->low_per_day = -60;
	text = report_text(report_trend, &past.fixture, (struct render_options){0});
	assert_non_null(strstr(text,
		"The backup window: +10 min 40 a day over whole years since 2026-11-10. Each year "
		"goes the same way, at −60 s to +16 min 00 a day in its months: the forecast is "
		"for years, not for the season.\n"));
	assert_non_null(strstr(text,
		"\nLeft out: 2 scans taken before this scan but dated after it. A clock was "
		"wrong.\n"));
	past_fini(&past);
}

/* --- What holds of every report ------------------------------------------------------------ */

static void for_each_report(
	struct render_options options, void (*check_text)(const char *, const char *))
{
	for (size_t i = 0; i < fixture_count; i++) {
		for (size_t j = 0; j < ARRAY_LENGTH(reports); j++) {
			struct past past;
			autofree char *text = NULL;

			past_init(&past, fixture_names[i]);
			text = report_text(reports[j].make, &past.fixture, options);
			check_text(reports[j].name, text);
			past_fini(&past);
		}
	}
}

/* As check_report_json(), of a report that has rows. */
static void check_rows_json(const char *name, const char *text)
{
	if (!strcmp(name, "trend") || !strcmp(name, "growth"))
		check_report_json(name, text);
}

/* Labels hold only printable characters, with quotes and backslashes escaped; one sample a line. */
static void check_openmetrics(const char *name, const char *text)
{
	const char *end = strstr(text, "# EOF\n");

	check_report_printable(name, text);
	if (strcmp(name, "metrics") != 0)
		return;
	assert_non_null(end);
	assert_string_equal(end, "# EOF\n");
	for (const char *line = text; line < end; line = strchr(line, '\n') + 1) {
		const char *at = strchr(line, '{');

		if (*line == '#')
			continue;
		assert_int_equal(strncmp(line, "xfscensus_", 10), 0);
		for (; at && *at != '\n' && *at != '}'; at += at[1] != '\0') {
			if (*at != '"')
				continue;
			for (at++; *at != '"'; at++) { /* to the end of the value */
				assert_true(*at && *at != '\n');
				at += *at == '\\';
			}
		}
		assert_true(at && *at == '}');
	}
}

static void all_formats_are_sound(void **state)
{
	(void)state;
	for_each_report((struct render_options){.format = RENDER_JSON}, check_rows_json);
	for_each_report((struct render_options){.format = RENDER_CSV}, check_report_csv);
	for_each_report((struct render_options){.width = 0}, check_report_printable);
	for_each_report((struct render_options){.width = 30}, check_report_printable);
	for_each_report((struct render_options){.format = RENDER_OPENMETRICS}, check_openmetrics);
}

/* However many users there are, --top bounds the series, and they add up to all. */
static void metrics_are_bounded(void **state)
{
	struct past past;
	unsigned long long all = 0;
	size_t lines = 0;

	(void)state;
	past_init(&past, "array");
	for (uint32_t uid = 10000; uid < 15000; uid++)
		fixture_add(&past.fixture, uid, KIND_REGULAR, 10, 100, 0);
	past.fixture.options.top = 20;
	{
		autofree char *text = report_text(report_metrics, &past.fixture,
			(struct render_options){.format = RENDER_OPENMETRICS});

		for (const char *at = text; (at = strstr(at, "\nxfscensus_user_files{")); at++) {
			all += strtoull(strstr(at, "} ") + 2, NULL, 10);
			lines++;
		}
		assert_true(strlen(text) < 40000);
	}
	assert_int_equal(lines, 21);
	assert_int_equal(all, 24591945 + 50000);
	past_fini(&past);
}

/* --- check --------------------------------------------------------------------------------- */

/* The state, and in *@line what the monitoring system gets; to be freed. */
static enum check_state judge(
	struct past *past, const struct check_limits *limits, int64_t age, char **line)
{
	const struct report_input *input = &past->fixture.input;
	struct document document;
	enum check_state state;
	struct err err = {0};

	assert_int_equal(report_check(input, limits, sat_add_i64(input->scan->started_seconds, age),
				 &document, &state, &err),
		0);
	assert_int_equal(document.before_count, 1);
	*line = strdup(document.before[0]);
	assert_null(strchr(*line, '\n'));
	assert_ptr_equal(strchr(*line, '|'), strrchr(*line, '|'));
	document_fini(&document);
	return state;
}

static void assert_judged(const char *fixture, struct check_limits limits, int64_t age,
	enum check_state state, const char *part)
{
	struct past past;
	autofree char *line = NULL;

	past_init(&past, fixture);
	assert_int_equal(judge(&past, &limits, age, &line), state);
	if (!strstr(line, part))
		fail_msg("\"%s\" lacks \"%s\"", line, part);
	past_fini(&past);
}

static void thresholds(void **state)
{
	const struct check_threshold none = {0};

	(void)state;
	assert_judged("array", (struct check_limits){0}, 60, CHECK_OK,
		"XFSCENSUS OK - /srv/home: backup window 18 h 14; ");
	assert_judged("array", (struct check_limits){.window = {true, true, 65640, 65640}}, 60,
		CHECK_OK, "window=65640s;65640;65640;0");
	assert_judged("array", (struct check_limits){.window = {true, true, 65639, 65640}}, 60,
		CHECK_WARNING, "XFSCENSUS WARNING - /srv/home: backup window 18 h 14, above");
	assert_judged("array", (struct check_limits){.window = {true, true, 1, 65639}}, 60,
		CHECK_CRITICAL, "above 18 h 14 |");
	assert_judged("array", (struct check_limits){.user_tiny = {true, false, 0, 1e6}}, 60,
		CHECK_CRITICAL, "uid 2041 has 13.0 M tiny files, above 1.0 M |");
	assert_judged("array", (struct check_limits){.growth = {true, true, 100000, 1e6}}, 60,
		CHECK_WARNING, "uid 2041 gained 645.5 k tiny files a day, above 100.0 k |");
	assert_judged("array", (struct check_limits){.age = {true, false, 0, 129600}}, 129600,
		CHECK_OK, "scan 36 h 00 old |");
	assert_judged("array", (struct check_limits){.age = {true, false, 0, 129600}}, 129601,
		CHECK_CRITICAL, "age=129601s;;129600;0");
	/* digits only, whatever the size */
	assert_judged("array", (struct check_limits){.user_tiny = {true, true, 0.5, 1e19}}, 60,
		CHECK_WARNING, "user_tiny=13000000;0.5;10000000000000000000;0");
	/* a clock may be a little behind; a scan of tomorrow has no age */
	assert_judged("array", (struct check_limits){.age = {true, false, 0, 129600}}, -60,
		CHECK_OK, " age=0s;;129600;0");
	assert_judged("array", (struct check_limits){.age = {true, false, 0, 129600}}, -86400,
		CHECK_UNKNOWN, "the newest scan is dated 24 h 00 ahead: a clock is or was wrong |");
	/* the worst counts, and what is worse than nothing is told */
	assert_judged("array",
		(struct check_limits){{true, true, 1, 1e9}, {true, false, 0, 1}, none, none}, 60,
		CHECK_CRITICAL, "backup window 18 h 14, above 1.0 s; uid 2041");
}

static void what_is_not_known(void **state)
{
	(void)state;
	assert_judged("empty", (struct check_limits){.window = {true, false, 0, 1}}, 60,
		CHECK_UNKNOWN, "XFSCENSUS UNKNOWN - ");
	assert_judged("empty", (struct check_limits){.window = {true, false, 0, 1}}, 60,
		CHECK_UNKNOWN, "no backup window is known: calibrate first |");
	assert_judged("empty", (struct check_limits){.growth = {true, false, 0, 1}}, 60, CHECK_OK,
		"no user has a file");
	assert_judged("one",
		(struct check_limits){.window = {true, false, 0, 1}, .age = {true, true, 1, 1000}},
		60, CHECK_WARNING, "no backup window is known");
}

/* No name of a user or a path can break the line, or forge numbers after the bar. */
static void a_hostile_name(void **state)
{
	struct past past;
	autofree char *line = NULL;

	(void)state;
	past_init(&past, "odd");
	free(past.fixture.scan.mount_point);
	past.fixture.scan.mount_point = strdup("/mnt/a|window=0s\n");
	assert_int_equal(judge(&past, &(struct check_limits){0}, 60, &line), CHECK_OK);
	assert_non_null(strstr(line, "/mnt/a\\x7cwindow=0s\\x0a: "));
	past_fini(&past);
}

/* --- Sparklines ---------------------------------------------------------------------------- */

static void sparklines(void **state)
{
	struct forecast_point points[100];
	char out[SPARKLINE_BYTES];

	(void)state;
	for (int i = 0; i < 100; i++)
		points[i] = (struct forecast_point){1000.0 * i, i};
	assert_string_equal(sparkline(points, 0, out), "");
	assert_string_equal(sparkline(points, 1, out), "▁");
	assert_string_equal(sparkline(points, 8, out), "▁▂▃▄▅▆▇█");
	assert_string_equal(
		sparkline((const struct forecast_point[]){{0, 100}, {1, 100.9}}, 2, out), "▁▁");
	assert_string_equal(
		sparkline((const struct forecast_point[]){{0, 100}, {1, 101.1}}, 2, out), "▁█");
	assert_int_equal(strlen(sparkline(points, 100, out)), 3 * SPARKLINE_COLUMNS);
	for (int i = 0; i < 100; i++)
		points[i].value = 5; /* all the same */
	assert_string_equal(sparkline(points, 3, out), "▁▁▁");
	points[2].seconds = 9000;
	points[2].value = 9;
	points[3].seconds = 10000;
	points[3].value = 7;
	assert_string_equal(sparkline(points, 4, out), "▁  ▅");
	for (int i = 0; i < 4; i++)
		points[i].seconds = 0; /* all at once */
	assert_int_equal(strlen(sparkline(points, 4, out)), 3 + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(golden_with_a_limit),
		cmocka_unit_test(a_season_and_a_wrong_clock),
		cmocka_unit_test(all_formats_are_sound),
		cmocka_unit_test(metrics_are_bounded),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(a_hostile_name),
		cmocka_unit_test(sparklines),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
