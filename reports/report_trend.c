// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report trend`: what a filesystem was from scan to scan, and where that leads to. The answer in
 * words and pictures comes first; the rows are the newest scans first. Windows are those of then,
 * priced with the calibration of today, so that only the contents make the difference.
 */
#include "reports/common.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "reports/bands.h"
#include "reports/sparkline.h"
#include "reports/trend_words.h"

#include <errno.h>
#include <stdio.h>

enum { SCAN_ID, STARTED, FILES, TINY_FILES, BYTES, ALLOCATED_BYTES, INODES, WINDOW, ERRORS };

static const struct column columns[] = {
	[SCAN_ID] = {"scan_id", "SCAN", VALUE_ID, 0, "id of the scan"},
	[STARTED] = {"started", "STARTED (UTC)", VALUE_TIME, 0, "when the scan began"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0,
		"regular files below the tiny edge of the newest scan"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "sizes of the regular files"},
	[ALLOCATED_BYTES] = {"allocated_bytes", "ON DISK", VALUE_BYTES, COLUMN_OPTIONAL,
		"taken on disk by all inodes"},
	[INODES] = {"inodes", "INODES", VALUE_COUNT, COLUMN_DATA_ONLY, "inodes of all kinds"},
	[WINDOW] = {"window_seconds", "WINDOW", VALUE_SECONDS, 0,
		"level-0 dump of it, by today's calibration"},
	[ERRORS] = {"errors", "UNREADABLE", VALUE_COUNT, COLUMN_OPTIONAL, "failures of all kinds"},
};

/* --- Pictures ------------------------------------------------------------------------------ */

enum { WHAT, THEN, NOW, CHANGE, PICTURE };

static const struct column picture_columns[] = {
	[WHAT] = {"what", "", VALUE_TEXT, 0, "what is followed"},
	[THEN] = {"then", "FIRST", VALUE_TEXT, COLUMN_OPTIONAL | COLUMN_RIGHT,
		"in the oldest scan"},
	[NOW] = {"now", "NOW", VALUE_TEXT, COLUMN_RIGHT, "in the newest scan"},
	[CHANGE] = {"change", "CHANGE", VALUE_TEXT, COLUMN_RIGHT, "of it"},
	[PICTURE] = {"picture", "FROM LEAST TO MOST", VALUE_TEXT, 0, "over time"},
};

static void add_picture(struct document *document, struct table *table, const char *what,
	enum history_measure measure, const struct forecast_point *points, size_t count)
{
	struct value *row = table_row(document, table);
	char text[UNIT_TEXT_BYTES], change[UNIT_TEXT_BYTES + 4], picture[SPARKLINE_BYTES];
	double grown;

	if (!row || !count)
		return;
	grown = points[count - 1].value - points[0].value;
	value_set_text(document, &row[WHAT], what);
	value_set_text(document, &row[THEN], trend_amount(measure, points[0].value, text));
	value_set_text(document, &row[NOW], trend_amount(measure, points[count - 1].value, text));
	trend_amount(measure, grown, text);
	snprintf(change, sizeof(change), "%s%s", grown > 0 ? "+" : grown < 0 ? "−" : "", text);
	value_set_text(document, &row[CHANGE], change);
	value_set_text(document, &row[PICTURE], sparkline(points, count, picture));
}

static void add_measures(
	struct document *document, struct table *table, const struct history *history)
{
	for (int measure = 0; measure < HISTORY_MEASURES; measure++) {
		size_t count;
		autofree struct forecast_point *points =
			history_points(history, (enum history_measure)measure, &count);

		if (!points)
			document->code = -ENOMEM;
		else if (count)
			add_picture(document, table,
				trend_measure_words((enum history_measure)measure),
				(enum history_measure)measure, points, count);
	}
}

static bool is_empty(const struct forecast_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (points[i].value > 0)
			return false;
	}
	return true;
}

static void add_band_pictures(struct document *document, struct table *table,
	const struct history *history, const struct bands *bands)
{
	autofree struct forecast_point *points =
		reallocarray(NULL, history->count + 1, sizeof(*points));

	for (size_t band = 0; points && band < bands->count; band++) {
		char what[LABEL_BYTES + 8], range[LABEL_BYTES];

		for (size_t i = 0; i < history->count; i++)
			points[i] = (struct forecast_point){
				(double)history->scans[i].started_seconds,
				(double)bands_sum(bands, band, &history->scans[i].cube).inodes};
		if (is_empty(points, history->count))
			continue;
		snprintf(what, sizeof(what), "  %s",
			report_size_range(bands_low(bands, band), bands_high(bands, band), range));
		add_picture(document, table, what, HISTORY_FILES, points, history->count);
	}
	if (!points)
		document->code = -ENOMEM;
}

