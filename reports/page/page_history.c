// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What became of a filesystem from scan to scan: a small chart for each of a few columns, time to
 * the right. Each starts at zero, so that what looks twice as much is twice as much. Where there is
 * a forecast, it goes on dashed, in the interval that it has; a limit is a line across.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"
#include "reports/renderer.h"
#include "reports/trend_words.h"

#include "base/clock.h"
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  400.0
#define HEIGHT 160.0
#define TOP    24.0
#define BOTTOM 20.0

/* What lies higher than so many times the highest value would flatten the past: it is cut. */
#define MOST_ABOVE 2.0

/* A day in the middle of the axis keeps so far from those at the ends. */
#define DAY_WIDTH 90.0

struct point {
	double time, value;
};

struct chart {
	const struct table *table;
	int time;
	int column;
	struct point *points; /* owned */
	size_t count;
	double first; /* of the times */
	double last;
	double end; /* of the axis: the last, or where the forecast leads to */
	double most;
	double top;        /* of the axis of values */
	double limit;      /* 0: none */
	bool has_forecast; /* at `end`: */
	double expected, low, high;
	double now; /* where the line of the forecast is at the last scan */
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

static int by_time(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

/* The points in the order of time, whatever the rows are sorted by. False without memory. */
static bool measure(struct chart *chart)
{
	chart->points = calloc(chart->table->row_count + 1, sizeof(*chart->points));
	if (!chart->points)
		return false;
	for (size_t row = 0; row < chart->table->row_count; row++) {
		struct point point = {page_number(chart->table, row, chart->time),
			page_number(chart->table, row, chart->column)};

		if (!is_known(chart, row))
			continue;
		chart->points[chart->count++] = point;
		chart->most = fmax(chart->most, point.value);
	}
	qsort(chart->points, chart->count, sizeof(*chart->points), by_time);
	if (chart->count) {
		chart->first = chart->points[0].time;
		chart->last = chart->points[chart->count - 1].time;
	}
	return true;
}

static double x_of(const struct chart *chart, double time)
{
	return WIDTH * (time - chart->first) / (chart->end - chart->first);
}

static double y_of(const struct chart *chart, double value)
{
	double base = HEIGHT - BOTTOM;

	return base - (base - TOP) * fmin(fmax(value / chart->top, 0), 1);
}

/* A corner of a line: "12.00,34.00 ". */
static void put_point(FILE *out, const struct chart *chart, double time, double value)
{
	html_number(out, x_of(chart, time));
	putc(',', out);
	html_number(out, y_of(chart, value));
	putc(' ', out);
}

static void put_line(FILE *out, const struct chart *chart)
{
	fputs("<polyline class=\"path\" points=\"", out);
	for (size_t i = 0; i < chart->count; i++)
		put_point(out, chart, chart->points[i].time, chart->points[i].value);
	fputs("\"/>\n", out);
}

/* The forecast of the column @key, from the table that has them all. */
static void find_forecast(const struct document *document, const char *key, struct chart *chart)
{
	const struct table *table = page_find_table(document, "forecasts");
	int name = table ? page_column(table, "measure") : -1;
	int state = table ? page_column(table, "state") : -1;

	for (size_t row = 0; name >= 0 && row < table->row_count; row++) {
		if (strcmp(page_text(table, row, name), key) != 0 ||
			strcmp(page_text(table, row, state), "made") != 0)
			continue;
		chart->has_forecast = true;
		chart->end = chart->last + TREND_LOOK_AHEAD_DAYS * SECONDS_PER_DAY;
		chart->expected = page_number(table, row, page_column(table, "in_30_days"));
		chart->low = page_number(table, row, page_column(table, "low_in_30_days"));
		chart->high = page_number(table, row, page_column(table, "high_in_30_days"));
		chart->now =
			chart->expected - page_number(table, row, page_column(table, "per_day")) *
						  TREND_LOOK_AHEAD_DAYS;
	}
}

static void put_forecast(FILE *out, const struct chart *chart)
{
	if (!chart->has_forecast)
		return;
	fputs("<polygon class=\"range\" points=\"", out);
	put_point(out, chart, chart->last, chart->now);
	put_point(out, chart, chart->end, chart->low);
	put_point(out, chart, chart->end, chart->high);
	fputs("\"/>\n<polyline class=\"path ahead\" points=\"", out);
	put_point(out, chart, chart->last, chart->now);
	put_point(out, chart, chart->end, chart->expected);
	fputs("\"/>\n", out);
}

/* A limit across; the heading tells it, since it may be far above everything. */
static void put_limit(FILE *out, const struct chart *chart)
{
	double y = y_of(chart, chart->limit);

	if (chart->limit <= 0 || chart->limit > chart->top)
		return;
	fprintf(out, "<line class=\"limit\" x1=\"0\" x2=\"%.0f\" y1=\"", WIDTH);
	html_number(out, y);
	fputs("\" y2=\"", out);
	html_number(out, y);
	fputs("\"/>\n", out);
}

/* "Backup window, at most 11 s, limit 12 s". */
static void put_heading(FILE *out, const struct chart *chart, const char *title)
{
	enum value_type type = chart->table->columns[chart->column].type;
	struct value most = {.present = true};
	char text[VALUE_TEXT_BYTES], limit[UNIT_TEXT_BYTES];

	if (type == VALUE_SECONDS)
		most.real = chart->most;
	else
		most.number = (uint64_t)chart->most;
	fputs("<text x=\"0\" y=\"14\">", out);
	html_format(out, "%s, at most %s%s%s", title, render_value(type, &most, false, text),
		chart->limit > 0 ? ", limit " : "",
		chart->limit > 0 ? unit_format_seconds(chart->limit, limit) : "");
	fputs("</text>\n", out);
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

/* The first and the last day of the axis, and that of the last scan where there is room. */
static void put_days(FILE *out, const struct chart *chart)
{
	double last = x_of(chart, chart->last);

	put_day(out, chart->first, 0, "start");
	if (last > DAY_WIDTH * 1.2 && last < WIDTH - DAY_WIDTH * 1.2)
		put_day(out, chart->last, last, "middle");
	put_day(out, chart->end, WIDTH, "end");
}

/* How high the chart reaches: all that is drawn, but what flattens the past. */
static void choose_top(struct chart *chart)
{
	double bound = MOST_ABOVE * chart->most;

	chart->top = chart->most;
	if (chart->has_forecast)
		chart->top = fmax(chart->top, fmin(chart->high, bound));
	if (chart->limit > 0 && chart->limit <= bound)
		chart->top = fmax(chart->top, chart->limit);
}

static void put_chart(FILE *out, const struct chart *chart, const char *title)
{
	fprintf(out, "<figure><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", WIDTH,
		HEIGHT);
	html_format(out, "%s over time; the table below has the same", title);
	fprintf(out, "\">\n<line class=\"axis\" x1=\"0\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>\n",
		WIDTH, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
	put_heading(out, chart, title);
	put_forecast(out, chart);
	put_line(out, chart);
	put_limit(out, chart);
	put_days(out, chart);
	fputs("</svg></figure>\n", out);
}

/* Draws the column of @chart where it varies in time; returns whether with a forecast. */
static bool put_measure(FILE *out, const struct document *document, struct chart *chart,
	const char *key, const char *title)
{
	if (chart->column < 0 || !measure(chart) || !(chart->last > chart->first) ||
		!(chart->most > 0))
		return false;
	chart->end = chart->last;
	if (chart->table->columns[chart->column].type == VALUE_SECONDS)
		chart->limit = page_real_field(document, "limit_seconds");
	find_forecast(document, key, chart);
	choose_top(chart);
	put_chart(out, chart, title);
	return chart->has_forecast;
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
	bool has_forecast = false;

	if (!table || time_column(table) < 0)
		return;
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < sizeof(charts) / sizeof(charts[0]); i++) {
		struct chart chart = {.table = table,
			.time = time_column(table),
			.column = page_column(table, charts[i].key)};

		has_forecast |= put_measure(out, document, &chart, charts[i].key, charts[i].title);
		free(chart.points);
	}
	fputs("</div>\n", out);
	if (has_forecast)
		fprintf(out,
			"<p class=\"note\">Dashed: the forecast for %d days, and its 95 %% "
			"interval.</p>\n",
			TREND_LOOK_AHEAD_DAYS);
}
