// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: loading and listing calibrations. Nothing that is stored is believed unchecked. */
#include "storage/store_private.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs and picked files are bounded, since memory is taken for each; what is not is damaged. */
static uint32_t take_runs(struct sql_query *query)
{
	return sql_take_below(query, CALIBRATION_MAX_RUNS + 1);
}

static void take_conditions(struct sql_query *query, struct calibration *calibration)
{
	calibration->picked_runs = take_runs(query);
	calibration->nice = sql_take_below(query, 2);
	calibration->interval_share = sql_take_seconds(query);
	calibration->drift = sql_take_seconds(query);
	calibration->read_bytes = sql_take_u64(query);
	calibration->others_read_bytes = sql_take_u64(query);
	calibration->others_written_bytes = sql_take_u64(query);
}

/* What of a calibration is not in its parts, in the order of take_head(). */
#define SELECT_HEAD                                                               \
	"SELECT c.calibration_id, f.fs_id, c.device, c.device_identity, c.path, " \
	"c.started_seconds, c.seconds, c.budget_seconds, c.cpu_seconds, c.seed, " \
	"c.inodes, c.runs, c.runs_in_all, c.picked_files, c.cached_files, "       \
	"c.skipped_files, c.picked_runs, c.nice, c.interval_share, c.drift, "     \
	"c.read_bytes, c.others_read_bytes, c.others_written_bytes "              \
	"FROM calibration AS c JOIN filesystem AS f ON f.filesystem_id = c.filesystem_id "

static void take_head(struct sql_query *query, struct calibration *calibration)
{
	calibration->calibration_id = sql_take_i64(query);
	sql_take_into(query, calibration->fs_id, sizeof(calibration->fs_id));
	calibration->device = sql_take_string(query);
	calibration->device_identity = sql_take_string(query);
	calibration->path = sql_take_string(query);
	calibration->started_seconds = sql_take_i64(query);
	calibration->seconds = sql_take_seconds(query);
	calibration->budget_seconds = sql_take_seconds(query);
	calibration->cpu_seconds = sql_take_seconds(query);
	calibration->seed = sql_take_u64(query);
	calibration->inodes = sql_take_u64(query);
	calibration->runs = take_runs(query);
	calibration->runs_in_all = sql_take_u32(query);
	calibration->picked_files = take_runs(query);
	calibration->cached_files = sql_take_u64(query);
	calibration->skipped_files = sql_take_u64(query);
	take_conditions(query, calibration);
}

/* Takes the row that @query is at, if there is one: 1, 0 if not. */
static int step_head(struct sql_query *query, struct calibration *calibration, struct err *err)
{
	int rc = sql_step(query, err);

	if (rc <= 0)
		return rc;
	take_head(query, calibration);
	rc = sql_check(query, err);
	return rc ? rc : 1;
}

/* One without a file, of an empty filesystem, comes last. */
static int load_head(struct store *store, const char *fs_id, int64_t by_seconds,
	struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		SELECT_HEAD "WHERE f.fs_id = ? "
			    "ORDER BY EXISTS (SELECT 1 FROM calibration_cell AS l "
			    "WHERE l.calibration_id = c.calibration_id AND l.files > 0) DESC, "
			    "c.started_seconds <= ? DESC, CASE WHEN c.started_seconds <= ? "
			    "THEN c.calibration_id ELSE -c.calibration_id END DESC LIMIT 1",
		err);

	if (rc)
		return rc;
	sql_bind_text(query, fs_id);
	sql_bind_i64(query, by_seconds);
	sql_bind_i64(query, by_seconds);
	return step_head(query, calibration, err);
}

static int load_head_of(
	struct store *store, int64_t id, struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, SELECT_HEAD "WHERE c.calibration_id = ?", err);

	if (rc)
		return rc;
	sql_bind_i64(query, id);
	return step_head(query, calibration, err);
}

static int take_cell(struct sql_query *query, struct calibration *calibration)
{
	uint32_t run = sql_take_below(query, CALIBRATION_MAX_RUNS);
	unsigned size_class = (unsigned)sql_take_below(query, SIZE_CLASSES);
	struct calibration_cell *cell = calibration_add_cell(calibration, run, size_class);

	if (!cell)
		return -ENOMEM;
	cell->files = sql_take_u64(query);
	cell->bytes = sql_take_u64(query);
	cell->stream_bytes = sql_take_u64(query);
	cell->file_seconds = sql_take_seconds(query);
	cell->data_seconds = sql_take_seconds(query);
	cell->left_out = sql_take_u64(query);
	return 0;
}

