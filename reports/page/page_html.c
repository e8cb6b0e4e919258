// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page_html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void html_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}

void html_format(FILE *out, const char *format, ...)
{
	char *text;
	va_list list;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	va_end(list);
	if (text)
		html_text(out, text);
	free(text);
}

void html_number(FILE *out, double number)
{
	long long hundredths = isfinite(number) ? llround(fmin(fmax(number, -1e9), 1e9) * 100) : 0;
	const char *sign = hundredths < 0 ? "-" : "";

	hundredths = hundredths < 0 ? -hundredths : hundredths;
	fprintf(out, "%s%lld.%02lld", sign, hundredths / 100, hundredths % 100);
}

void html_svg_text(FILE *out, const char *class, double x, double y, const char *text)
{
	fprintf(out, "<text class=\"%s\" x=\"", class);
	html_number(out, x);
	fputs("\" y=\"", out);
	html_number(out, y);
	fputs("\">", out);
	html_text(out, text);
	fputs("</text>", out);
}

void html_svg_rectangle(
	FILE *out, const char *class, double x, double y, double width, double height)
{
	const struct {
		const char *name;
		double number;
	} sides[] = {{"x", x}, {"y", y}, {"width", width}, {"height", height}};

	fprintf(out, "<rect class=\"%s\"", class);
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		fprintf(out, " %s=\"", sides[i].name);
		html_number(out, sides[i].number);
		putc('"', out);
	}
	fputs("/>", out);
}

int page_column(const struct table *table, const char *key)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (!strcmp(table->columns[i].key, key))
			return (int)i;
	}
	return -1;
}

const struct table *page_find_table(const struct document *document, const char *key)
{
	for (size_t i = 0; i < document->table_count; i++) {
		if (!strcmp(document->tables[i].key, key))
			return &document->tables[i];
	}
	return NULL;
}

static const struct field *find_field(const struct document *document, const char *key)
{
	for (size_t i = 0; i < document->field_count; i++) {
		if (!strcmp(document->fields[i].key, key) && document->fields[i].value.present)
			return &document->fields[i];
	}
	return NULL;
}

const char *page_field(const struct document *document, const char *key)
{
	const struct field *field = find_field(document, key);

	return field && field->type == VALUE_TEXT ? field->value.text : NULL;
}

double page_real_field(const struct document *document, const char *key)
{
	const struct field *field = find_field(document, key);

	return field && field->type == VALUE_SECONDS ? field->value.real : 0;
}

double page_number(const struct table *table, size_t row, int column)
{
	const struct value *value = column < 0 ? NULL : &table_cells(table, row)[column];

	if (!value || !value->present)
		return 0;
	switch (table->columns[column].type) {
	case VALUE_TEXT:
		return 0;
	case VALUE_ID:
	case VALUE_COUNT:
	case VALUE_BYTES:
		return (double)value->number;
	case VALUE_TIME:
	case VALUE_DAY:
		return (double)value->time;
	case VALUE_SECONDS:
	case VALUE_RATE:
	case VALUE_SHARE:
	case VALUE_REAL:
	case VALUE_SECONDS_CHANGE:
		return value->real;
	case VALUE_COUNT_CHANGE:
	case VALUE_BYTES_CHANGE:
		return (double)value->change;
	}
	return 0;
}

const char *page_text(const struct table *table, size_t row, int column)
{
	const struct value *value = column < 0 ? NULL : &table_cells(table, row)[column];

	if (!value || !value->present || table->columns[column].type != VALUE_TEXT)
		return "";
	return value->text;
}
