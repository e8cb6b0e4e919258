// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "reports/document.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { NAME, ID, BYTES, SHARE, RATE, EDGE };

static const struct column columns[] = {
	[NAME] = {"name", "NAME", VALUE_TEXT, 0, ""},
	[ID] = {"id", "ID", VALUE_ID, 0, ""},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, ""},
	[SHARE] = {"share", "SHARE", VALUE_SHARE, COLUMN_TEXT_ONLY, ""},
	[RATE] = {"rate", "RATE", VALUE_RATE, 0, ""},
	[EDGE] = {"edge", "EDGE", VALUE_BYTES, COLUMN_NO_SUM, ""},
};

/* Four rows; the second has nothing but an id. */
static struct table *make_table(struct document *document)
{
	static const char *const names[] = {"b", NULL, "a", "b"};
	static const uint64_t bytes[] = {5, 0, UINT64_MAX, 5};
	struct table *table = document_table(document, "rows", NULL, columns, 6);

	for (uint64_t i = 0; i < 4; i++) {
		struct value *row = table_row(document, table);

		value_set_number(&row[ID], 10 - i);
		if (i == 1)
			continue;
		value_set_text(document, &row[NAME], names[i]);
		value_set_number(&row[BYTES], bytes[i]);
		value_set_real(&row[SHARE], 0.25);
		value_set_real(&row[RATE], (double)i);
		value_set_number(&row[EDGE], 4096);
	}
	return table;
}

static void check_order(const char *key, const uint64_t ids[4])
{
	struct document document;
	struct table *table;

	document_init(&document, "test");
	table = make_table(&document);
	assert_int_equal(table_sort(table, key), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(table_cells(table, i)[ID].number, ids[i]);
	document_fini(&document);
}

static void rows_sort_stably_with_unknown_last(void **state)
{
	(void)state;
	check_order("name", (const uint64_t[]){8, 10, 7, 9});
	check_order("id", (const uint64_t[]){7, 8, 9, 10});
	check_order("bytes", (const uint64_t[]){8, 10, 7, 9});
	check_order("rate", (const uint64_t[]){7, 8, 10, 9});
}

static void only_data_columns_sort(void **state)
{
	struct document document;
	struct table *table;

	(void)state;
	document_init(&document, "test");
	table = make_table(&document);
	assert_int_equal(table_sort(table, "share"), -EINVAL);
	assert_int_equal(table_sort(table, "nothing"), -EINVAL);
	document_fini(&document);
}

static void folding_sums_what_can_be_summed(void **state)
{
	struct document document;
	struct table *table;

	(void)state;
	document_init(&document, "test");
	table = make_table(&document);
	table_fold(&document, table, 0);
	assert_int_equal(table->row_count, 4);
	table_fold(&document, table, 1);
	assert_int_equal(table->row_count, 1);
	assert_int_equal(table->rest_count, 3);
	assert_true(table->rest[BYTES].number == UINT64_MAX);
	assert_true(fabs(table->rest[SHARE].real - 0.5) < 1e-9);
	assert_false(table->rest[NAME].present);
	assert_false(table->rest[ID].present);
	assert_false(table->rest[RATE].present);
	assert_false(table->rest[EDGE].present);
	document_fini(&document);
}

static void text_is_made_printable_once(void **state)
{
	struct document document;

	(void)state;
	document_init(&document, "test");
	document_field_text(&document, "text", "a\\x0ab\n\xff");
	document_field_bytes(&document, "bytes", "a\\x0ab\n");
	document_field_text(&document, "none", NULL);
	document_before(&document, "%s", "\x1b[2J");
	assert_string_equal(document.fields[0].value.text, "a\\x0ab\\x0a\\xff");
	assert_string_equal(document.fields[1].value.text, "a\\\\x0ab\\x0a");
	assert_false(document.fields[2].value.present);
	assert_string_equal(document.before[0], "\\x1b[2J");
	assert_int_equal(document.code, 0);
	document_fini(&document);
}

static void numbers_that_are_none_are_unknown(void **state)
{
	struct value value = {.present = true};

	(void)state;
	value_set_real(&value, NAN);
	assert_false(value.present);
	value_set_real(&value, INFINITY);
	assert_false(value.present);
	value_set_real(&value, 0);
	assert_true(value.present);
}

/* Once memory ran out, adding does nothing and needs no table. */
static void adding_after_failure_is_harmless(void **state)
{
	struct document document;

	(void)state;
	document_init(&document, "test");
	document.code = -ENOMEM;
	document_field_number(&document, "n", VALUE_COUNT, 1);
	document_after(&document, "line");
	assert_null(document_table(&document, "rows", NULL, columns, 6));
	assert_null(table_row(&document, NULL));
	table_fold(&document, NULL, 1);
	assert_int_equal(document.field_count + document.after_count + document.table_count, 0);
	document_fini(&document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_sort_stably_with_unknown_last),
		cmocka_unit_test(only_data_columns_sort),
		cmocka_unit_test(folding_sums_what_can_be_summed),
		cmocka_unit_test(text_is_made_printable_once),
		cmocka_unit_test(numbers_that_are_none_are_unknown),
		cmocka_unit_test(adding_after_failure_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
