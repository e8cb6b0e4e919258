// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenMetrics 1.0, as far as it is also the Prometheus text format 0.0.4, which is what the node
 * exporter's textfile collector reads: gauges without timestamps, and a last line that is a
 * comment there. A family's samples stand together, so that a table is written column by column.
 */
#include "reports/renderer.h"

#include <inttypes.h>

static bool is_label(const struct column *column)
{
	return column->type == VALUE_TEXT || column->type == VALUE_ID;
}

static void put_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			putc(*text, out);
	}
}

static void put_labels(const struct table *table, const struct value *row, FILE *out)
{
	char separator = '{';

	for (size_t i = 0; i < table->column_count; i++) {
		if (!is_label(&table->columns[i]) || !row[i].present)
			continue;
		fprintf(out, "%c%s=\"", separator, table->columns[i].key);
		if (table->columns[i].type == VALUE_TEXT)
			put_escaped(row[i].text, out);
		else
			fprintf(out, "%" PRIu64, row[i].number);
		putc('"', out);
		separator = ',';
	}
	if (separator == ',')
		putc('}', out);
}

/* A family is told of only where there is a sample of it. */
static void put_family(const struct table *table, size_t index, FILE *out)
{
	const struct column *column = &table->columns[index];
	char number[VALUE_TEXT_BYTES];
	bool begun = false;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct value *row = table_cells(table, i);

		if (!row[index].present)
			continue;
		if (!begun)
			fprintf(out, "# HELP xfscensus_%s %s\n# TYPE xfscensus_%s gauge\n",
				column->key, column->meaning, column->key);
		begun = true;
		fprintf(out, "xfscensus_%s", column->key);
		put_labels(table, row, out);
		putc(' ', out);
		fprintf(out, "%s\n", render_plain(column->type, &row[index], number));
	}
}

int render_openmetrics(
	const struct document *document, const struct render_options *options, FILE *out)
{
	(void)options;
	for (size_t i = 0; i < document->table_count; i++) {
		const struct table *table = &document->tables[i];

		for (size_t j = 0; j < table->column_count; j++) {
			if (!is_label(&table->columns[j]) && !(table->flags & TABLE_TEXT_ONLY))
				put_family(table, j, out);
		}
	}
	fputs("# EOF\n", out);
	return 0;
}
