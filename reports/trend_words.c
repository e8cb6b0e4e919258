// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See trend_words.h. What cannot be known is said as well: a forecast is believed more readily than
 * it deserves.
 */
#include "reports/trend_words.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "reports/common.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *trend_amount(enum history_measure measure, double value, char out[UNIT_TEXT_BYTES])
{
	uint64_t whole = fabs(value) < 1.8e19 ? (uint64_t)(fabs(value) + 0.5) : UINT64_MAX;

	switch (measure) {
	case HISTORY_BYTES:
		return unit_format_bytes(whole, out);
	case HISTORY_WINDOW:
		return unit_format_seconds(fabs(value), out);
	default:
		return unit_format_count(whole, out);
	}
}

const char *trend_measure_words(enum history_measure measure)
{
	static const char *const words[HISTORY_MEASURES] = {
		[HISTORY_FILES] = "files",
		[HISTORY_TINY_FILES] = "tiny files",
		[HISTORY_BYTES] = "bytes",
		[HISTORY_WINDOW] = "backup window",
	};

	return words[measure];
}

static const char *sign_of(double value)
{
	return value < 0 ? "−" : "+";
}

/* There is a season: the pace of years, and what months of it had. */
static void season_line(
	struct document *document, const struct forecast *forecast, enum history_measure measure)
{
	char pace[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES], since[LABEL_BYTES];

	document_before(document,
		"The %s: %s%s a day over whole years since %s. Each year goes the same way, at "
		"%s%s to %s%s a day in its months: the forecast is for years, not for the season.",
		trend_measure_words(measure), sign_of(forecast->per_day),
		trend_amount(measure, forecast->per_day, pace),
		report_day(forecast->since_seconds, since), sign_of(forecast->low_per_day),
		trend_amount(measure, forecast->low_per_day, low), sign_of(forecast->high_per_day),
		trend_amount(measure, forecast->high_per_day, high));
}

static void pace_line(
	struct document *document, const struct forecast *forecast, enum history_measure measure)
{
	char pace[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	char since[LABEL_BYTES], scans[LABEL_BYTES];
	bool window = measure == HISTORY_WINDOW;
	bool shrinks = forecast->per_day < 0;

	report_day(forecast->since_seconds, since);
	report_plural(forecast->scans, "scan", "scans", scans);
	if (forecast->seasonal) {
		season_line(document, forecast, measure);
		return;
	}
	if (forecast->low_per_day <= 0 && forecast->high_per_day >= 0) {
		document_before(document,
			"The %s: no clear pace since %s (%s; 95 %%: −%s to +%s a day).",
			trend_measure_words(measure), since, scans,
			trend_amount(measure, forecast->low_per_day, low),
			trend_amount(measure, forecast->high_per_day, high));
		return;
	}
	document_before(document, "The %s %s by %s a day since %s (%s; 95 %%: %s to %s).",
		trend_measure_words(measure),
		shrinks  ? window ? "shrinks" : "shrink"
		: window ? "grows"
			 : "grow",
		trend_amount(measure, forecast->per_day, pace), since, scans,
		trend_amount(
			measure, shrinks ? forecast->high_per_day : forecast->low_per_day, low),
		trend_amount(
			measure, shrinks ? forecast->low_per_day : forecast->high_per_day, high));
}

/* Why nothing can be said, or what the pace is. */
static void forecast_line(
	struct document *document, const struct forecast *forecast, enum history_measure measure)
{
	char since[LABEL_BYTES], scans[LABEL_BYTES];

