// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: past dumps, and which scan and calibration they are held against. */
#include "storage/store_private.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS                                                                         \
	"d.session_id, d.host, d.mount_point, d.level, d.resumed, d.started_seconds, "  \
	"d.base_level, d.base_seconds, d.status, d.problems, d.streams, "               \
	"d.failed_streams, d.seconds, d.estimated_bytes, d.media_bytes, d.file_bytes, " \
	"d.sink, d.scan_id, d.calibration_id, d.predicted_seconds, "                    \
	"d.predicted_low_seconds, d.predicted_high_seconds, d.predicted_bytes"

/* --- What a dump is held against -------------------------------------------------------------- */

int store_find_scan_by(struct store *store, const char *fs_id, int64_t by_seconds, int64_t *scan_id,
	struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT s.scan_id FROM scan AS s JOIN filesystem AS f "
		"ON f.filesystem_id = s.filesystem_id WHERE f.fs_id = ? AND s.whole_filesystem "
		"ORDER BY s.started_seconds <= ? DESC, CASE WHEN s.started_seconds <= ? "
		"THEN s.scan_id ELSE -s.scan_id END DESC LIMIT 1",
		err);

	if (rc)
		return rc;
	sql_bind_text(query, fs_id);
	sql_bind_i64(query, by_seconds);
	sql_bind_i64(query, by_seconds);
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc ? rc : -ENOENT;
	*scan_id = sql_take_i64(query);
	return sql_check(query, err);
}

int store_find_fs_id(struct store *store, const char *fs, char fs_id[FS_ID_BYTES], struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int64_t filesystem_id;
	int rc = store_find_filesystem(store, fs, &filesystem_id, err);

	if (!rc)
		rc = sql_prepare(store->sql, &query,
			"SELECT fs_id FROM filesystem WHERE filesystem_id = ?", err);
	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc ? rc : -ENOENT;
	sql_take_into(query, fs_id, FS_ID_BYTES);
	return sql_check(query, err);
}

int store_find_base(struct store *store, const char *fs_id, unsigned level, int64_t *base_seconds,
	struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT d.started_seconds FROM dump_session AS d JOIN filesystem AS f "
		"ON f.filesystem_id = d.filesystem_id WHERE f.fs_id = ? AND d.level < ? "
		"AND d.started_seconds IS NOT NULL AND d.status IN ('SUCCESS', 'INCOMPLETE') "
		"ORDER BY d.started_seconds DESC LIMIT 1",
		err);

	if (rc)
		return rc;
	sql_bind_text(query, fs_id);
	sql_bind_i64(query, level);
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc ? rc : -ENOENT;
	*base_seconds = sql_take_i64(query);
	return sql_check(query, err);
}

/* --- Saving ----------------------------------------------------------------------------------- */

static void bind_optional(struct sql_query *query, bool known, int64_t value)
{
	if (known)
		sql_bind_i64(query, value);
	else
		sql_bind_null(query);
}

static void bind_amount(struct sql_query *query, uint64_t amount)
{
	if (amount == DUMP_UNKNOWN)
		sql_bind_null(query);
	else
		sql_bind_u64(query, amount);
}

static void bind_session(struct sql_query *query, const struct dump_session *session)
{
	sql_bind_text(query, session->session_id[0] ? session->session_id : NULL);
	sql_bind_bytes(query, session->host);
	sql_bind_bytes(query, session->mount_point);
	sql_bind_i64(query, session->level);
	sql_bind_i64(query, session->resumed);
	bind_optional(query, session->has_date, session->started_seconds);
	bind_optional(query, session->has_base, session->base_level);
	bind_optional(query, session->has_base_date, session->base_seconds);
	sql_bind_text(query, dump_status_name(session->status));
	sql_bind_i64(query, session->problems);
	sql_bind_i64(query, session->streams);
	sql_bind_i64(query, session->failed_streams);
	bind_amount(query, session->seconds);
	bind_amount(query, session->estimated_bytes);
	bind_amount(query, session->media_bytes);
	bind_amount(query, session->file_bytes);
}

static void bind_prediction(struct sql_query *query, const struct dump_record *record)
{
	sql_bind_text(query, record->sink);
	bind_optional(query, record->scan_id, record->scan_id);
	bind_optional(query, record->calibration_id, record->calibration_id);
	if (!record->has_prediction) {
		for (int i = 0; i < 4; i++)
			sql_bind_null(query);
		return;
	}
	sql_bind_double(query, record->predicted_seconds);
	sql_bind_double(query, record->predicted_low_seconds);
	sql_bind_double(query, record->predicted_high_seconds);
	sql_bind_u64(query, record->predicted_bytes);
}

