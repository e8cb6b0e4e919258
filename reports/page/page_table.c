// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of a document. A share is drawn as a bar behind its figure. What a row folded away has
 * the last row of the body, which stays last when the others are sorted.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"
#include "reports/renderer.h"

#include "base/checked.h"
#include "base/units.h"

#include <inttypes.h>
#include <string.h>

static bool is_shown(const struct column *column)
{
	return !(column->flags & COLUMN_DATA_ONLY);
}

static bool is_numeric(const struct column *column)
{
	return column->type != VALUE_TEXT;
}

static void put_heading(FILE *out, const struct column *column)
{
	fprintf(out, "<th scope=\"col\"%s title=\"",
		is_numeric(column)        ? " class=\"n\""
		: column_is_right(column) ? " class=\"r\""
					  : "");
	html_text(out, column->meaning ? column->meaning : column->heading);
	fputs("\">", out);
	html_text(out, column->heading[0] ? column->heading : column->key);
	fputs("</th>", out);
}

/* The attribute to sort by; an unknown value comes last. */
static void put_sort_key(FILE *out, enum value_type type, const struct value *value)
{
	char text[VALUE_TEXT_BYTES];

	fprintf(out, " data-v=\"%s\"", value->present ? render_plain(type, value, text) : "");
}

static void put_number_cell(FILE *out, enum value_type type, const struct value *value)
{
	char human[VALUE_TEXT_BYTES], exact[VALUE_TEXT_BYTES];
	const char *text = render_value(type, value, false, human);

	fprintf(out, "<td class=\"n%s\"", type == VALUE_SHARE && value->present ? " share" : "");
	put_sort_key(out, type, value);
	if (type == VALUE_SHARE && value->present) {
		fputs(" style=\"--w:", out);
		html_number(out, 100 * value->real);
		fputs("%\"", out);
	} else if (value->present && type != VALUE_ID) {
		fputs(" title=\"", out);
		html_text(out, render_value(type, value, true, exact));
		putc('"', out);
	}
	putc('>', out);
	html_text(out, text);
	fputs("</td>", out);
}

/* Names drawn with the lines of a tree keep their blanks. */
static void put_text_cell(FILE *out, const struct column *column, const struct value *value)
{
	fprintf(out, "<td class=\"text%s%s\">", column_is_right(column) ? " r" : "",
		!strcmp(column->key, "tree") ? " lines" : "");
	html_text(out, value->present ? value->text : RENDER_UNKNOWN);
	fputs("</td>", out);
}

static void put_row(FILE *out, const struct table *table, const struct value *row)
{
	fputs("<tr>", out);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!is_shown(&table->columns[i]))
			continue;
		if (is_numeric(&table->columns[i]))
			put_number_cell(out, table->columns[i].type, &row[i]);
		else
			put_text_cell(out, &table->columns[i], &row[i]);
	}
	fputs("</tr>\n", out);
}

static void put_rest(FILE *out, const struct table *table)
{
	bool said = false;

	fputs("<tr class=\"rest\">", out);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!is_shown(column))
			continue;
		if (is_numeric(column)) {
			put_number_cell(out, column->type, &table->rest[i]);
		} else {
			fputs("<td class=\"text\">", out);
			if (!said)
				fprintf(out, "%zu other%s", table->rest_count,
					unit_plural(table->rest_count));
			fputs("</td>", out);
			said = true;
		}
	}
	fputs("</tr>\n", out);
}

void page_caption(FILE *out, const struct document *document, const char *title)
{
	fputs("<caption>", out);
	if (title) {
		size_t length = strlen(title);

		html_format(
			out, "%.*s. ", (int)(length - (length && title[length - 1] == ':')), title);
	}
	for (size_t i = 0; i < document->field_count; i++) {
		const struct field *field = &document->fields[i];

		if (!strcmp(field->key, "scan_id") && field->value.present)
			fprintf(out, "Source: scan %" PRIu64 ".", field->value.number);
	}
	fputs("</caption>\n", out);
}

void page_table(FILE *out, const struct document *document, const struct table *table)
{
	if (!table->row_count || (table->flags & TABLE_DATA_ONLY))
		return;
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	html_text(out, table->title ? table->title : document->name);
	fputs("\"><table class=\"sortable\">\n", out);
	page_caption(out, document, table->title);
	fputs("<thead><tr>", out);
	for (size_t i = 0; i < table->column_count; i++) {
		if (is_shown(&table->columns[i]))
			put_heading(out, &table->columns[i]);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t row = 0; row < table->row_count; row++)
		put_row(out, table, table_cells(table, row));
	if (table->rest)
		put_rest(out, table);
	fputs("</tbody></table></div>\n", out);
}
