// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTML page: byte by byte against a golden file, and what must hold of it whatever the
 * filesystem holds: its elements close in order, its attributes are quoted, names stay text, and it
 * stays small.
 */
#include "tests/unit/test.h"

#include "base/cleanup.h"
#include "reports/page/page.h"
#include "reports/page/page_html.h"
#include "reports/render.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_fixture.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST    64
#define NAME_BYTES 16

/* The page of a fixture; to be freed. */
static char *page_of(const struct fixture *fixture)
{
	const struct document *documents[REPORT_PAGE_MAX];
	struct report_page page;
	struct err err = {0};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(report_page(&fixture->input, &page, &err), 0);
	for (size_t i = 0; i < page.count; i++)
		documents[i] = &page.documents[i];
	assert_int_equal(render_page(documents, page.count, out), 0);
	report_page_fini(&page);
	fclose(out);
	return text;
}

/* The page of the fixture called @name; to be freed. */
static char *page_named(const char *name)
{
	struct fixture fixture;
	char *text;

	fixture_init(&fixture, name);
	text = page_of(&fixture);
	fixture_fini(&fixture);
	return text;
}

/* --- A strict reader of elements ------------------------------------------------------------ */

static bool is_void(const char *name)
{
	return !strcmp(name, "meta") || !strcmp(name, "link") || !strcmp(name, "input");
}

/* Reads ` name="value"` pairs up to '>'; says where that is, and whether a '/' closed at once. */
static const char *read_attributes(const char *at, bool *closed)
{
	*closed = false;
	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		if (*at == '>')
			return at;
		if (!strncmp(at, "/>", 2)) {
			*closed = true;
			return at + 1;
		}
		while (islower((unsigned char)*at) || *at == '-' || isdigit((unsigned char)*at) ||
			*at == 'B')
			at++;
		assert_int_equal(*at++, '=');
		assert_int_equal(*at++, '"');
		while (*at && *at != '"') {
			assert_int_not_equal(*at, '<');
			at++;
		}
		assert_int_equal(*at++, '"');
	}
}

/* What <style> and <script> hold is no markup. */
static const char *skip_raw(const char *at, const char *name)
{
	char end[NAME_BYTES + 4];
	const char *found;

	snprintf(end, sizeof(end), "</%s>", name);
	found = strstr(at, end);
	assert_non_null(found);
	return found;
}

/* Every element that opens closes, in order; returns how many there are. */
static unsigned check_elements(const char *page)
{
	static const char doctype[] = "<!DOCTYPE html>\n";
	char open[DEEPEST][NAME_BYTES];
	unsigned depth = 0, count = 0;
	const char *at = page + sizeof(doctype) - 1;

	assert_int_equal(strncmp(page, doctype, sizeof(doctype) - 1), 0);
	while ((at = strchr(at, '<'))) {
		bool end = at[1] == '/', closed;
		char name[NAME_BYTES];

		at += end ? 2 : 1;
		assert_int_equal(sscanf(at, "%15[a-z0-9]", name), 1);
		at += strlen(name);
		if (end) {
			assert_true(depth > 0);
			assert_string_equal(open[--depth], name);
			assert_int_equal(*at, '>');
			continue;
		}
		at = read_attributes(at, &closed);
		count++;
		if (!strcmp(name, "style") || !strcmp(name, "script"))
			at = skip_raw(at, name);
		if (closed || is_void(name))
			continue;
		assert_true(depth < DEEPEST);
		strcpy(open[depth++], name);
	}
	assert_int_equal(depth, 0);
	return count;
}

/* --- Pages ----------------------------------------------------------------------------------- */

/* Empties the elements called @name: they hold what is in files of its own. */
static void empty(char *page, const char *name)
{
	char start[NAME_BYTES + 4];
	char *at;

	snprintf(start, sizeof(start), "<%s>\n", name);
	at = strstr(page, start);
	assert_non_null(at);
	at += strlen(start);
	memmove(at, skip_raw(at, name), strlen(skip_raw(at, name)) + 1);
}

static void golden(void **state)
{
	autofree char *text = page_named("array");

	(void)state;
	empty(text, "style");
	empty(text, "script");
	golden_check("array", "html", text);
}

static void elements_close(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixture_count; i++) {
		autofree char *text = page_named(fixture_names[i]);

		assert_true(check_elements(text) > 50);
	}
}

static void names_stay_text(void **state)
{
	autofree char *text = page_named("odd");

	(void)state;
	assert_null(strstr(text, "<script>alert"));
	assert_non_null(strstr(text, "&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"));
	assert_non_null(strstr(text, "comma, &quot;quote&quot;"));
}

