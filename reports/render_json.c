// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON: jansson writes every value, so that escaping and numbers are its business. The frame
 * around them is written here, a row a line: a document of 70 000 rows then needs the memory of
 * one row, and can be read with grep as well. Keys are static identifiers.
 */
#include "reports/renderer.h"

#include "base/checked.h"

#include <errno.h>
#include <jansson.h>

#define REAL_DIGITS 15

static json_t *time_json(enum value_type type, int64_t time)
{
	char buffer[VALUE_TEXT_BYTES];
	const char *iso = render_iso(type, time, buffer);

	return iso ? json_string(iso) : json_null();
}

/* A new reference; NULL without memory. */
static json_t *value_json(enum value_type type, const struct value *value)
{
	if (!value->present)
		return json_null();
	switch (type) {
	case VALUE_TEXT:
		return json_string(value->text);
	case VALUE_ID:
	case VALUE_COUNT:
	case VALUE_BYTES:
		return json_integer(clamp_i64(value->number));
	case VALUE_SECONDS:
	case VALUE_RATE:
	case VALUE_SHARE:
	case VALUE_REAL:
	case VALUE_SECONDS_CHANGE:
		return json_real(value->real);
	case VALUE_COUNT_CHANGE:
	case VALUE_BYTES_CHANGE:
		return json_integer(value->change);
	case VALUE_TIME:
	case VALUE_DAY:
		return time_json(type, value->time);
	}
	return NULL;
}

/* Writes `"key": value`. */
static int put_member(const char *key, enum value_type type, const struct value *value, FILE *out)
{
	json_t *json = value_json(type, value);
	int rc = 0;

	fprintf(out, "\"%s\": ", key);
	if (!json || json_dumpf(json, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS)))
		rc = ferror(out) ? 0 : -ENOMEM;
	json_decref(json);
	return rc;
}

static int put_row(const struct table *table, const struct value *row, FILE *out)
{
	const char *separator = "";
	int rc = 0;

	putc('{', out);
	for (size_t i = 0; i < table->column_count && !rc; i++) {
		const struct column *column = &table->columns[i];

		if (column->flags & COLUMN_TEXT_ONLY)
			continue;
		fputs(separator, out);
		separator = ", ";
		rc = put_member(column->key, column->type, &row[i], out);
	}
	putc('}', out);
	return rc;
}

static int put_table(const struct table *table, FILE *out)
{
	int rc = 0;

	fprintf(out, ",\n \"%s\": [", table->key);
	for (size_t row = 0; row < table->row_count && !rc; row++) {
		fputs(row ? ",\n  " : "\n  ", out);
		rc = put_row(table, table_cells(table, row), out);
	}
	fputs(table->row_count ? "\n ]" : "]", out);
	return rc;
}

int render_json(const struct document *document, const struct render_options *options, FILE *out)
{
	int rc = 0;

	(void)options;
	fprintf(out, "{\"schema\": \"xfscensus/%s/1\"", document->name);
	for (size_t i = 0; i < document->field_count && !rc; i++) {
		const struct field *field = &document->fields[i];

		fputs(",\n ", out);
		rc = put_member(field->key, field->type, &field->value, out);
	}
	for (size_t i = 0; i < document->table_count && !rc; i++) {
		if (!(document->tables[i].flags & TABLE_TEXT_ONLY))
			rc = put_table(&document->tables[i], out);
	}
	fputs("\n}\n", out);
	return rc;
}