static int load_cells(struct store *store, struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT run, size_class, files, bytes, stream_bytes, file_seconds, data_seconds, "
		"left_out FROM calibration_cell WHERE calibration_id = ? ORDER BY run, size_class",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, calibration->calibration_id);
	while ((rc = sql_step(query, err)) > 0) {
		if (take_cell(query, calibration))
			return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
	}
	return rc;
}

static int take_pass(struct store *store, struct sql_query *query, struct calibration *calibration,
	struct err *err)
{
	autofree char *name = sql_take_string(query);
	int kind = 0;

	while (kind < CALIBRATION_PASSES && name && strcmp(store_pass_names[kind], name))
		kind++;
	if (!name || kind == CALIBRATION_PASSES)
		return err_set(err, -EUCLEAN, "%s is damaged: it names a pass \"%s\"",
			sql_path(store->sql), name ? name : "");
	calibration->passes[kind].units = sql_take_u64(query);
	calibration->passes[kind].bytes = sql_take_u64(query);
	calibration->passes[kind].disk_bytes = sql_take_u64(query);
	calibration->passes[kind].seconds = sql_take_seconds(query);
	calibration->passes[kind].assumed_seconds = sql_take_seconds(query);
	return 0;
}

static int load_passes(struct store *store, struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT kind, units, bytes, disk_bytes, seconds, assumed_seconds "
		"FROM calibration_pass "
		"WHERE calibration_id = ?",
		err);

	for (int kind = 0; kind < CALIBRATION_PASSES; kind++)
		calibration->passes[kind].kind = kind;
	if (rc)
		return rc;
	sql_bind_i64(query, calibration->calibration_id);
	while ((rc = sql_step(query, err)) > 0) {
		rc = take_pass(store, query, calibration, err);
		if (rc)
			break;
	}
	return rc;
}

/* A row that no calibration has written. */
static int damaged_reading(const struct store *store, struct err *err)
{
	return err_set(err, -EUCLEAN,
		"%s is damaged: it has more readings of an array than there can be, or of a kind "
		"that there is not",
		sql_path(store->sql));
}

static int take_reading(struct store *store, struct sql_query *query,
	struct calibration *calibration, struct err *err)
{
	struct array_reading *reading = &calibration->readings[calibration->reading_count];
	autofree char *pattern = sql_take_string(query);

	if (calibration->reading_count == CALIBRATION_MAX_READINGS || !pattern ||
		(strcmp(pattern, STORE_SEQUENTIAL) && strcmp(pattern, STORE_RANDOM)))
		return damaged_reading(store, err);
	reading->sequential = !strcmp(pattern, STORE_SEQUENTIAL);
	reading->read_bytes = sql_take_u32(query);
	reading->reads = sql_take_u64(query);
	reading->seconds = sql_take_seconds(query);
	reading->at_once = sql_take_u32(query);
	calibration->reading_count++;
	return reading->at_once ? 0 : damaged_reading(store, err);
}

static int load_readings(struct store *store, struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT pattern, read_bytes, reads, seconds, at_once FROM calibration_reading "
		"WHERE calibration_id = ? ORDER BY at_once, pattern DESC, read_bytes",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, calibration->calibration_id);
	while ((rc = sql_step(query, err)) > 0) {
		rc = take_reading(store, query, calibration, err);
		if (rc)
			break;
	}
	return rc;
}

static int take_sink(
	struct store *store, struct sql_query *query, struct sink *sink, struct err *err)
{
	autofree char *spec = sql_take_string(query);

	if (sink_parse(spec ? spec : "", sink, NULL))
		return err_set(err, -EUCLEAN, "%s is damaged: it names a sink \"%s\"",
			sql_path(store->sql), spec ? spec : "");
	if (sql_next_is_null(query))
		sink->bytes_per_second = INFINITY;
	else
		sink->bytes_per_second = sql_take_seconds(query);
	return 0;
}

