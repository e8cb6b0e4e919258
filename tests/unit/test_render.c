// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/cleanup.h"
#include "reports/render.h"
#include "tests/unit/strict_csv.h"

#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* One column of each type, so that one row shows how each format writes each. */
static const struct column columns[] = {
	{"text", "TEXT", VALUE_TEXT, COLUMN_STRETCH, ""},
	{"id", "ID", VALUE_ID, 0, ""},
	{"count", "COUNT", VALUE_COUNT, 0, ""},
	{"bytes", "BYTES", VALUE_BYTES, 0, ""},
	{"seconds", "SECONDS", VALUE_SECONDS, 0, ""},
	{"rate", "RATE", VALUE_RATE, 0, ""},
	{"share", "SHARE", VALUE_SHARE, COLUMN_OPTIONAL, ""},
	{"time", "TIME", VALUE_TIME, COLUMN_OPTIONAL, ""},
	{"day", "DAY", VALUE_DAY, COLUMN_OPTIONAL, ""},
};

static void fill(struct document *document)
{
	struct table *table;
	struct value *row;

	document_init(document, "test");
	document_field_real(document, "tenth", VALUE_SECONDS, 0.1);
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	row = table_row(document, table);
	value_set_text(document, &row[0], "a, \"b\"");
	value_set_number(&row[1], 4294967295);
	value_set_number(&row[2], 1234567);
	value_set_number(&row[3], UINT64_MAX);
	value_set_real(&row[4], 3725.5);
	value_set_real(&row[5], 800e3);
	value_set_real(&row[6], 0.125);
	value_set_time(&row[7], -1);
	value_set_time(&row[8], -1);
	row = table_row(document, table);
	value_set_time(&row[7], INT64_MAX);
	value_set_time(&row[8], INT64_MIN);
}

static char *render(struct render_options options)
{
	struct document document;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	fill(&document);
	assert_int_equal(render_document(&document, &options, out), 0);
	fclose(out);
	document_fini(&document);
	return text;
}

static void text_of_each_type(void **state)
{
	autofree char *human = render((struct render_options){0});
	autofree char *exact = render((struct render_options){.exact = true});

	(void)state;
	assert_string_equal(human,
		"TEXT            ID  COUNT   BYTES  SECONDS      RATE  SHARE  TIME              "
		"DAY\n"
		"a, \"b\"  4294967295  1.2 M  16 EiB   1 h 02  800 KB/s   12 %  1969-12-31 23:59  "
		"1969-12-31\n"
		"-                -      -       -        -         -      -  -                 "
		"-\n");
	assert_non_null(
		strstr(exact, " 1 234 567  18 446 744 073 709 551 615  3725.500 s  800 000  "
			      "12.500 %  1969-12-31 23:59:59  1969-12-31\n"));
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (; *text; text += strcspn(text, "\n") + 1) {
		if (strcspn(text, "\n") > longest)
			longest = strcspn(text, "\n");
	}
	return longest;
}

static void narrow_tables_lose_optional_columns(void **state)
{
	autofree char *wide = render((struct render_options){.width = 100});
	autofree char *narrow = render((struct render_options){.width = 60});

	(void)state;
	assert_non_null(strstr(wide, "DAY"));
	assert_null(strstr(narrow, "DAY"));
	assert_null(strstr(narrow, "TIME"));
	assert_non_null(strstr(narrow, "RATE"));
	assert_in_range(longest_line(narrow), 1, 60);
}

/* A document of one line; to be freed. */
static char *render_line(const char *line, bool whole, unsigned width)
{
	struct document document;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	document_init(&document, "test");
	document_before(&document, "%s", line);
	document.whole_lines = whole;
	assert_int_equal(
		render_document(&document, &(struct render_options){.width = width}, out), 0);
	fclose(out);
	document_fini(&document);
	return text;
}

/* Lines fold at blanks, and names keep all of theirs where they do not. */
static void lines_fold(void **state)
{
	static const struct {
		const char *line, *text;
		bool whole;
		unsigned width;
	} cases[] = {
		{"/srv/a  b   c", "/srv/a  b   c\n", false, 0},
		{"  /srv/a  b   c", "  /srv/a  b   c\n", false, 80},
		{"one two three", "one two\nthree\n", false, 8},
		{"  one two three", "  one\n  two\n  three\n", false, 8},
		{"one two three", "one two three\n", true, 8},
		{"takes 10 h", "takes\n10 h\n", false, 8},
		{"", "\n", false, 8},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		autofree char *text = render_line(cases[i].line, cases[i].whole, cases[i].width);

		assert_string_equal(text, cases[i].text);
	}
}

