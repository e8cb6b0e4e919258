// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: saving calibrations. store_calibration_load.c loads them. */
#include "storage/store_private.h"

#include "base/cleanup.h"

#include <math.h>

const char *const store_pass_names[CALIBRATION_PASSES] = {
	[PASS_INODE_MAP] = "inode-map",
	[PASS_DIRECTORIES] = "directories",
	[PASS_INODES] = "inodes",
	[PASS_LOOK_UPS] = "look-ups",
	[PASS_LISTED_AGAIN] = "directories-again",
	[PASS_ATTRS] = "attributes",
	[PASS_ATTR_BLOCKS] = "attributes-in-blocks",
	[PASS_FEW_EXTENTS] = "few-extents",
	[PASS_MANY_EXTENTS] = "many-extents",
};

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
		"stream_bytes, file_seconds, data_seconds, left_out) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
		sql_bind_u64(query, cell->left_out);
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
		sql_bind_text(query, store_pass_names[kind]);
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
		"seconds, at_once) VALUES (?, ?, ?, ?, ?, ?)",
		err);

	for (unsigned i = 0; i < calibration->reading_count && !rc; i++) {
		const struct array_reading *reading = &calibration->readings[i];

		sql_bind_i64(query, calibration->calibration_id);
		sql_bind_text(query, reading->sequential ? STORE_SEQUENTIAL : STORE_RANDOM);
		sql_bind_i64(query, reading->read_bytes);
		sql_bind_u64(query, reading->reads);
		sql_bind_double(query, reading->seconds);
		sql_bind_i64(query, reading->at_once);
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
