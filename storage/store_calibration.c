// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: calibrations. */
#include "storage/store_private.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENTIAL "sequential"
#define RANDOM     "random"

static const char *const pass_names[CALIBRATION_PASSES] = {
	[PASS_INODE_MAP] = "inode-map",
	[PASS_DIRECTORIES] = "directories",
	[PASS_INODES] = "inodes",
};

/* --- Saving ----------------------------------------------------------------------------------- */

/* How it went. */
static void bind_conditions(struct sql_query *query, const struct calibration *calibration)
{
	sql_bind_u64(query, calibration->picked_runs);
	sql_bind_i64(query, calibration->nice);
	sql_bind_double(query, calibration->interval_share);
	sql_bind_double(query, calibration->drift);
	sql_bind_u64(query, calibration->read_bytes);
	sql_bind_u64(query, calibration->others_read_bytes);
	sql_bind_u64(query, calibration->others_written_bytes);
}

static int save_head(struct store *store, int64_t filesystem_id, struct calibration *calibration,
	struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO calibration (filesystem_id, device, device_identity, path, "
		"started_seconds, seconds, budget_seconds, cpu_seconds, seed, inodes, runs, "
		"runs_in_all, picked_files, cached_files, skipped_files, picked_runs, nice, "
		"interval_share, drift, read_bytes, others_read_bytes, others_written_bytes) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	sql_bind_bytes(query, calibration->device);
	sql_bind_bytes(query, calibration->device_identity);
	sql_bind_bytes(query, calibration->path);
	sql_bind_i64(query, calibration->started_seconds);
	sql_bind_double(query, calibration->seconds);
	sql_bind_double(query, calibration->budget_seconds);
	sql_bind_double(query, calibration->cpu_seconds);
	sql_bind_u64(query, calibration->seed);
	sql_bind_u64(query, calibration->inodes);
	sql_bind_u64(query, calibration->runs);
	sql_bind_u64(query, calibration->runs_in_all);
	sql_bind_u64(query, calibration->picked_files);
	sql_bind_u64(query, calibration->cached_files);
	sql_bind_u64(query, calibration->skipped_files);
	bind_conditions(query, calibration);
	rc = sql_run(query, err);
	if (!rc)
		calibration->calibration_id = sql_last_id(store->sql);
	return rc;
}

static int save_cells(struct store *store, const struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO calibration_cell (calibration_id, run, size_class, files, bytes, "
		"stream_bytes, file_seconds, data_seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		err);

	for (size_t i = 0; i < calibration->cell_count && !rc; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];

		sql_bind_i64(query, calibration->calibration_id);
		sql_bind_i64(query, cell->run);
		sql_bind_i64(query, cell->size_class);
		sql_bind_u64(query, cell->files);
		sql_bind_u64(query, cell->bytes);
		sql_bind_u64(query, cell->stream_bytes);
		sql_bind_double(query, cell->file_seconds);
		sql_bind_double(query, cell->data_seconds);
		rc = sql_run(query, err);
	}
	return rc;
}

static int save_passes(struct store *store, const struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO calibration_pass (calibration_id, kind, units, bytes, disk_bytes, "
		"seconds, assumed_seconds) VALUES (?, ?, ?, ?, ?, ?, ?)",
		err);

	for (int kind = 0; kind < CALIBRATION_PASSES && !rc; kind++) {
		const struct calibration_pass *pass = &calibration->passes[kind];

		if (!pass->units)
			continue;
		sql_bind_i64(query, calibration->calibration_id);
		sql_bind_text(query, pass_names[kind]);
		sql_bind_u64(query, pass->units);
		sql_bind_u64(query, pass->bytes);
		sql_bind_u64(query, pass->disk_bytes);
		sql_bind_double(query, pass->seconds);
		sql_bind_double(query, pass->assumed_seconds);
		rc = sql_run(query, err);
	}
	return rc;
}

static int save_readings(
	struct store *store, const struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO calibration_reading (calibration_id, pattern, read_bytes, reads, "
		"seconds) VALUES (?, ?, ?, ?, ?)",
		err);

	for (unsigned i = 0; i < calibration->reading_count && !rc; i++) {
		const struct array_reading *reading = &calibration->readings[i];

		sql_bind_i64(query, calibration->calibration_id);
		sql_bind_text(query, reading->sequential ? SEQUENTIAL : RANDOM);
		sql_bind_i64(query, reading->read_bytes);
		sql_bind_u64(query, reading->reads);
		sql_bind_double(query, reading->seconds);
		rc = sql_run(query, err);
	}
	return rc;
}

static int save_sink(struct store *store, const struct calibration *calibration, struct err *err)
{
	const struct sink *sink = &calibration->sink;
	autoquery struct sql_query *query = NULL;
	int rc;

	if (!sink->spec)
		return 0;
	rc = sql_prepare(store->sql, &query,
		"INSERT INTO calibration_sink (calibration_id, spec, bytes_per_second, "
		"record_seconds, buffer_bytes, measured_bytes, measured_seconds) "
		"VALUES (?, ?, ?, ?, ?, ?, ?)",
		err);
	if (rc)
		return rc;
	sql_bind_i64(query, calibration->calibration_id);
	sql_bind_bytes(query, sink->spec);
	if (isinf(sink->bytes_per_second))
		sql_bind_null(query);
	else
		sql_bind_double(query, sink->bytes_per_second);
	sql_bind_double(query, sink->record_seconds);
	sql_bind_u64(query, sink->buffer_bytes);
	sql_bind_u64(query, sink->measured_bytes);
	sql_bind_double(query, sink->measured_seconds);
	return sql_run(query, err);
}

/* To be called in a transaction. */
static int save_calibration(struct store *store, struct calibration *calibration, struct err *err)
{
	const struct store_filesystem filesystem = {
		.fs_id = calibration->fs_id,
		.device = calibration->device,
	};
	int64_t filesystem_id;
	int rc = store_put_filesystem(store, &filesystem, &filesystem_id, err);

	if (!rc)
		rc = save_head(store, filesystem_id, calibration, err);
	if (!rc)
		rc = save_cells(store, calibration, err);
	if (!rc)
		rc = save_passes(store, calibration, err);
	if (!rc)
		rc = save_readings(store, calibration, err);
	return rc ? rc : save_sink(store, calibration, err);
}

int store_save_calibration(struct store *store, struct calibration *calibration, struct err *err)
{
	int64_t old_id = calibration->calibration_id;
	int rc = sql_begin(store->sql, err);

	if (!rc)
		rc = sql_end(store->sql, save_calibration(store, calibration, err), err);
	if (rc)
		calibration->calibration_id = old_id;
	return rc;
}

/* --- Loading ---------------------------------------------------------------------------------- */

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

/* 1 if there is one, 0 if not. One without a file, of an empty filesystem, comes last. */
static int load_head(struct store *store, const char *fs_id, int64_t by_seconds,
	struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT c.calibration_id, f.fs_id, c.device, c.device_identity, c.path, "
		"c.started_seconds, c.seconds, c.budget_seconds, c.cpu_seconds, c.seed, c.inodes, "
		"c.runs, c.runs_in_all, c.picked_files, c.cached_files, c.skipped_files, "
		"c.picked_runs, c.nice, c.interval_share, c.drift, c.read_bytes, "
		"c.others_read_bytes, c.others_written_bytes "
		"FROM calibration AS c JOIN filesystem AS f ON f.filesystem_id = c.filesystem_id "
		"WHERE f.fs_id = ? "
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
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc;
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
	rc = sql_check(query, err);
	return rc ? rc : 1;
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
	return 0;
}

static int load_cells(struct store *store, struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT run, size_class, files, bytes, stream_bytes, file_seconds, data_seconds "
		"FROM calibration_cell WHERE calibration_id = ? ORDER BY run, size_class",
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

	while (kind < CALIBRATION_PASSES && name && strcmp(pass_names[kind], name))
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

static int take_reading(struct store *store, struct sql_query *query,
	struct calibration *calibration, struct err *err)
{
	struct array_reading *reading = &calibration->readings[calibration->reading_count];
	autofree char *pattern = sql_take_string(query);

	if (calibration->reading_count == CALIBRATION_MAX_READINGS || !pattern ||
		(strcmp(pattern, SEQUENTIAL) && strcmp(pattern, RANDOM)))
		return err_set(err, -EUCLEAN,
			"%s is damaged: it has more readings of an array than there can be, or of "
			"a kind that there is not",
			sql_path(store->sql));
	reading->sequential = !strcmp(pattern, SEQUENTIAL);
	reading->read_bytes = sql_take_u32(query);
	reading->reads = sql_take_u64(query);
	reading->seconds = sql_take_seconds(query);
	calibration->reading_count++;
	return 0;
}

static int load_readings(struct store *store, struct calibration *calibration, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT pattern, read_bytes, reads, seconds FROM calibration_reading "
		"WHERE calibration_id = ? ORDER BY pattern DESC, read_bytes",
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
		const struct sink measured = {
			.record_seconds = sql_take_seconds(query),
			.buffer_bytes = sql_take_u64(query),
			.measured_bytes = sql_take_u64(query),
			.measured_seconds = sql_take_seconds(query),
		};

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

int store_load_calibration_by(struct store *store, const char *fs_id, int64_t by_seconds,
	struct calibration *calibration, struct err *err)
{
	int rc;

	memset(calibration, 0, sizeof(*calibration));
	rc = load_head(store, fs_id, by_seconds, calibration, err);
	if (rc > 0)
		rc = load_cells(store, calibration, err);
	else if (!rc)
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

int store_load_calibration(
	struct store *store, const char *fs_id, struct calibration *calibration, struct err *err)
{
	return store_load_calibration_by(store, fs_id, INT64_MAX, calibration, err);
}
