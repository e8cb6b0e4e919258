// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every report on every filesystem of report_fixture.c in every format, compared byte by byte with
 * golden files; and what must hold of each whatever it says: JSON loads, CSV is strict, text has no
 * control characters.
 */
#include "tests/unit/test.h"

#include "base/cleanup.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/report_checks.h"

#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int users(const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_USER, document, err);
}

static int groups(const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_GROUP, document, err);
}

static int projects(const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_PROJECT, document, err);
}

/* Without a prediction there is nothing to report: an empty document stands for it. */
static int predict(const struct report_input *input, struct document *document, struct err *err)
{
	document_init(document, "predict");
	return input->prediction ? report_prediction(input, document, err) : 0;
}

static int scans(const struct report_input *input, struct document *document, struct err *err)
{
	struct census_totals totals;

	census_total(input->cube, input->scan->tiny_bytes, &totals);
	return report_scans(input->scan, &totals, cube_count(input->cube) > 0, document, err);
}

static int calibrations(
	const struct report_input *input, struct document *document, struct err *err)
{
	return report_calibrations(
		input->calibration, input->calibration->cell_count > 0, document, err);
}

static const struct {
	const char *name;
	report_fn make;
} reports[] = {
	{"summary", report_summary},
	{"scan", report_scan},
	{"users", users},
	{"groups", groups},
	{"projects", projects},
	{"classes", report_classes},
	{"ages", report_ages},
	{"calibrate", report_calibration},
	{"predict", predict},
	{"scans", scans},
	{"calibrations", calibrations},
};

/* --- Golden files -------------------------------------------------------------------------- */

/* All reports on a filesystem, one below the other. */
static char *render_all(const char *fixture_name, struct render_options options)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < ARRAY_LENGTH(reports); i++) {
		struct fixture fixture;
		autofree char *one = NULL;

		fixture_init(&fixture, fixture_name);
		fixture.options.top = options.format == RENDER_TEXT ? 0 : 4;
		if (options.format == RENDER_TEXT && strcmp(reports[i].name, "summary"))
			fixture.options.top = 12;
		one = report_text(reports[i].make, &fixture, options);
		fprintf(out, "== %s ==\n%s\n", reports[i].name, one);
		fixture_fini(&fixture);
	}
	fclose(out);
	return text;
}

static void check_golden(
	const char *fixture_name, const char *suffix, struct render_options options)
{
	autofree char *text = render_all(fixture_name, options);

	golden_check(fixture_name, suffix, text);
}

static void golden_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixture_count; i++)
		check_golden(fixture_names[i], "txt", (struct render_options){.width = 80});
	check_golden("array", "width40.txt", (struct render_options){.width = 40});
	check_golden("array", "width200.txt", (struct render_options){.width = 200});
	check_golden("array", "exact.txt", (struct render_options){.width = 120, .exact = true});
	check_golden("odd", "width40.txt", (struct render_options){.width = 40});
}

static void golden_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixture_count; i++) {
		check_golden(
			fixture_names[i], "json", (struct render_options){.format = RENDER_JSON});
		check_golden(
			fixture_names[i], "csv", (struct render_options){.format = RENDER_CSV});
	}
}

/* --- What holds of every report ------------------------------------------------------------ */

static void for_each_report(
	struct render_options options, void (*check)(const char *, const char *))
{
	for (size_t i = 0; i < fixture_count; i++) {
		for (size_t j = 0; j < ARRAY_LENGTH(reports); j++) {
			struct fixture fixture;
			autofree char *text = NULL;

			fixture_init(&fixture, fixture_names[i]);
			text = report_text(reports[j].make, &fixture, options);
			check(reports[j].name, text);
			fixture_fini(&fixture);
		}
	}
}

static void json_loads_without_duplicates(void **state)
{
	(void)state;
	for_each_report((struct render_options){.format = RENDER_JSON}, check_report_json);
}

static void csv_is_strict(void **state)
{
	(void)state;
	for_each_report((struct render_options){.format = RENDER_CSV}, check_report_csv);
}

static void text_is_printable(void **state)
{
	(void)state;
	for_each_report((struct render_options){.width = 0}, check_report_printable);
	for_each_report((struct render_options){.width = 40}, check_report_printable);
	for_each_report((struct render_options){.width = 1}, check_report_printable);
}

/* Without a locale the layout may suffer, the terminal not. */
static void text_is_printable_in_the_c_locale(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C");
	for_each_report((struct render_options){.width = 80}, check_report_printable);
	setlocale(LC_CTYPE, "C.UTF-8");
}