static void add_pictures(
	struct document *document, const struct history *history, const struct bands *bands)
{
	struct table *table = document_table(
		document, "pictures", NULL, picture_columns, ARRAY_LENGTH(picture_columns));

	if (!table || !history->count)
		return;
	table->flags = TABLE_TEXT_ONLY;
	add_measures(document, table, history);
	add_band_pictures(document, table, history, bands);
}

/* --- Data ---------------------------------------------------------------------------------- */

enum {
	MEASURE,
	STATE,
	SCANS,
	SINCE,
	CHANGED,
	SEASONAL,
	PER_DAY,
	LOW,
	HIGH,
	VALUE_30,
	LOW_30,
	HIGH_30,
};

static const struct column forecast_columns[] = {
	[MEASURE] = {"measure", "MEASURE", VALUE_TEXT, 0, "what is followed, unit included"},
	[STATE] = {"state", "STATE", VALUE_TEXT, 0, "none, made, too-short or changed"},
	[SCANS] = {"scans", "SCANS", VALUE_COUNT, 0, "scans that it rests on"},
	[SINCE] = {"since", "SINCE", VALUE_TIME, 0, "the first of them"},
	[CHANGED] = {"changed", "CHANGED", VALUE_COUNT, 0, "1: something changed for good there"},
	[SEASONAL] = {"seasonal", "SEASONAL", VALUE_COUNT, 0,
		"1: years go alike; growth is over whole years"},
	[PER_DAY] = {"per_day", "A DAY", VALUE_REAL, 0, "growth a day"},
	[LOW] = {"low_per_day", "LOW", VALUE_REAL, 0, "95 % interval"},
	[HIGH] = {"high_per_day", "HIGH", VALUE_REAL, 0, "95 % interval"},
	[VALUE_30] = {"in_30_days", "IN 30 DAYS", VALUE_REAL, 0, "expected 30 days on"},
	[LOW_30] = {"low_in_30_days", "LOW", VALUE_REAL, 0, "95 % interval"},
	[HIGH_30] = {"high_in_30_days", "HIGH", VALUE_REAL, 0, "95 % interval"},
};

static void add_forecast(struct document *document, struct table *table,
	const struct forecast *forecast, enum history_measure measure)
{
	struct value *row = table_row(document, table);
	double expected, low, high;

	if (!row)
		return;
	value_set_text(document, &row[MEASURE], history_measure_name(measure));
	value_set_text(document, &row[STATE], forecast_state_name(forecast->state));
	if (forecast->state == FORECAST_NONE)
		return;
	value_set_number(&row[SCANS], forecast->scans);
	value_set_time(&row[SINCE], clock_seconds_of(forecast->since_seconds));
	value_set_number(&row[CHANGED], forecast->changed);
	value_set_number(&row[SEASONAL], forecast->seasonal);
	if (forecast->state != FORECAST_MADE)
		return;
	expected = forecast_value(forecast,
		forecast->until_seconds + TREND_LOOK_AHEAD_DAYS * SECONDS_PER_DAY, &low, &high);
	value_set_real(&row[PER_DAY], forecast->per_day);
	value_set_real(&row[LOW], forecast->low_per_day);
	value_set_real(&row[HIGH], forecast->high_per_day);
	value_set_real(&row[VALUE_30], expected);
	value_set_real(&row[LOW_30], low);
	value_set_real(&row[HIGH_30], high);
}

static void add_forecasts(struct document *document, const struct trend *trend)
{
	struct table *table = document_table(
		document, "forecasts", NULL, forecast_columns, ARRAY_LENGTH(forecast_columns));

	if (!table)
		return;
	table->flags = TABLE_DATA_ONLY;
	for (int measure = 0; measure < HISTORY_MEASURES; measure++)
		add_forecast(
			document, table, &trend->forecasts[measure], (enum history_measure)measure);
}

enum { BAND_SCAN, BAND_STARTED, BAND_LOW, BAND_HIGH, BAND_FILES, BAND_BYTES };

