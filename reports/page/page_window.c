// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The backup window as strips, cut by what holds it back, by phase, by class and by user; and what
 * past dumps took.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"

#include "base/units.h"

#include <stdbool.h>
#include <string.h>

#define COLOURS      8
#define MIN_SHARE    0.005 /* what is less is not seen; it goes into the rest */
#define MAX_SEGMENTS 12
#define LABEL_SHARE  0.06 /* what is less has no room for its name */

/* A strip: a table's rows, what names them and what they take. */
struct strip {
	const struct table *table;
	const char *key;  /* its name as an id */
	const char *what; /* its rows are, or it is about */
	const char *rest; /* what they leave of the whole is */
	int label;
	int seconds;
	double whole;
};

static void put_segment(
	FILE *out, const struct strip *strip, const char *label, double seconds, size_t colour)
{
	char time[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES];

	unit_format_seconds(seconds, time);
	unit_format_share(seconds, strip->whole, share);
	fprintf(out, "<span class=\"f%zu\" style=\"flex:", colour);
	html_number(out, 1000 * seconds / strip->whole);
	fputs("\" title=\"", out);
	html_format(out, "%s: %s, %s", label, time, share);
	fputs("\">", out);
	if (seconds >= LABEL_SHARE * strip->whole)
		html_format(out, "%s %s", label, share);
	fputs("</span>", out);
}

static void put_strip(FILE *out, const struct strip *strip)
{
	double rest = strip->whole;
	size_t shown = 0;

	fprintf(out,
		"<p class=\"note\" id=\"by-%s\">%s</p><div class=\"strip\" role=\"img\" "
		"aria-labelledby=\"by-%s\">",
		strip->key, strip->what, strip->key);
	for (size_t row = 0; row < strip->table->row_count && shown < MAX_SEGMENTS; row++) {
		double seconds = page_number(strip->table, row, strip->seconds);

		if (seconds < MIN_SHARE * strip->whole)
			continue;
		put_segment(out, strip, page_text(strip->table, row, strip->label), seconds,
			shown++ % (COLOURS - 1));
		rest -= seconds;
	}
	if (rest > MIN_SHARE * strip->whole)
		put_segment(out, strip, strip->rest, rest, COLOURS - 1);
	fputs("</div>\n", out);
}

/* The table with @key, which is data only elsewhere. */
static void put_table(
	FILE *out, const struct document *document, const char *key, const char *title)
{
	const struct table *table = page_find_table(document, key);
	struct table shown;

	if (!table || !table->row_count)
		return;
	shown = *table;
	shown.flags &= ~(unsigned)TABLE_DATA_ONLY;
	shown.title = title;
	page_table(out, document, &shown);
}

void page_window(FILE *out, const struct document *document)
{
	static const struct {
		const char *table, *label, *what, *rest;
	} strips[] = {
		{"shares", "name", "What holds it back", "others"},
		{"phases", "name", "By phase", "others"},
		{"bands", "size", "By size of files", "not files"},
		{"users", "owner", "By user", "others"},
	};
	double whole = page_real_field(document, "seconds");

	for (size_t i = 0; i < sizeof(strips) / sizeof(strips[0]); i++) {
		struct strip strip = {
			.table = page_find_table(document, strips[i].table),
			.key = strips[i].table,
			.what = strips[i].what,
			.rest = strips[i].rest,
			.whole = whole,
		};

		if (!strip.table || !(whole > 0))
			continue;
		strip.label = page_column(strip.table, strips[i].label);
		strip.seconds = page_column(strip.table, "seconds");
		put_strip(out, &strip);
	}
	put_table(out, document, "shares", "What holds it back:");
	put_table(out, document, "history", "Past dumps, and what had been predicted:");
}