/* That there is no backup window, and what to do about it, is said. */
static void what_is_missing_is_said(void **state)
{
	autofree char *text = page_named("one");

	(void)state;
	assert_null(strstr(text, "<section id=\"predict\""));
	assert_non_null(
		strstr(text, "<p>No backup window: nothing is calibrated; xfscensus calibrate"));
}

/* Nothing in the page names a place to fetch something from. */
static void asks_nobody(void **state)
{
	autofree char *text = page_named("array");

	(void)state;
	assert_null(strstr(text, " src="));
	assert_null(strstr(text, "http:"));
	assert_null(strstr(text, "https:"));
	assert_null(strstr(text, "url("));
	assert_null(strstr(text, "@import"));
	assert_non_null(strstr(text, "default-src 'none'"));
}

static void small_with_ten_thousand_users(void **state)
{
	struct fixture fixture;
	autofree char *text = NULL;

	(void)state;
	fixture_init(&fixture, "array");
	for (uint32_t uid = 10000; uid < 20000; uid++) {
		fixture_add(&fixture, uid, KIND_REGULAR, 1000 + uid, 900, 40);
		fixture_add(&fixture, uid, KIND_REGULAR, 10, 1 << 20, 400);
	}
	text = page_of(&fixture);
	fixture_fini(&fixture);
	assert_true(strlen(text) < 1000000);
	assert_non_null(strstr(text, " others"));
	check_elements(text);
}

/* --- Pictures -------------------------------------------------------------------------------- */

static const struct column tree_columns[] = {
	{"path", "DIRECTORY", VALUE_TEXT, 0, "path"},
	{"owner", "OWNER", VALUE_TEXT, 0, "owner"},
	{"tree_tiny_files", "TINY", VALUE_COUNT, 0, "tiny files below"},
	{"hot_tiny_files", "HOT", VALUE_COUNT, 0, "tiny files of the hot tree"},
	{"depth", "DEPTH", VALUE_ID, 0, "level"},
};

static void add_tree(struct document *document, struct table *table, const char *path,
	const char *owner, uint64_t below, uint64_t hot)
{
	struct value *row = table_row(document, table);

	value_set_bytes(document, &row[0], path);
	value_set_text(document, &row[1], owner);
	value_set_number(&row[2], below);
	if (hot)
		value_set_number(&row[3], hot);
	value_set_number(&row[4], strcmp(path, "/") != 0 && *owner);
}

/* What @picture makes of @document, which is freed; to be freed. */
static char *draw(
	void (*picture)(FILE *out, const struct document *document), struct document *document)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	picture(out, document);
	fclose(out);
	document_fini(document);
	return text;
}

/* A "tree" without rows. */
static struct table *tree_init(struct document *document)
{
	document_init(document, "tree");
	return document_table(document, "rows", NULL, tree_columns, ARRAY_LENGTH(tree_columns));
}

/* The treemap's rectangles cover the whole, in proportion to their files. */
static void areas_are_files(void **state)
{
	struct document document;
	struct table *table;
	double covered = 0, first = 0;
	autofree char *text = NULL;
	const char *at;

	(void)state;
	table = tree_init(&document);
	add_tree(&document, table, "/", "uid 1", 1000, 0);
	add_tree(&document, table, "/\"><b onclick='x'>", "uid 1", 600, 500);
	add_tree(&document, table, "/b", "uid 1", 100, 100);
	for (int i = 0; i < 30; i++)
		add_tree(&document, table, "/c", "uid 1", 10, 10);
	text = draw(page_treemap, &document);
	for (at = text; (at = strstr(at, " width=\"")); at++) {
		double width, height;

		assert_int_equal(sscanf(at, " width=\"%lf\" height=\"%lf\"", &width, &height), 2);
		first = covered > 0 ? first : width * height;
		covered += width * height;
	}
	assert_float_equal(covered, 420000, 100);
	assert_float_equal(first, 210000, 100);
	assert_non_null(strstr(text, "elsewhere: 100 tiny files"));
	assert_non_null(strstr(text, "/&quot;&gt;&lt;b onclick=&#39;x&#39;&gt;"));
}

/* What is in no directory is at the top, as the root is, and nobody's. */
static void areas_of_nobody(void **state)
{
	struct document document;
	struct table *table;
	autofree char *text = NULL;

	(void)state;
	table = tree_init(&document);
	add_tree(&document, table, "(unresolved)", "", 2000, 2000);
	add_tree(&document, table, "/", "root", 1000, 0);
	add_tree(&document, table, "/a", "uid 1", 600, 600);
	text = draw(page_treemap, &document);
	assert_non_null(strstr(text, "elsewhere: 400 tiny files"));
	assert_non_null(strstr(text, "<span class=\"f0\"></span>uid 1</li>"));
	assert_non_null(strstr(text, "<span class=\"f7\"></span>others, and elsewhere</li>"));
	assert_null(strstr(text, "class=\"f1\""));
}

