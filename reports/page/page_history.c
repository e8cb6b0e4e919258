// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What became of a filesystem from scan to scan: a small chart for each of a few columns, time to
 * the right. Each starts at zero, so that what looks twice as much is twice as much.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"
#include "reports/renderer.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define WIDTH  400.0
#define HEIGHT 160.0
#define TOP    24.0
#define BOTTOM 20.0

struct chart {
	const struct table *table;
	int time;
	int column;
	double first; /* of the times */
	double last;
	double most;
};

/* The time column, or -1. */
static int time_column(const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].type == VALUE_TIME)
			return (int)i;
	}
	return -1;
}

static bool is_known(const struct chart *chart, size_t row)
{
	const struct value *cells = table_cells(chart->table, row);

	return cells[chart->column].present && cells[chart->time].present;
}

static size_t measure(struct chart *chart)
{
	size_t points = 0;

	for (size_t row = 0; row < chart->table->row_count; row++) {
		double time = page_number(chart->table, row, chart->time);

		if (!is_known(chart, row))
			continue;
		chart->first = points ? fmin(chart->first, time) : time;
		chart->last = points ? fmax(chart->last, time) : time;
		chart->most = fmax(chart->most, page_number(chart->table, row, chart->column));
		points++;
	}
	return points;
}

static void put_line(FILE *out, const struct chart *chart)
{
	double base = HEIGHT - BOTTOM;

	fputs("<polyline class=\"path\" points=\"", out);
	for (size_t row = 0; row < chart->table->row_count; row++) {
		double value = page_number(chart->table, row, chart->column);
		double time = page_number(chart->table, row, chart->time);

		if (!is_known(chart, row))
			continue;
		html_number(out, WIDTH * (time - chart->first) / (chart->last - chart->first));
		putc(',', out);
		html_number(out, base - (base - TOP) * value / chart->most);
		putc(' ', out);
	}
	fputs("\"/>\n", out);
}

static void put_day(FILE *out, double time, double x, const char *anchor)
{
	char text[VALUE_TEXT_BYTES];
	const char *day = render_iso(VALUE_TIME, (int64_t)time, text);

	fprintf(out, "<text class=\"quiet\" text-anchor=\"%s\" x=\"%.0f\" y=\"%.0f\">", anchor, x,
		HEIGHT - 4);
	html_format(out, "%.10s", day ? day : RENDER_UNKNOWN);
	fputs("</text>\n", out);
}

static void put_chart(FILE *out, const struct chart *chart, const char *title)
{
	enum value_type type = chart->table->columns[chart->column].type;
	struct value most = {.present = true};
	char text[VALUE_TEXT_BYTES];

	if (type == VALUE_SECONDS)
		most.real = chart->most;
	else
		most.number = (uint64_t)chart->most;
	fprintf(out, "<figure><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", WIDTH,
		HEIGHT);
	html_format(out, "%s over time; the table below has the same", title);
	fprintf(out, "\">\n<line class=\"axis\" x1=\"0\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>\n",
		WIDTH, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
	fprintf(out, "<text x=\"0\" y=\"14\">");
	html_format(out, "%s, at most %s", title, render_value(type, &most, false, text));
	fputs("</text>\n", out);
	put_line(out, chart);
	put_day(out, chart->first, 0, "start");
	put_day(out, chart->last, WIDTH, "end");
	fputs("</svg></figure>\n", out);
}

void page_history(FILE *out, const struct document *document)
{
	static const struct {
		const char *key, *title;
	} charts[] = {
		{"files", "Files"},
		{"tiny_files", "Tiny files"},
		{"bytes", "Bytes in files"},
		{"window_seconds", "Backup window"},
	};
	const struct table *table = page_find_table(document, "rows");

	if (!table || time_column(table) < 0)
		return;
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < sizeof(charts) / sizeof(charts[0]); i++) {
		struct chart chart = {.table = table,
			.time = time_column(table),
			.column = page_column(table, charts[i].key)};

		if (chart.column >= 0 && measure(&chart) > 1 && chart.last > chart.first &&
			chart.most > 0)
			put_chart(out, &chart, charts[i].title);
	}
	fputs("</div>\n", out);
}