static void json_of_each_type(void **state)
{
	autofree char *text = render((struct render_options){.format = RENDER_JSON});

	(void)state;
	assert_string_equal(text,
		"{\"schema\": \"xfscensus/test/1\",\n"
		" \"tenth\": 0.1,\n"
		" \"rows\": [\n"
		"  {\"text\": \"a, \\\"b\\\"\", \"id\": 4294967295, \"count\": 1234567, "
		"\"bytes\": 9223372036854775807, \"seconds\": 3725.5, \"rate\": 800000.0, "
		"\"share\": 0.125, \"time\": \"1969-12-31T23:59:59Z\", \"day\": \"1969-12-31\"},\n"
		"  {\"text\": null, \"id\": null, \"count\": null, \"bytes\": null, "
		"\"seconds\": null, \"rate\": null, \"share\": null, \"time\": null, "
		"\"day\": null}\n"
		" ]\n"
		"}\n");
}

static void csv_of_each_type(void **state)
{
	autofree char *text = render((struct render_options){.format = RENDER_CSV});
	struct strict_csv csv;

	(void)state;
	assert_string_equal(text,
		"text,id,count,bytes,seconds,rate,share,time,day\r\n"
		"\"a, \"\"b\"\"\",4294967295,1234567,18446744073709551615,3725.5,800000,0.125,"
		"1969-12-31T23:59:59Z,1969-12-31\r\n"
		",,,,,,,,\r\n");
	assert_int_equal(strict_csv_read(text, &csv), 0);
	assert_int_equal(csv.rows, 3);
	assert_string_equal(csv.cells[csv.columns], "a, \"b\"");
	strict_csv_fini(&csv);
}

static void csv_without_a_table_has_fields(void **state)
{
	struct document document;
	struct render_options options = {.format = RENDER_CSV};
	autofree char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	document_init(&document, "test");
	document_field_text(&document, "path", "/a,b");
	document_field_text(&document, "none", NULL);
	assert_int_equal(render_document(&document, &options, out), 0);
	fclose(out);
	assert_string_equal(text, "key,value\r\npath,\"/a,b\"\r\nnone,\r\n");
	document_fini(&document);
}

static void strict_csv_refuses(void **state)
{
	static const char *const bad[] = {
		"", "a", "a\n", "a\rb\r\n", "a\"b\r\n", "\"a\r\n", "\"a\"b\r\n", "a,b\r\nc\r\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
		struct strict_csv csv;

		assert_int_equal(strict_csv_read(bad[i], &csv), -1);
		strict_csv_fini(&csv);
	}
}

static void failures_are_returned(void **state)
{
	struct document document;

	(void)state;
	fill(&document);
	for (int format = 0; format < RENDER_FORMATS; format++) {
		const struct render_options options = {.format = (enum render_format)format};
		FILE *full = fopen("/dev/full", "w");

		assert_non_null(full);
		assert_int_equal(render_document(&document, &options, full), -ENOSPC);
		fclose(full);
	}
	document.code = -ENOMEM;
	assert_int_equal(render_document(&document, &(struct render_options){0}, stderr), -ENOMEM);
	document_fini(&document);
}

static void formats_have_names(void **state)
{
	enum render_format format;

	(void)state;
	for (int i = 0; i < RENDER_FORMATS; i++) {
		const char *name = render_format_name((enum render_format)i);

		assert_int_equal(render_format_parse(name, &format), 0);
		assert_int_equal(format, i);
	}
	assert_int_equal(render_format_parse("yaml", &format), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_each_type),
		cmocka_unit_test(narrow_tables_lose_optional_columns),
		cmocka_unit_test(lines_fold),
		cmocka_unit_test(json_of_each_type),
		cmocka_unit_test(csv_of_each_type),
		cmocka_unit_test(csv_without_a_table_has_fields),
		cmocka_unit_test(strict_csv_refuses),
		cmocka_unit_test(failures_are_returned),
		cmocka_unit_test(formats_have_names),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
