// SPDX-License-Identifier: GPL-2.0-or-later
/* See learned.h. */
#include "reports/learned.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>

enum { DUMP_ID, STARTED, LEVEL, SECONDS, PREDICTED, ERROR };

static const struct column columns[] = {
	[DUMP_ID] = {"dump_id", "DUMP", VALUE_ID, 0, "id of the dump"},
	[STARTED] = {"started", "STARTED", VALUE_TIME, 0, "when it began"},
	[LEVEL] = {"level", "LEVEL", VALUE_ID, 0, "its level"},
	[SECONDS] = {"seconds", "TOOK", VALUE_SECONDS, 0, "how long it took"},
	[PREDICTED] = {"predicted_seconds", "PREDICTED", VALUE_SECONDS, 0,
		"what had been predicted, before any correction"},
	[ERROR] = {"error", "ERROR", VALUE_SHARE, COLUMN_NO_SUM, "predicted ÷ actual − 1"},
};

const char *learned_error(double error, char out[LABEL_BYTES])
{
	double percent = round(error * 100);

	if (error >= 9)
		snprintf(out, LABEL_BYTES, "×%.0f", error + 1);
	else if (percent == 0)
		snprintf(out, LABEL_BYTES, "0 %%");
	else
		snprintf(out, LABEL_BYTES, "%+.0f %%", percent);
	return out;
}

const char *learned_errors(const struct correction *correction, char *out, size_t out_bytes)
{
	char median[LABEL_BYTES], lowest[LABEL_BYTES], highest[LABEL_BYTES];

	learned_error(correction->median_error, median);
	if (correction->shown == 1)
		snprintf(out, out_bytes, "last dump: error %s", median);
	else
		snprintf(out, out_bytes, "last %u dumps: median error %s (%s to %s)",
			correction->shown, median, learned_error(correction->lowest_error, lowest),
			learned_error(correction->highest_error, highest));
	return out;
}

void learned_add_rows(struct document *document, const struct dump_history *history)
{
	struct table *table =
		document_table(document, "history", NULL, columns, ARRAY_LENGTH(columns));

	if (table)
		table->flags |= TABLE_DATA_ONLY;
	for (size_t i = 0; history && i < history->count; i++) {
		const struct dump_record *record = &history->records[i];
		struct value *row = table_row(document, table);

		if (!row)
			return;
		value_set_number(&row[DUMP_ID], (uint64_t)record->dump_id);
		if (record->session.has_date)
			value_set_time(&row[STARTED], record->session.started_seconds);
		value_set_number(&row[LEVEL], record->session.level);
		value_set_real(&row[SECONDS], (double)record->session.seconds);
		value_set_real(&row[PREDICTED], record->predicted_seconds);
		value_set_real(&row[ERROR], lesson_error(record));
	}
}

static void add_line(struct document *document, const struct correction *correction,
	const struct uncorrected *uncorrected)
{
	char errors[4 * LABEL_BYTES], before[UNIT_TEXT_BYTES];

	document_before(document, "Corrected from %s: %s.",
		unit_format_seconds(uncorrected->seconds, before),
		learned_errors(correction, errors, sizeof(errors)));
}

void learned_add(struct document *document, const struct dump_history *history,
	const struct uncorrected *uncorrected)
{
	const struct correction *correction = history ? &history->correction : NULL;
	bool known = correction && correction->lessons > 0;

	if (!uncorrected)
		return;
	document_field_number(
		document, "history_dumps", VALUE_COUNT, known ? correction->lessons : 0);
	document_field_real(document, "history_median_error", VALUE_SHARE,
		known ? correction->median_error : NAN);
	document_field_real(
		document, "correction_factor", VALUE_SHARE, known ? correction->factor : 1);
	document_field_real(document, "uncorrected_seconds", VALUE_SECONDS, uncorrected->seconds);
	document_field_real(
		document, "uncorrected_low_seconds", VALUE_SECONDS, uncorrected->low_seconds);
	document_field_real(
		document, "uncorrected_high_seconds", VALUE_SECONDS, uncorrected->high_seconds);
	if (known)
		add_line(document, correction, uncorrected);
}
