// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV as in RFC 4180: CRLF; text with a comma, a quote or a line end is quoted, quotes doubled. */
#include "reports/renderer.h"

#include <string.h>

static void put_text(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void put_value(enum value_type type, const struct value *value, FILE *out)
{
	char buffer[VALUE_TEXT_BYTES];
	const char *text;

	if (!value->present)
		return;
	if (type == VALUE_TEXT) {
		put_text(value->text, out);
		return;
	}
	text = type == VALUE_TIME || type == VALUE_DAY ? render_iso(type, value->time, buffer)
						       : render_plain(type, value, buffer);
	fputs(text ? text : "", out);
}

/* The heading (@row NULL) or a row. */
static void put_row(const struct table *table, const struct value *row, FILE *out)
{
	const char *separator = "";

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (column->flags & COLUMN_TEXT_ONLY)
			continue;
		fputs(separator, out);
		separator = ",";
		if (row)
			put_value(column->type, &row[i], out);
		else
			put_text(column->key, out);
	}
	fputs("\r\n", out);
}

static void put_fields(const struct document *document, FILE *out)
{
	fputs("key,value\r\n", out);
	for (size_t i = 0; i < document->field_count; i++) {
		const struct field *field = &document->fields[i];

		put_text(field->key, out);
		putc(',', out);
		put_value(field->type, &field->value, out);
		fputs("\r\n", out);
	}
}

int render_csv(const struct document *document, const struct render_options *options, FILE *out)
{
	const struct table *table = render_first_data_table(document);

	(void)options;
	if (!table || document->csv_fields) {
		put_fields(document, out);
		return 0;
	}
	put_row(table, NULL, out);
	for (size_t row = 0; row < table->row_count; row++)
		put_row(table, table_cells(table, row), out);
	return 0;
}
