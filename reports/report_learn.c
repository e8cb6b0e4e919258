// SPDX-License-Identifier: GPL-2.0-or-later
/* `learn`: which dumps a log told of, what had been predicted of them, and what follows. */
#include "reports/learned.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	STARTED,
	PATH,
	LEVEL,
	STATUS,
	SECONDS,
	PREDICTED,
	ERROR_TEXT,
	RESULT_TEXT,
	ERROR,
	LOW,
	HIGH,
	LESSON,
	REMARK,
	KNOWN,
	DUMP_ID,
	SESSION_ID,
	FS_ID,
	STREAMS,
	BASE_STARTED,
	MEDIA_BYTES,
	PREDICTED_BYTES,
	SCAN_ID,
	CALIBRATION_ID,
	LOG,
};

static const struct column columns[] = {
	[STARTED] = {"started", "STARTED (UTC)", VALUE_TIME, 0, "when it began"},
	[PATH] = {"mount_point", "PATH", VALUE_TEXT, COLUMN_OPTIONAL, "what was dumped"},
	[LEVEL] = {"level", "LEVEL", VALUE_ID, 0, "0 to 9"},
	[STATUS] = {"status", "STATUS", VALUE_TEXT, COLUMN_OPTIONAL, "how it ended"},
	[SECONDS] = {"seconds", "TOOK", VALUE_SECONDS, COLUMN_NO_SUM, "how long it took"},
	[PREDICTED] = {"predicted_seconds", "PREDICTED", VALUE_SECONDS, COLUMN_NO_SUM,
		"what is predicted of it, before any correction"},
	[ERROR_TEXT] = {"error_text", "ERROR", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_RIGHT,
		"predicted against actual"},
	[RESULT_TEXT] = {"result", "RESULT", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH,
		"what it is good for"},
	[ERROR] = {"error", "ERROR", VALUE_SHARE, COLUMN_DATA_ONLY, "predicted ÷ actual − 1"},
	[LOW] = {"predicted_low_seconds", "FROM", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"start of the 95 % interval"},
	[HIGH] = {"predicted_high_seconds", "TO", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"end of the 95 % interval"},
	[LESSON] = {"lesson", "LESSON", VALUE_TEXT, COLUMN_DATA_ONLY,
		"learned, or why not: unclear, failed, resumed, unpredicted, short, other-dump"},
	[REMARK] = {"remark", "REMARK", VALUE_TEXT, COLUMN_DATA_ONLY, "the same in words"},
	[KNOWN] = {"known", "KNOWN", VALUE_COUNT, COLUMN_DATA_ONLY, "1: it was stored before"},
	[DUMP_ID] = {"dump_id", "DUMP", VALUE_ID, COLUMN_DATA_ONLY, "id, none if not stored"},
	[SESSION_ID] = {"session_id", "SESSION", VALUE_TEXT, COLUMN_DATA_ONLY, "xfsdump's own id"},
	[FS_ID] = {"fs_id", "FILESYSTEM", VALUE_TEXT, COLUMN_DATA_ONLY, "id of the filesystem"},
	[STREAMS] = {"streams", "STREAMS", VALUE_COUNT, COLUMN_DATA_ONLY, "of the dump"},
	[BASE_STARTED] = {"base_started", "BASE", VALUE_TIME, COLUMN_DATA_ONLY, "when that began"},
	[MEDIA_BYTES] = {"media_bytes", "DUMPED", VALUE_BYTES, COLUMN_DATA_ONLY,
		"bytes of its media files"},
	[PREDICTED_BYTES] = {"predicted_bytes", "PREDICTED BYTES", VALUE_BYTES, COLUMN_DATA_ONLY,
		"what is predicted of them"},
	[SCAN_ID] = {"scan_id", "SCAN", VALUE_ID, COLUMN_DATA_ONLY, "that it is predicted from"},
	[CALIBRATION_ID] = {"calibration_id", "CALIBRATION", VALUE_ID, COLUMN_DATA_ONLY,
		"that it is predicted from"},
	[LOG] = {"log", "LOG", VALUE_TEXT, COLUMN_DATA_ONLY, "that tells of it"},
};