/* What lies in one directory lies in its frame, says only its name, and has its owner's colour. */
static void areas_in_frames(void **state)
{
	struct document document;
	struct table *table;
	autofree char *text = NULL;

	(void)state;
	table = tree_init(&document);
	add_tree(&document, table, "/", "root", 6000, 0);
	for (int i = 0; i < 4; i++) {
		add_tree(&document, table, i % 2 ? "/a/x/r1" : "/a/x/r2", "uid 1", 500, 500);
		add_tree(&document, table, i % 2 ? "/b/x/r1" : "/b/x/r2", "uid 2", 400, 400);
	}
	add_tree(&document, table, "/c/deep/name", "uid 3", 900, 900);
	text = draw(page_treemap, &document);
	assert_non_null(strstr(text, ">/a/x</text>"));
	assert_non_null(strstr(text, ">/b/x</text>"));
	assert_non_null(strstr(text, ">r1</text>"));
	assert_null(strstr(text, ">/a/x/r1</text>"));
	assert_non_null(strstr(text, ">/c/deep/name</text>"));
	assert_non_null(strstr(text, "<title>/a/x/r1: 500 tiny files of uid 1</title><rect "
				     "class=\"f0\""));
	assert_non_null(strstr(text, "<span class=\"f1\"></span>uid 2</li>"));
	assert_non_null(strstr(text, "<span class=\"f2\"></span>uid 3</li>"));
	assert_non_null(strstr(text, "<span class=\"f7\"></span>elsewhere</li>"));
}

/* What holds a dump back is a strip and a table, past dumps a table, all data only elsewhere. */
static void a_window_with_a_past(void **state)
{
	static const struct column columns[] = {
		{"name", "NAME", VALUE_TEXT, 0, "what"},
		{"seconds", "TOOK", VALUE_SECONDS, 0, "how long"},
	};
	static const char *const keys[] = {"shares", "history"};
	autofree char *text = NULL;
	struct document document;

	(void)state;
	document_init(&document, "predict");
	document_field_real(&document, "seconds", VALUE_SECONDS, 100);
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		struct table *table =
			document_table(&document, keys[i], NULL, columns, ARRAY_LENGTH(columns));
		struct value *row = table_row(&document, table);

		table->flags = TABLE_DATA_ONLY;
		value_set_text(&document, &row[0], i ? "dump" : "sink");
		value_set_real(&row[1], 80);
	}
	text = draw(page_window, &document);
	assert_non_null(strstr(text, ">What holds it back</p>"));
	assert_non_null(strstr(text, ">sink 80 %</span>"));
	assert_non_null(strstr(text, "<caption>What holds it back. "));
	assert_non_null(strstr(text, ">sink</td>"));
	assert_non_null(strstr(text, "<caption>Past dumps, and what had been predicted. "));
	assert_non_null(strstr(text, ">dump</td>"));
}