static int insert(
	struct store *store, int64_t filesystem_id, struct dump_record *record, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO dump_session (filesystem_id, session_id, host, mount_point, level, "
		"resumed, started_seconds, base_level, base_seconds, status, problems, streams, "
		"failed_streams, seconds, estimated_bytes, media_bytes, file_bytes, sink, scan_id, "
		"calibration_id, predicted_seconds, predicted_low_seconds, predicted_high_seconds, "
		"predicted_bytes) VALUES "
		"(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	bind_session(query, &record->session);
	bind_prediction(query, record);
	rc = sql_run(query, err);
	if (!rc)
		record->dump_id = sql_last_id(store->sql);
	return rc;
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* Takes a number that may be missing; whether it is there. */
static bool take_optional(struct sql_query *query, int64_t *value)
{
	bool known = !sql_next_is_null(query);

	*value = sql_take_i64(query);
	return known;
}

static uint64_t take_amount(struct sql_query *query)
{
	bool known = !sql_next_is_null(query);
	uint64_t amount = sql_take_u64(query);

	return known ? amount : DUMP_UNKNOWN;
}

static double take_seconds(struct sql_query *query)
{
	return sql_next_is_null(query) ? (sql_take_i64(query), 0) : sql_take_seconds(query);
}

static enum dump_status take_status(struct sql_query *query)
{
	char name[16];
	int status = 0;

	sql_take_into(query, name, sizeof(name));
	while (status < DUMP_OTHER && strcmp(dump_status_name(status), name) != 0)
		status++;
	return strcmp(name, dump_status_name(DUMP_OPEN)) ? status : DUMP_OPEN;
}

static void take_session_id(struct sql_query *query, char session_id[DUMP_UUID_BYTES])
{
	if (sql_next_is_null(query))
		sql_take_i64(query);
	else
		sql_take_into(query, session_id, DUMP_UUID_BYTES);
}

static void take_session(struct sql_query *query, struct dump_session *session)
{
	int64_t level;

	session->has_level = true;
	take_session_id(query, session->session_id);
	session->host = sql_take_string(query);
	session->mount_point = sql_take_string(query);
	session->level = (uint8_t)sql_take_between(query, 0, DUMP_MAX_LEVEL);
	session->resumed = sql_take_between(query, 0, 1);
	session->has_date = take_optional(query, &session->started_seconds);
	session->has_base = take_optional(query, &level);
	session->base_level = (uint8_t)level;
	session->has_base_date = take_optional(query, &session->base_seconds);
	session->status = take_status(query);
	session->problems = sql_take_u32(query);
	session->streams = sql_take_u32(query);
	session->failed_streams = sql_take_u32(query);
	session->seconds = take_amount(query);
	session->estimated_bytes = take_amount(query);
	session->media_bytes = take_amount(query);
	session->file_bytes = take_amount(query);
}

/* Takes COLUMNS; what was in @record stays the caller's. */
static int take_record(
	struct sql_query *query, const char *fs_id, struct dump_record *record, struct err *err)
{
	memset(record, 0, sizeof(*record));
	snprintf(record->fs_id, sizeof(record->fs_id), "%s", fs_id);
	take_session(query, &record->session);
	record->sink = sql_take_string(query);
	take_optional(query, &record->scan_id);
	take_optional(query, &record->calibration_id);
	record->has_prediction = !sql_next_is_null(query);
	record->predicted_seconds = take_seconds(query);
	record->predicted_low_seconds = take_seconds(query);
	record->predicted_high_seconds = take_seconds(query);
	record->predicted_bytes = record->has_prediction ? sql_take_u64(query) : 0;
	return sql_check(query, err);
}

/* --- Known again ------------------------------------------------------------------------------ */

/*
 * The stored dump that @record is of: 1 and its columns if there is one, 0 if not. Date and level
 * tell where either side has no session id, as of a log that was cut or filtered.
 */
static int find_same(struct store *store, int64_t filesystem_id, const struct dump_record *record,
	struct dump_record *same, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	const struct dump_session *session = &record->session;
	bool has_id = session->session_id[0];
	int64_t dump_id;
	int rc = sql_prepare(store->sql, &query,
		"SELECT d.dump_id, " COLUMNS " FROM dump_session AS d WHERE d.filesystem_id = ? "
		"AND (d.session_id = ? OR ((? = 1 OR d.session_id IS NULL) "
		"AND d.started_seconds = ? AND d.level = ?)) ORDER BY d.session_id IS NULL, "
		"d.dump_id LIMIT 1",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	sql_bind_text(query, has_id ? session->session_id : NULL);
	sql_bind_i64(query, !has_id);
	bind_optional(query, session->has_date, session->started_seconds);
	sql_bind_i64(query, session->level);
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc;
	dump_id = sql_take_i64(query);
	rc = take_record(query, record->fs_id, same, err);
	same->dump_id = dump_id;
	return rc ? rc : 1;
}

/* Whether a log, or somebody, knows more now than what is stored. */
static bool knows_more(const struct dump_record *record, const struct dump_record *same)
{
	bool ended = record->session.status != DUMP_OPEN;

	if (ended != (same->session.status != DUMP_OPEN))
		return ended;
	return record->has_prediction &&
	       (!same->has_prediction || strcmp(record->sink, same->sink) != 0);
}

static int delete_dump(struct store *store, int64_t dump_id, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, "DELETE FROM dump_session WHERE dump_id = ?", err);

	if (rc)
		return rc;
	sql_bind_i64(query, dump_id);
	return sql_run(query, err);
}

static int save_dump(struct store *store, struct dump_record *record, enum store_outcome *outcome,
	struct err *err)
{
	const struct dump_session *session = &record->session;
	struct dump_record same = {0};
	int64_t filesystem_id;
	int rc, found;

	if (!session->has_level || (!session->session_id[0] && !session->has_date))
		return err_set(err, -EINVAL, "a dump without session id, date or level");
	rc = store_find_filesystem(store, record->fs_id, &filesystem_id, err);
	if (rc)
		return rc;
	found = find_same(store, filesystem_id, record, &same, err);
	if (found > 0 && !knows_more(record, &same)) {
		*outcome = STORE_KNOWN;
		same.session.line = session->line;
		dump_record_fini(record);
		*record = same;
		return 0;
	}
	rc = found > 0 ? delete_dump(store, same.dump_id, err) : found;
	dump_record_fini(&same);
	*outcome = found ? STORE_REPLACED : STORE_NEW;
	return rc ? rc : insert(store, filesystem_id, record, err);
}

int store_save_dumps(struct store *store, struct dump_record *const *records, size_t count,
	enum store_outcome *outcomes, struct err *err)
{
	int rc = sql_begin(store->sql, err), saved = 0;

	for (size_t i = 0; i < count && !rc && !saved; i++)
		saved = save_dump(store, records[i], &outcomes[i], err);
	return rc ? rc : sql_end(store->sql, saved, err);
}

/* --- History ---------------------------------------------------------------------------------- */

/* Keeps the record of the row if it is a lesson; frees it else. */
static int keep_lesson(
	struct sql_query *query, const char *fs_id, struct dump_history *history, struct err *err)
{
	struct dump_record *record = &history->records[history->count];
	int64_t dump_id = sql_take_i64(query);
	int rc = take_record(query, fs_id, record, err);

	record->dump_id = dump_id;
	if (rc || lesson_of(record) != LESSON_LEARNED)
		dump_record_fini(record);
	else
		history->count++;
	return rc;
}

int store_load_lessons(struct store *store, const char *fs_id, bool incremental, const char *sink,
	struct dump_history *history, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT d.dump_id, " COLUMNS " FROM dump_session AS d JOIN filesystem AS f "
		"ON f.filesystem_id = d.filesystem_id WHERE f.fs_id = ? AND (d.level > 0) = ? "
		"AND d.sink = ? AND d.status = 'SUCCESS' AND d.predicted_seconds IS NOT NULL "
		"ORDER BY d.started_seconds DESC, d.dump_id DESC",
		err);

	*history = (struct dump_history){.correction.factor = 1};
	if (rc)
		return rc;
	history->records = calloc(LEARN_LESSONS, sizeof(*history->records));
	if (!history->records)
		return err_set(err, -ENOMEM, "out of memory");
	sql_bind_text(query, fs_id);
	sql_bind_i64(query, incremental);
	sql_bind_text(query, sink);
	while (history->count < LEARN_LESSONS && (rc = sql_step(query, err)) > 0) {
		rc = keep_lesson(query, fs_id, history, err);
		if (rc)
			break;
	}
	if (rc < 0) {
		dump_history_fini(history);
		return rc;
	}
	dump_history_learn(history);
	return 0;
}