static json_t *load(report_fn make, const struct fixture *fixture)
{
	autofree char *text =
		report_text(make, fixture, (struct render_options){.format = RENDER_JSON});
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

/* --- Options ------------------------------------------------------------------------------- */

static void names_are_looked_up_for_shown_rows_only(void **state)
{
	struct fixture fixture;
	autofree char *text = NULL;

	(void)state;
	fixture_init(&fixture, "array");
	fixture.options.top = 3;
	text = report_text(users, &fixture, (struct render_options){.format = RENDER_CSV});
	assert_int_equal(fixture.lookups, 3);
	fixture_fini(&fixture);
}

static void sorting_by_name_looks_up_all(void **state)
{
	struct fixture fixture;
	json_t *json, *row;

	(void)state;
	fixture_init(&fixture, "array");
	fixture.options.top = 1;
	fixture.options.sort = "name";
	json = load(users, &fixture);
	row = json_array_get(json_object_get(json, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "root");
	assert_int_equal(fixture.lookups, 213);
	json_decref(json);
	fixture_fini(&fixture);
}

static void unknown_sort_key_is_refused(void **state)
{
	static const size_t sortable[] = {0, 2, 3, 4, 5, 6, 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(sortable); i++) {
		struct document document;
		struct fixture fixture;
		struct err err = {0};

		fixture_init(&fixture, "array");
		fixture.options.sort = "tiny_share\n";
		assert_int_equal(
			reports[sortable[i]].make(&fixture.input, &document, &err), -EINVAL);
		assert_non_null(strstr(err.message, "no column \"tiny_share\\x0a\" to sort by"));
		assert_non_null(strstr(err.message, "seconds") ?: strstr(err.message, "files"));
		document_fini(&document);
		fixture_fini(&fixture);
	}
}

static void check_bands_refused(const uint64_t *bands, size_t count, const char *message)
{
	struct document document;
	struct fixture fixture;
	struct err err = {0};

	fixture_init(&fixture, "array");
	fixture.options.band_edges = count;
	memcpy(fixture.options.bands, bands, count * sizeof(*bands));
	assert_int_equal(report_classes(&fixture.input, &document, &err), -EINVAL);
	assert_non_null(strstr(err.message, message));
	document_fini(&document);
	fixture_fini(&fixture);
}

static void senseless_bands_are_refused(void **state)
{
	(void)state;
	check_bands_refused((const uint64_t[]){0}, 1, "0 is no power of two");
	check_bands_refused((const uint64_t[]){4096, 5000}, 2, "5000 is no power of two");
	check_bands_refused((const uint64_t[]){4096, 4096}, 2, "4096 is not above");
	check_bands_refused((const uint64_t[]){8192, 4096}, 2, "ascending");
}

static void bands_fold_classes_and_lose_nothing(void **state)
{
	struct fixture fixture;
	json_t *json, *rows, *row;
	json_int_t files = 0;
	size_t i;

	(void)state;
	fixture_init(&fixture, "array");
	fixture.options.band_edges = 2;
	fixture.options.bands[0] = 1;
	fixture.options.bands[1] = 4096;
	json = load(report_classes, &fixture);
	rows = json_object_get(json, "rows");
	assert_int_equal(json_array_size(rows), 3);
	row = json_array_get(rows, 0);
	assert_int_equal(json_integer_value(json_object_get(row, "files")), 50000);
	assert_true(json_is_null(json_object_get(row, "class")));
	json_array_foreach(rows, i, row) files += json_integer_value(json_object_get(row, "files"));
	assert_int_equal(files, 13000000 + 100000 + 10900000 + 100000 + 50000 + 210000 +
					(1000 * 210 + 209 * 210 / 2));
	json_decref(json);
	fixture_fini(&fixture);
}

/* Every report of one user says what that user has, and nothing of others. */
static void user_filter_holds_everywhere(void **state)
{
	static const size_t filtered[] = {0, 2, 3, 4, 5, 6};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(filtered); i++) {
		struct fixture fixture;
		json_int_t files = 0;
		json_t *json, *row;
		size_t index;

		fixture_init(&fixture, "array");
		fixture.options.has_user = true;
		fixture.options.user = 2177;
		json = load(reports[filtered[i]].make, &fixture);
		assert_int_equal(json_integer_value(json_object_get(json, "user")), 2177);
		json_array_foreach(json_object_get(json, "rows"), index, row) files +=
			json_integer_value(json_object_get(row, "files"));
		assert_int_equal(files, 11000000);
		json_decref(json);
		fixture_fini(&fixture);
	}
}

static void ties_go_by_id(void **state)
{
	static const uint32_t uids[] = {7, 3, 9, 1};
	static const int sorted[] = {1, 3, 7, 9};
	struct fixture fixture;
	json_t *json;

	(void)state;
	fixture_init(&fixture, "empty");
	for (size_t i = 0; i < ARRAY_LENGTH(uids); i++)
		fixture_add(&fixture, uids[i], KIND_REGULAR, 5, 10, 0);
	fixture.options.sort = "bytes";
	json = load(users, &fixture);
	for (size_t i = 0; i < 4; i++) {
		json_t *row = json_array_get(json_object_get(json, "rows"), i);

		assert_int_equal(json_integer_value(json_object_get(row, "id")), sorted[i]);
	}
	json_decref(json);
	fixture_fini(&fixture);
}

/* Cells lie in one period whole and in none twice, at every resolution. */
static void ages_lose_nothing(void **state)
{
	(void)state;
	for (int resolution = AGES_BY_AGE; resolution <= AGES_NONE; resolution++) {
		struct fixture fixture;
		json_int_t files = 0;
		json_t *json, *row;
		size_t i;

		fixture_init(&fixture, "empty");
		fixture.ages.resolution = (enum ages_resolution)resolution;
		for (int64_t days = -800; days < 5000; days++)
			fixture_add(&fixture, 1, KIND_REGULAR, 1, 10, days);
		json = load(report_ages, &fixture);
		json_array_foreach(json_object_get(json, "rows"), i, row) files +=
			json_integer_value(json_object_get(row, "files"));
		assert_int_equal(files, 5800);
		json_decref(json);
		fixture_fini(&fixture);
	}
}

/* Where there are no files, none are small or scattered; a sink can be slow all the same. */
static void no_files_no_contents_to_blame(void **state)
{
	const struct render_options options = {.format = RENDER_TEXT, .width = 200};
	autofree char *text = NULL, *slow = NULL;
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, "empty");
	fixture.prediction = (struct prediction){.seconds = 0.01,
		.low_seconds = 0.005,
		.high_seconds = 0.02,
		.dump_bytes = 21000,
		.bottleneck = "contents",
		.verdict = {.cause = CAUSE_CONTENTS, .seconds = {0.01, 0, 0, 0}}};
	fixture.input.prediction = &fixture.prediction;
	text = report_text(report_prediction, &fixture, options);
	assert_non_null(strstr(text, "No file is dumped: what it takes is looking at inodes"));
	assert_null(strstr(text, "small or scattered"));
	fixture.prediction.verdict =
		(struct verdict){.cause = CAUSE_SINK, .seconds[CAUSE_SINK] = 0.01};
	slow = report_text(report_prediction, &fixture, options);
	assert_non_null(strstr(slow, "What holds it back: the sink, 100 % of the time"));
	assert_null(strstr(slow, "No file is dumped"));
	fixture_fini(&fixture);
}