/* A line a measure, on to where it leads in the interval that that has, and the limit across. */
static void a_history_with_a_forecast(void **state)
{
	static const struct column columns[] = {
		{"started", "STARTED", VALUE_TIME, 0, "when"},
		{"window_seconds", "WINDOW", VALUE_SECONDS, 0, "how long"},
	};
	static const struct column forecast_columns[] = {
		{"measure", "MEASURE", VALUE_TEXT, 0, "what"},
		{"state", "STATE", VALUE_TEXT, 0, "state"},
		{"per_day", "A DAY", VALUE_REAL, 0, "a day"},
		{"in_30_days", "THEN", VALUE_REAL, 0, "expected"},
		{"low_in_30_days", "LOW", VALUE_REAL, 0, "low"},
		{"high_in_30_days", "HIGH", VALUE_REAL, 0, "high"},
	};
	struct document document;
	struct table *table;
	struct value *row;
	autofree char *text = NULL;

	(void)state;
	document_init(&document, "trend");
	document_field_real(&document, "limit_seconds", VALUE_SECONDS, 140);
	table = document_table(&document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (int i = 0; i <= 70; i++) {
		row = table_row(&document, table);
		value_set_time(&row[0], 1796000000 - i * 86400LL);
		value_set_real(&row[1], 100 - i);
	}
	table = document_table(
		&document, "forecasts", NULL, forecast_columns, ARRAY_LENGTH(forecast_columns));
	row = table_row(&document, table);
	value_set_text(&document, &row[0], "window_seconds");
	value_set_text(&document, &row[1], "made");
	value_set_real(&row[2], 1);
	value_set_real(&row[3], 130);
	value_set_real(&row[4], 120);
	value_set_real(&row[5], 145);
	text = draw(page_history, &document);
	assert_non_null(strstr(text, "<polyline class=\"path\" points=\"0.00,116.00 4.00,115.20 "));
	/* 400 x 160, 100 of 145 high at 70 of 100 days */
	assert_non_null(strstr(text, "<polygon class=\"range\" points=\"280.00,60.00 400.00,44.00 "
				     "400.00,24.00 \"/>"));
	assert_non_null(strstr(text, "<polyline class=\"path ahead\" points=\"280.00,60.00 "
				     "400.00,36.00 \"/>"));
	assert_non_null(strstr(text, "<line class=\"limit\" x1=\"0\" x2=\"400\" y1=\"28.00\""));
	assert_non_null(strstr(text, ">Backup window, at most 100 s, limit 2 min 20</text>"));
	assert_non_null(strstr(text, "<p class=\"note\">Dashed: the forecast for 30 days"));
}

static char *twin(enum owner_kind kind, uint32_t id, void *context)
{
	(void)kind;
	(void)id;
	(void)context;
	return strdup("twin");
}

/* Several users may have one name: each has a row of all sizes. */
static void a_heat_map_of_twins(void **state)
{
	struct fixture fixture;
	autofree char *text = NULL;
	unsigned sizes = 0;
	const char *end;

	(void)state;
	fixture_init(&fixture, "array");
	fixture.options.owner_name = twin;
	text = page_of(&fixture);
	end = strstr(strstr(text, "sortable map"), "</thead>");
	for (const char *at = strstr(text, "sortable map"); (at = strstr(at, "class=\"n\"")) < end;
		at++)
		sizes++;
	assert_int_equal(sizes, 8);
	check_elements(text);
	fixture_fini(&fixture);
}

/* The page tells of earlier scans, and when the limit asked for is passed. */
static void a_page_with_a_past(void **state)
{
	struct trend trend = {0};
	struct fixture fixture;
	autofree char *text = NULL, *alone = NULL;

	(void)state;
	fixture_init(&fixture, "array");
	for (int i = 0; i < 500; i++) {
		struct history_scan *night = history_add(&trend.history);

		assert_non_null(night);
		night->scan_id = i + 1;
		night->started_seconds = fixture.scan.started_seconds - (499 - i) * 86400LL;
		night->has_window = true;
		night->window_seconds = 1000 + i;
	}
	assert_int_equal(trend_forecast(&trend), 0);
	fixture.input.trend = &trend;
	fixture.options.has_limit = true;
	fixture.options.limit_seconds = 1600;
	text = page_of(&fixture);
	check_elements(text);
	assert_non_null(strstr(text, "<section id=\"trend\""));
	assert_non_null(strstr(text, "<p>It passes 26 min 40 around 2027-03-"));
	assert_non_null(strstr(text, "<line class=\"limit\""));
	assert_non_null(strstr(text, "<p>100 more scans are not shown.</p>"));
	assert_non_null(strstr(text, "<details><summary>A table of 400 rows</summary>"));
	assert_true(strlen(text) < 500000);
	while (trend.history.count > 1)
		history_drop_later(&trend.history,
			trend.history.scans[trend.history.count - 2].started_seconds);
	memset(trend.forecasts, 0, sizeof(trend.forecasts));
	assert_int_equal(trend_forecast(&trend), 0);
	alone = page_of(&fixture);
	assert_non_null(strstr(alone, "<p>Too little history for a forecast: 1 scan since"));
	assert_null(strstr(alone, "<line class=\"limit\""));
	assert_null(strstr(alone, "<details>"));
	trend_fini(&trend);
	fixture_fini(&fixture);
}

static void numbers_whatever_the_locale(void **state)
{
	autofree char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	html_number(out, 0);
	putc(' ', out);
	html_number(out, -0.005);
	putc(' ', out);
	html_number(out, 1234.567);
	putc(' ', out);
	html_number(out, -1e300);
	fclose(out);
	assert_string_equal(text, "0.00 -0.01 1234.57 -1000000000.00");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(elements_close),
		cmocka_unit_test(names_stay_text),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(asks_nobody),
		cmocka_unit_test(small_with_ten_thousand_users),
		cmocka_unit_test(areas_are_files),
		cmocka_unit_test(areas_of_nobody),
		cmocka_unit_test(areas_in_frames),
		cmocka_unit_test(a_window_with_a_past),
		cmocka_unit_test(a_history_with_a_forecast),
		cmocka_unit_test(a_heat_map_of_twins),
		cmocka_unit_test(a_page_with_a_past),
		cmocka_unit_test(numbers_whatever_the_locale),
	};

	setenv("TZ", "UTC", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