enum { OF, OF_ID, OF_KIND, OF_SINK, LESSONS_COUNT, MEDIAN, FACTOR, SPREAD };

static const struct column history_columns[] = {
	[OF] = {"mount_point", "PATH", VALUE_TEXT, 0, "the filesystem"},
	[OF_ID] = {"fs_id", "FILESYSTEM", VALUE_TEXT, 0, "its id"},
	[OF_KIND] = {"kind", "KIND", VALUE_TEXT, 0, "level-0 or incremental"},
	[OF_SINK] = {"sink", "SINK", VALUE_TEXT, 0, "where dumps are taken to go"},
	[LESSONS_COUNT] = {"lessons", "LESSONS", VALUE_COUNT, 0, "dumps that count"},
	[MEDIAN] = {"median_error", "MEDIAN ERROR", VALUE_SHARE, 0, "of the last five of them"},
	[FACTOR] = {"correction_factor", "FACTOR", VALUE_SHARE, 0, "for predicted seconds"},
	[SPREAD] = {"spread", "SPREAD", VALUE_SHARE, 0,
		"standard deviation of the logarithms from it"},
};

/* --- Dumps ------------------------------------------------------------------------------------ */

/* What there is to say of a dump that could be stored. */
static void lesson_text(const struct dump_record *record, char *out, size_t bytes)
{
	static const char *const texts[LESSONS] = {
		[LESSON_LEARNED] = "learned",
		[LESSON_FAILED] = "not learned: it did not succeed",
		[LESSON_RESUMED] = "not learned: it is the rest of an earlier dump",
		[LESSON_UNPREDICTED] = "not learned: nothing is predicted of it",
		[LESSON_SHORT] = "not learned: too short, as xfsdump counts whole seconds",
		[LESSON_OTHER_DUMP] = "not learned: not of the size predicted; was it all of it?",
	};
	enum lesson lesson = lesson_of(record);
	char problems[LABEL_BYTES * 4];

	if (lesson == LESSON_UNCLEAR)
		snprintf(out, bytes, "not learned: %s",
			dump_problem_text(record->session.problems, problems, sizeof(problems)));
	else
		snprintf(out, bytes, "%s", texts[lesson]);
}

static void set_amount(struct value *value, uint64_t amount)
{
	if (amount != DUMP_UNKNOWN)
		value_set_number(value, amount);
}

static void set_session(
	struct document *document, struct value *row, const struct dump_session *session)
{
	if (session->has_date)
		value_set_time(&row[STARTED], session->started_seconds);
	value_set_bytes(document, &row[PATH], session->mount_point);
	if (session->has_level)
		value_set_number(&row[LEVEL], session->level);
	value_set_text(document, &row[STATUS], dump_status_name(session->status));
	if (session->seconds != DUMP_UNKNOWN)
		value_set_real(&row[SECONDS], (double)session->seconds);
	if (session->session_id[0])
		value_set_text(document, &row[SESSION_ID], session->session_id);
	value_set_number(&row[STREAMS], session->streams);
	if (session->has_base_date)
		value_set_time(&row[BASE_STARTED], session->base_seconds);
	set_amount(&row[MEDIA_BYTES], session->media_bytes);
}

static void set_prediction(
	struct document *document, struct value *row, const struct dump_record *record)
{
	const struct dump_session *session = &record->session;
	char error[LABEL_BYTES];

	if (!record->has_prediction)
		return;
	value_set_real(&row[PREDICTED], record->predicted_seconds);
	value_set_real(&row[LOW], record->predicted_low_seconds);
	value_set_real(&row[HIGH], record->predicted_high_seconds);
	value_set_number(&row[PREDICTED_BYTES], record->predicted_bytes);
	if (record->scan_id)
		value_set_number(&row[SCAN_ID], (uint64_t)record->scan_id);
	if (record->calibration_id)
		value_set_number(&row[CALIBRATION_ID], (uint64_t)record->calibration_id);
	if (session->status != DUMP_SUCCESS || !session->seconds ||
		session->seconds == DUMP_UNKNOWN)
		return;
	value_set_real(&row[ERROR], lesson_error(record));
	value_set_text(document, &row[ERROR_TEXT], learned_error(lesson_error(record), error));
}