	switch (forecast->state) {
	case FORECAST_NONE:
		return;
	case FORECAST_SHORT:
		document_before(document,
			"Too little history for a forecast: %s since %s, and it takes %d over %d "
			"days.",
			report_plural(forecast->scans, "scan", "scans", scans),
			report_day(forecast->since_seconds, since), FORECAST_MIN_SCANS,
			FORECAST_MIN_DAYS);
		return;
	case FORECAST_CHANGED:
		document_before(document,
			"The %s changed for good on %s; since then there is too little history "
			"for a forecast (%s; it takes %d over %d days).",
			trend_measure_words(measure), report_day(forecast->since_seconds, since),
			report_plural(forecast->scans, "scan", "scans", scans), FORECAST_MIN_SCANS,
			FORECAST_MIN_DAYS);
		return;
	case FORECAST_MADE:
		pace_line(document, forecast, measure);
		return;
	}
}

/* ", driven by uid 2041 (+3 h 10 since 2026-10-02; all: +3 h 40)", or nothing; to be freed. */
static char *driver_text(const struct report_input *input, enum history_measure measure)
{
	const struct growth *growth = &input->trend->growth;
	const struct growth_user *driver = growth_most(growth, measure);
	char part[UNIT_TEXT_BYTES], whole[UNIT_TEXT_BYTES], since[LABEL_BYTES];
	autofree char *label = NULL;
	double all = 0;
	char *text;

	for (size_t i = 0; i < growth->count; i++)
		all += growth_change(&growth->users[i], measure);
	if (!driver || all <= 0 || (measure == HISTORY_WINDOW && !growth->has_seconds))
		return strdup("");
	label = report_owner_label(input->options, OWNER_USER, driver->uid, NULL);
	if (!label || asprintf(&text, ", driven by %s (+%s since %s; all: +%s)", label,
			      trend_amount(measure, growth_change(driver, measure), part),
			      report_day((double)growth->before_seconds, since),
			      trend_amount(measure, all, whole)) < 0)
		return NULL;
	return text;
}

/* " (2027-02-20 to 2027-04-01)", as far as it is known. */
static const char *range_text(const struct crossing *crossing, char out[2 * LABEL_BYTES])
{
	char early[LABEL_BYTES], late[LABEL_BYTES];

	if (isfinite(crossing->late_seconds))
		snprintf(out, 2 * LABEL_BYTES, " (95 %%: %s to %s)",
			report_day(crossing->early_seconds, early),
			report_day(crossing->late_seconds, late));
	else
		snprintf(out, 2 * LABEL_BYTES, " (95 %%: %s or later)",
			report_day(crossing->early_seconds, early));
	return out;
}

static void crossing_line(struct document *document, const struct report_input *input,
	const struct crossing *crossing)
{
	const struct forecast *forecast = &input->trend->forecasts[HISTORY_WINDOW];
	autofree char *driver = driver_text(input, HISTORY_WINDOW);
	char limit[UNIT_TEXT_BYTES], day[LABEL_BYTES], range[2 * LABEL_BYTES];

	unit_format_seconds(input->options->limit_seconds, limit);
	if (!driver) {
		document->code = -ENOMEM;
		return;
	}
	switch (crossing->state) {
	case CROSSING_PAST:
		document_before(
			document, "The backup window is above %s already%s.", limit, driver);
		return;
	case CROSSING_AHEAD:
		document_before(document, "It passes %s around %s%s%s.", limit,
			report_day(crossing->seconds, day), range_text(crossing, range), driver);
		return;
	case CROSSING_BEYOND:
		report_day(forecast->horizon_seconds, day);
		if (isfinite(crossing->early_seconds))
			document_before(document,
				"It may pass %s from %s on (95 %%), but is not expected to before "
				"%s, "
				"where the forecast ends.",
				limit, report_day(crossing->early_seconds, range), day);
		else
			document_before(document,
				"It does not pass %s before %s, where the forecast ends.", limit,
				day);
		return;
	case CROSSING_NONE:
		if (forecast->state == FORECAST_MADE)
			document_before(document, "At that pace it never passes %s.", limit);
		return;
	}
}

/* Where the leading measure leads to, when nobody asked for a limit. */
static void ahead_line(
	struct document *document, const struct report_input *input, enum history_measure measure)
{
	const struct forecast *forecast = &input->trend->forecasts[measure];
	autofree char *driver = driver_text(input, measure);
	char value[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	double least, most, expected;

	if (!driver) {
		document->code = -ENOMEM;
		return;
	}
	expected = forecast_value(forecast,
		forecast->until_seconds + TREND_LOOK_AHEAD_DAYS * SECONDS_PER_DAY, &least, &most);
	document_before(document, "In %d days: %s (95 %%: %s to %s)%s.", TREND_LOOK_AHEAD_DAYS,
		trend_amount(measure, fmax(expected, 0), value),
		trend_amount(measure, fmax(least, 0), low),
		trend_amount(measure, fmax(most, 0), high), driver);
}

static void field_when(struct document *document, const char *key, double seconds)
{
	if (isfinite(seconds))
		document_field_time(document, key, VALUE_TIME, clock_seconds_of(seconds));
	else
		document_field_text(document, key, NULL);
}

static void tell_unknown(struct document *document, const struct report_input *input)
{
	if (input->options->has_user)
		document_before(document, "Nothing is known of the backup window of one user.");
	else
		document_before(document, "Nothing is known of the backup window: %s.",
			input->no_prediction ? input->no_prediction : "calibrate first");
}

static void add_limit(struct document *document, const struct report_input *input)
{
	const struct forecast *forecast = &input->trend->forecasts[HISTORY_WINDOW];
	const struct growth_user *driver = growth_most(&input->trend->growth, HISTORY_WINDOW);
	struct crossing crossing;

	forecast_crossing(forecast, input->options->limit_seconds, &crossing);
	document_field_real(
		document, "limit_seconds", VALUE_SECONDS, input->options->limit_seconds);
	document_field_text(
		document, "crosses_state", crossing_state_name(forecast, crossing.state));
	field_when(document, "crosses", crossing.seconds);
	field_when(document, "crosses_early", crossing.early_seconds);
	field_when(document, "crosses_late", crossing.late_seconds);
	if (driver && input->trend->growth.has_seconds)
		document_field_number(document, "driver", VALUE_ID, driver->uid);
	if (forecast->state == FORECAST_NONE)
		tell_unknown(document, input);
	crossing_line(document, input, &crossing);
}

void trend_words(struct document *document, const struct report_input *input)
{
	const struct trend *trend = input->trend;
	enum history_measure measure = trend_leading(trend);

	forecast_line(document, &trend->forecasts[measure], measure);
	if (input->options->has_limit)
		add_limit(document, input);
	else if (trend->forecasts[measure].state == FORECAST_MADE)
		ahead_line(document, input, measure);
}