static const struct column band_columns[] = {
	[BAND_SCAN] = {"scan_id", "SCAN", VALUE_ID, 0, "id of the scan"},
	[BAND_STARTED] = {"started", "STARTED", VALUE_TIME, 0, "when the scan began"},
	[BAND_LOW] = {"low_bytes", "FROM", VALUE_BYTES, COLUMN_NO_SUM, "smallest size"},
	[BAND_HIGH] = {"high_bytes", "BELOW", VALUE_BYTES, COLUMN_NO_SUM, "first size above"},
	[BAND_FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[BAND_BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "their sizes"},
};

static void add_bands(
	struct document *document, const struct history *history, const struct bands *bands)
{
	struct table *table =
		document_table(document, "bands", NULL, band_columns, ARRAY_LENGTH(band_columns));

	if (!table)
		return;
	table->flags = TABLE_DATA_ONLY;
	for (size_t i = history->count; i-- > 0;) {
		const struct history_scan *scan = &history->scans[i];

		for (size_t band = 0; band < bands->count; band++) {
			struct value *row = table_row(document, table);
			struct cube_sums sums = bands_sum(bands, band, &scan->cube);

			if (!row)
				return;
			value_set_number(&row[BAND_SCAN], (uint64_t)scan->scan_id);
			value_set_time(&row[BAND_STARTED], scan->started_seconds);
			value_set_number(&row[BAND_LOW], bands_low(bands, band));
			value_set_number(&row[BAND_HIGH], bands_high(bands, band));
			value_set_number(&row[BAND_FILES], sums.inodes);
			value_set_number(&row[BAND_BYTES], sums.size_bytes);
		}
	}
}

static void add_scan(
	struct document *document, struct table *table, const struct history_scan *scan)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_number(&row[SCAN_ID], (uint64_t)scan->scan_id);
	value_set_time(&row[STARTED], scan->started_seconds);
	value_set_number(&row[FILES], scan->totals.regular_files);
	value_set_number(&row[TINY_FILES], scan->totals.tiny_files);
	value_set_number(&row[BYTES], scan->totals.bytes);
	value_set_number(&row[ALLOCATED_BYTES], scan->totals.allocated_bytes);
	value_set_number(&row[INODES], scan->totals.inodes);
	if (scan->has_window)
		value_set_real(&row[WINDOW], scan->window_seconds);
	value_set_number(&row[ERRORS], scan->errors);
}

/* Sums over scans would mean nothing: what is not shown is only counted. */
static int add_scans(struct document *document, const struct report_input *input, struct err *err)
{
	const struct history *history = &input->trend->history;
	struct table *table =
		document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	size_t top = input->options->top;
	int rc;

	for (size_t i = history->count; i-- > 0;)
		add_scan(document, table, &history->scans[i]);
	rc = report_sort(table, input->options, err);
	if (rc || !table || !top || table->row_count <= top)
		return rc;
	document_after(document, "%zu more scan%s not shown%s.", table->row_count - top,
		table->row_count - top == 1 ? " is" : "s are",
		input->options->no_hints ? "" : "; --top=0 shows all");
	table_keep(table, top);
	return 0;
}

/* Scans that are not told of. */
static void add_later_note(struct document *document, const struct trend *trend)
{
	char scans[LABEL_BYTES];

	if (trend->later)
		document_after(document,
			"Left out: %s taken before this scan but dated after it. A clock was "
			"wrong.",
			report_plural(trend->later, "scan", "scans", scans));
}

/* What windows of the past are, and how well any window is known. */
static void add_window_note(struct document *document, const struct report_input *input)
{
	const struct prediction *prediction = input->prediction;
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	if (!prediction || trend_leading(input->trend) != HISTORY_WINDOW)
		return;
	document_after(document,
		"Windows are level-0 dumps of what each scan found, all priced by the newest "
		"calibration, so that only contents differ. How well that knows them comes on top: "
		"the newest window is %s to %s (95 %%).",
		unit_format_seconds(prediction->low_seconds, low),
		unit_format_seconds(prediction->high_seconds, high));
}

static int fill(struct document *document, const struct report_input *input,
	const struct bands *bands, struct err *err)
{
	const struct trend *trend = input->trend;
	struct census_totals all; /* of the newest scan, whichever user is asked for */
	int rc;

	if (input->calibration && trend_leading(trend) == HISTORY_WINDOW)
		document_field_number(document, "window_calibration_id", VALUE_ID,
			(uint64_t)input->calibration->calibration_id);
	trend_words(document, input);
	census_total(input->cube, input->scan->tiny_bytes, &all);
	report_scan_line(document, input->scan, all.inodes);
	add_pictures(document, &trend->history, bands);
	if (input->options->band_edges)
		add_bands(document, &trend->history, bands);
	rc = add_scans(document, input, err);
	if (!input->options->band_edges)
		add_bands(document, &trend->history, bands);
	add_forecasts(document, trend);
	add_window_note(document, input);
	add_later_note(document, trend);
	return rc;
}

int report_trend(const struct report_input *input, struct document *document, struct err *err)
{
	struct bands bands;
	int rc = bands_init(&bands, input->options, err);

	report_begin(document, "trend", input);
	if (!rc)
		rc = fill(document, input, &bands, err);
	return rc ? rc : report_end(document, err);
}