/* Processor time, so that other work does not count; libsmartcols takes most of that for text. */
static void seventy_thousand_users(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	const double slowdown = 10;
#else
	const double slowdown = 1;
#endif
	const double limit_seconds[RENDER_FORMATS] = {
		[RENDER_TEXT] = 1 * slowdown,
		[RENDER_JSON] = 0.3 * slowdown,
		[RENDER_CSV] = 0.3 * slowdown,
		[RENDER_HTML] = 1 * slowdown,
		[RENDER_OPENMETRICS] = 1 * slowdown,
	};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, "empty");
	for (uint32_t i = 0; i < 70000; i++) {
		fixture_add(&fixture, i * 7919, KIND_REGULAR, 1 + i % 97, 100, 0);
		fixture_add(&fixture, i * 7919, KIND_REGULAR, 1, 100000, 0);
	}
	for (int format = 0; format < RENDER_FORMATS; format++) {
		struct render_options options = {.format = (enum render_format)format, .width = 80};
		clock_t start = clock();
		autofree char *text = report_text(users, &fixture, options);
		double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;

		print_message("# %s: %.3f s\n", render_format_name(options.format), seconds);
		assert_true(strlen(text) > 70000);
		assert_true(seconds < limit_seconds[format]);
	}
	fixture_fini(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_text),
		cmocka_unit_test(golden_data),
		cmocka_unit_test(json_loads_without_duplicates),
		cmocka_unit_test(csv_is_strict),
		cmocka_unit_test(text_is_printable),
		cmocka_unit_test(text_is_printable_in_the_c_locale),
		cmocka_unit_test(names_are_looked_up_for_shown_rows_only),
		cmocka_unit_test(sorting_by_name_looks_up_all),
		cmocka_unit_test(unknown_sort_key_is_refused),
		cmocka_unit_test(senseless_bands_are_refused),
		cmocka_unit_test(bands_fold_classes_and_lose_nothing),
		cmocka_unit_test(user_filter_holds_everywhere),
		cmocka_unit_test(ties_go_by_id),
		cmocka_unit_test(ages_lose_nothing),
		cmocka_unit_test(no_files_no_contents_to_blame),
		cmocka_unit_test(seventy_thousand_users),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