/* The sink, if the calibration has one. */
static int load_sink(struct store *store, struct calibration *calibration, struct err *err)
{
	struct sink *sink = &calibration->sink;
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT record_seconds, buffer_bytes, measured_bytes, measured_seconds, spec, "
		"bytes_per_second FROM calibration_sink WHERE calibration_id = ?",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, calibration->calibration_id);
	rc = sql_step(query, err);
	if (rc > 0) {
		struct sink measured;

		measured.record_seconds = sql_take_seconds(query);
		measured.buffer_bytes = sql_take_u64(query);
		measured.measured_bytes = sql_take_u64(query);
		measured.measured_seconds = sql_take_seconds(query);
		rc = take_sink(store, query, sink, err);
		sink->record_seconds = measured.record_seconds;
		sink->buffer_bytes = measured.buffer_bytes;
		sink->measured_bytes = measured.measured_bytes;
		sink->measured_seconds = measured.measured_seconds;
		if (!rc)
			rc = sql_check(query, err);
	}
	return rc;
}

/* The rest of a calibration whose head load_head() loaded, with what that returned. */
static int load_parts(
	struct store *store, int found, struct calibration *calibration, struct err *err)
{
	int rc = found > 0 ? load_cells(store, calibration, err) : found;

	if (!found)
		rc = -ENOENT;
	if (!rc)
		rc = load_passes(store, calibration, err);
	if (!rc)
		rc = load_readings(store, calibration, err);
	if (!rc)
		rc = load_sink(store, calibration, err);
	if (rc)
		calibration_fini(calibration);
	return rc;
}

int store_load_calibration_by(struct store *store, const char *fs_id, int64_t by_seconds,
	struct calibration *calibration, struct err *err)
{
	memset(calibration, 0, sizeof(*calibration));
	return load_parts(
		store, load_head(store, fs_id, by_seconds, calibration, err), calibration, err);
}

int store_load_calibration(
	struct store *store, const char *fs_id, struct calibration *calibration, struct err *err)
{
	return store_load_calibration_by(store, fs_id, INT64_MAX, calibration, err);
}

int store_load_calibration_of(struct store *store, const char *fs_id, int64_t id,
	struct calibration *calibration, struct err *err)
{
	int rc;

	memset(calibration, 0, sizeof(*calibration));
	rc = load_head_of(store, id, calibration, err);
	if (!rc)
		rc = err_set(err, -ENOENT,
			"no calibration %" PRId64 " in %s; `xfscensus scans --calibrations` lists "
			"them",
			id, sql_path(store->sql));
	else if (rc > 0 && strcmp(calibration->fs_id, fs_id) != 0)
		rc = err_set(err, -ENOENT, "calibration %" PRId64 " is of another filesystem, %s",
			id, calibration->path ? calibration->path : calibration->fs_id);
	if (rc < 0) {
		calibration_fini(calibration);
		return rc;
	}
	return load_parts(store, rc, calibration, err);
}

/* --- Lists ------------------------------------------------------------------------------------ */

static int append(struct store_calibration_list *list, struct calibration **added)
{
	size_t count = list->count;

	if (!(count & (count - 1))) {
		struct calibration *grown = reallocarray(
			list->calibrations, count ? 2 * count : 1, sizeof(*list->calibrations));

		if (!grown)
			return -ENOMEM;
		list->calibrations = grown;
	}
	*added = &list->calibrations[list->count++];
	memset(*added, 0, sizeof(**added));
	return 0;
}

static int list_heads(struct store *store, int64_t filesystem_id,
	struct store_calibration_list *list, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		SELECT_HEAD "WHERE c.filesystem_id = ?1 OR ?1 = 0 ORDER BY c.calibration_id", err);

	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	for (;;) {
		struct calibration *added;

		if (append(list, &added))
			return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
		rc = step_head(query, added, err);
		if (rc <= 0) {
			calibration_fini(added);
			list->count--;
			return rc;
		}
	}
}

int store_list_calibrations(
	struct store *store, const char *fs, struct store_calibration_list *list, struct err *err)
{
	int64_t filesystem_id = 0;
	int rc;

	memset(list, 0, sizeof(*list));
	rc = fs ? store_find_filesystem(store, fs, &filesystem_id, err) : 0;
	if (!rc)
		rc = list_heads(store, filesystem_id, list, err);
	for (size_t i = 0; i < list->count && !rc; i++) {
		rc = load_cells(store, &list->calibrations[i], err);
		if (!rc)
			rc = load_sink(store, &list->calibrations[i], err);
	}
	if (rc)
		store_calibration_list_fini(list);
	return rc;
}

void store_calibration_list_fini(struct store_calibration_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		calibration_fini(&list->calibrations[i]);
	free(list->calibrations);
	memset(list, 0, sizeof(*list));
}