static void add_dump(
	struct document *document, struct table *table, const struct learned_dump *dump)
{
	const struct dump_record *record = dump->record;
	struct value *row = table_row(document, table);
	char lesson[6 * LABEL_BYTES], result[8 * LABEL_BYTES];

	if (!row)
		return;
	lesson_text(record, lesson, sizeof(lesson));
	snprintf(result, sizeof(result), "%s%s", dump->remark ? dump->remark : lesson,
		dump->is_known ? " (known before)" : "");
	set_session(document, row, &record->session);
	set_prediction(document, row, record);
	value_set_bytes(document, &row[RESULT_TEXT], result);
	value_set_bytes(document, &row[REMARK], dump->remark ? dump->remark : lesson);
	value_set_text(document, &row[LESSON],
		dump->is_stored ? lesson_name(lesson_of(record)) : "not-stored");
	value_set_number(&row[KNOWN], dump->is_known);
	if (record->dump_id)
		value_set_number(&row[DUMP_ID], (uint64_t)record->dump_id);
	if (record->fs_id[0])
		value_set_text(document, &row[FS_ID], record->fs_id);
	value_set_bytes(document, &row[LOG], dump->log);
}

/* --- What follows ----------------------------------------------------------------------------- */

static void add_history_line(struct document *document, const struct learned_history *history)
{
	const struct correction *correction = history->correction;
	char errors[4 * LABEL_BYTES];

	if (!correction->lessons)
		return;
	document_after(document, "%s, %s%s%s: %s; predicted times are now × %.2f.",
		history->mount_point, history->incremental ? "levels above 0" : "level 0",
		strcmp(history->sink, "null") ? " to " : "",
		strcmp(history->sink, "null") ? history->sink : "",
		learned_errors(correction, errors, sizeof(errors)), correction->factor);
}

static void add_history(
	struct document *document, struct table *table, const struct learned_history *history)
{
	const struct correction *correction = history->correction;
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_bytes(document, &row[OF], history->mount_point);
	value_set_text(document, &row[OF_ID], history->fs_id);
	value_set_text(document, &row[OF_KIND], history->incremental ? "incremental" : "level-0");
	value_set_bytes(document, &row[OF_SINK], history->sink);
	value_set_number(&row[LESSONS_COUNT], correction->lessons);
	if (correction->lessons)
		value_set_real(&row[MEDIAN], correction->median_error);
	value_set_real(&row[FACTOR], correction->factor);
	value_set_real(&row[SPREAD], correction->spread);
}

int report_learn(const struct learned_dump *dumps, size_t count,
	const struct learned_history *histories, size_t history_count, struct document *document,
	struct err *err)
{
	uint64_t learned = 0, known = 0, stored = 0;
	struct table *table;

	document_init(document, "learn");
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < count; i++) {
		learned += dumps[i].is_stored && lesson_of(dumps[i].record) == LESSON_LEARNED;
		known += dumps[i].is_known;
		stored += dumps[i].is_stored;
		add_dump(document, table, &dumps[i]);
	}
	document_field_number(document, "dumps", VALUE_COUNT, count);
	document_field_number(document, "stored", VALUE_COUNT, stored);
	document_field_number(document, "known", VALUE_COUNT, known);
	document_field_number(document, "learned", VALUE_COUNT, learned);
	table = document_table(
		document, "corrections", NULL, history_columns, ARRAY_LENGTH(history_columns));
	if (table)
		table->flags |= TABLE_DATA_ONLY;
	for (size_t i = 0; i < history_count; i++) {
		add_history(document, table, &histories[i]);
		add_history_line(document, &histories[i]);
	}
	return report_end(document, err);
}
