// SPDX-License-Identifier: GPL-2.0-or-later
/* Files by the time of their last change: a column a period, the tiny ones at its foot. */
#include "reports/page/page_html.h"
#include "reports/page/page.h"

#include "base/units.h"

#include <math.h>

#define WIDTH  1000.0
#define HEIGHT 240.0
#define TOP    20.0
#define BOTTOM 40.0

struct chart {
	const struct table *table;
	int period;
	int files;
	int tiny_files;
	double most;
	double step; /* from a column to the next */
};

static void put_period(FILE *out, const struct chart *chart, size_t row)
{
	double files = page_number(chart->table, row, chart->files);
	double tiny = page_number(chart->table, row, chart->tiny_files);
	double base = HEIGHT - BOTTOM, unit = (base - TOP) / chart->most;
	double middle = chart->step * ((double)row + 0.5), width = chart->step * 0.7;
	char count[UNIT_TEXT_BYTES];

	unit_format_count((uint64_t)files, count);
	html_svg_rectangle(out, "f1", middle - width / 2, base - tiny * unit, width, tiny * unit);
	html_svg_rectangle(
		out, "f0", middle - width / 2, base - files * unit, width, (files - tiny) * unit);
	html_svg_text(out, "middle", middle, base - files * unit - 5, count);
	html_svg_text(
		out, "middle", middle, base + 18, page_text(chart->table, row, chart->period));
	putc('\n', out);
}

void page_ages(FILE *out, const struct document *document)
{
	struct chart chart = {.table = page_find_table(document, "rows")};

	if (!chart.table || !chart.table->row_count)
		return;
	chart.period = page_column(chart.table, "period");
	chart.files = page_column(chart.table, "files");
	chart.tiny_files = page_column(chart.table, "tiny_files");
	chart.step = WIDTH / (double)chart.table->row_count;
	for (size_t row = 0; row < chart.table->row_count; row++)
		chart.most = fmax(chart.most, page_number(chart.table, row, chart.files));
	if (chart.most <= 0)
		return;
	fprintf(out,
		"<figure><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Files by age; "
		"the table below has the same\">\n",
		WIDTH, HEIGHT);
	for (size_t row = 0; row < chart.table->row_count; row++)
		put_period(out, &chart, row);
	fputs("</svg><figcaption>Files by the time of their last change; the lower part of a "
	      "column "
	      "are tiny files.</figcaption></figure>\n",
		out);
}
