// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See store.h: the tables of a scan. They are keyed in the order of the census's own, so that a
 * sorted census is appended to the end of each tree.
 */
#include "storage/store_private.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Rows in an INSERT; more of them save nothing. */
#define ROWS_A_STATEMENT 32

/* --- Saving ----------------------------------------------------------------------------------- */

void store_bind_sums(struct sql_query *query, const struct cube_sums *sums)
{
	sql_bind_u64(query, sums->inodes);
	sql_bind_u64(query, sums->size_bytes);
	sql_bind_u64(query, sums->allocated_bytes);
	sql_bind_u64(query, sums->extents);
	sql_bind_u64(query, sums->stream_bytes);
}

static void bind_cell(struct sql_query *query, const void *cube, size_t index)
{
	struct cube_key key;
	const struct cube_sums *sums = cube_at(cube, index, &key);

	sql_bind_i64(query, key.uid);
	sql_bind_i64(query, key.gid);
	sql_bind_i64(query, key.projid);
	sql_bind_i64(query, key.kind);
	sql_bind_i64(query, key.size_class);
	store_bind_sums(query, sums);
}

static const struct store_table cube_table = {
	.name = "cube (scan_id, uid, gid, projid, kind, size_class, inodes, size_bytes, "
		"allocated_bytes, extents, stream_bytes)",
	.columns = 11,
	.bind_row = bind_cell,
};

static void bind_age(struct sql_query *query, const void *ages, size_t index)
{
	struct ages_key key;
	const struct ages_sums *sums = ages_at(ages, index, &key);

	sql_bind_i64(query, key.uid);
	sql_bind_i64(query, key.day);
	sql_bind_i64(query, key.kind);
	sql_bind_i64(query, key.size_class);
	sql_bind_u64(query, sums->inodes);
	sql_bind_u64(query, sums->size_bytes);
	sql_bind_u64(query, sums->allocated_bytes);
	sql_bind_u64(query, sums->stream_bytes);
}

static const struct store_table age_table = {
	.name = "age (scan_id, uid, day, kind, size_class, inodes, size_bytes, allocated_bytes, "
		"stream_bytes)",
	.columns = 9,
	.bind_row = bind_age,
};

/* What is being stored, from entry `next` on. */
struct rows {
	const struct store_table *table;
	const void *census_table;
	size_t next;
	size_t count;
};

/* Stores entries, @batch in a statement, while as many are left. */
static int save_batches(
	struct store *store, int64_t scan_id, struct rows *rows, int batch, struct err *err)
{
	const struct store_table *table = rows->table;
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare_insert(store->sql, &query, table->name, table->columns, batch, err);

	while (!rc && rows->count - rows->next >= (size_t)batch) {
		for (int i = 0; i < batch; i++) {
			sql_bind_i64(query, scan_id);
			table->bind_row(query, rows->census_table, rows->next++);
		}
		rc = sql_run(query, err);
	}
	return rc;
}

int store_save_rows(struct store *store, int64_t scan_id, const struct store_table *table,
	const void *entries, size_t count, struct err *err)
{
	struct rows rows = {table, entries, 0, count};
	int rc = save_batches(store, scan_id, &rows, ROWS_A_STATEMENT, err);

	return rc ? rc : save_batches(store, scan_id, &rows, 1, err);
}

static int save_examples(struct sql_query *query, int64_t scan_id, enum failure_kind kind,
	const struct failure_example *examples, struct err *err)
{
	int rc = 0;

	for (int i = 0; i < FAILURE_EXAMPLES && examples[i].what && !rc; i++) {
		sql_bind_i64(query, scan_id);
		sql_bind_text(query, failure_kind_name(kind));
		sql_bind_i64(query, i);
		sql_bind_i64(query, examples[i].code);
		sql_bind_text(query, examples[i].what);
		rc = sql_run(query, err);
	}
	return rc;
}

static int save_failure(struct sql_query *query, int64_t scan_id, enum failure_kind kind,
	const struct failures *failures, struct err *err)
{
	sql_bind_i64(query, scan_id);
	sql_bind_text(query, failure_kind_name(kind));
	sql_bind_u64(query, failures->count[kind]);
	sql_bind_u64(query, failures->inodes[kind]);
	return sql_run(query, err);
}

static int save_failures(
	struct store *store, int64_t scan_id, const struct failures *failures, struct err *err)
{
	autoquery struct sql_query *failure = NULL, *example = NULL;
	int rc = sql_prepare(store->sql, &failure,
		"INSERT INTO failure (scan_id, kind, failures, inodes) VALUES (?, ?, ?, ?)", err);

	if (!rc)
		rc = sql_prepare(store->sql, &example,
			"INSERT INTO failure_example (scan_id, kind, place, code, what) "
			"VALUES (?, ?, ?, ?, ?)",
			err);
	for (int kind = 0; kind < FAILURE_KINDS && !rc; kind++) {
		if (!failures->count[kind])
			continue;
		rc = save_failure(failure, scan_id, kind, failures, err);
		if (!rc)
			rc = save_examples(example, scan_id, kind, failures->examples[kind], err);
	}
	return rc;
}

int store_save_cells(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err)
{
	int rc = store_save_rows(
		store, scan_id, &cube_table, &census->cube, cube_count(&census->cube), err);

	if (!rc)
		rc = store_save_classes(store, scan_id, &census->cube, err);
	if (!rc)
		rc = store_save_rows(
			store, scan_id, &age_table, &census->ages, ages_count(&census->ages), err);
	if (!rc)
		rc = save_failures(store, scan_id, &census->failures, err);
	if (!rc)
		rc = store_save_dump(store, scan_id, census, err);
	return rc ? rc : store_save_directories(store, scan_id, &census->directories, err);
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* Prepares @text, whose one parameter is the scan, once that is known to be there. */
static int select_of_scan(struct store *store, struct sql_query **query, int64_t scan_id,
	const char *text, struct err *err)
{
	int rc = store_check_scan(store, scan_id, err);

	if (!rc)
		rc = sql_prepare(store->sql, query, text, err);
	if (!rc)
		sql_bind_i64(*query, scan_id);
	return rc;
}

static int no_memory(const struct store *store, struct err *err)
{
	return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
}

/* One by one: C leaves the order in an initializer open, and columns come in one. */
struct cube_sums store_take_sums(struct sql_query *query)
{
	struct cube_sums sums;

	sums.inodes = sql_take_u64(query);
	sums.size_bytes = sql_take_u64(query);
	sums.allocated_bytes = sql_take_u64(query);
	sums.extents = sql_take_u64(query);
	sums.stream_bytes = sql_take_u64(query);
	return sums;
}

static int take_cell(struct sql_query *query, struct cube *cube)
{
	struct cube_sums sums;
	struct cube_key key;

	key.uid = sql_take_u32(query);
	key.gid = sql_take_u32(query);
	key.projid = sql_take_u32(query);
	key.kind = (uint8_t)sql_take_below(query, INODE_KINDS);
	key.size_class = (uint8_t)sql_take_below(query, SIZE_CLASSES);
	sums = store_take_sums(query);
	return cube_add(cube, &key, &sums);
}

int store_load_cube(struct store *store, int64_t scan_id, struct cube *cube, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = select_of_scan(store, &query, scan_id,
		"SELECT uid, gid, projid, kind, size_class, inodes, size_bytes, allocated_bytes, "
		"extents, stream_bytes FROM cube WHERE scan_id = ? "
		"ORDER BY uid, gid, projid, kind, size_class",
		err);

	if (rc)
		return rc;
	while ((rc = sql_step(query, err)) > 0) {
		if (take_cell(query, cube))
			return no_memory(store, err);
	}
	return rc;
}

static int take_age(struct sql_query *query, struct ages *ages)
{
	struct ages_sums sums;
	struct ages_key key;

	key.uid = sql_take_u32(query);
	key.day = (int32_t)sql_take_between(query, AGES_DAY_MIN, AGES_DAY_MAX);
	key.kind = (uint8_t)sql_take_below(query, INODE_KINDS);
	key.size_class = (uint8_t)sql_take_below(query, SIZE_CLASSES);
	sums.inodes = sql_take_u64(query);
	sums.size_bytes = sql_take_u64(query);
	sums.allocated_bytes = sql_take_u64(query);
	sums.stream_bytes = sql_take_u64(query);
	return ages_add(ages, &key, key.day, &sums);
}

static int load_age_cells(struct store *store, int64_t scan_id, struct ages *ages, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT uid, day, kind, size_class, inodes, size_bytes, allocated_bytes, "
		"stream_bytes FROM age WHERE scan_id = ? ORDER BY uid, day, kind, size_class",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	while ((rc = sql_step(query, err)) > 0) {
		if (take_age(query, ages))
			return no_memory(store, err);
	}
	return rc;
}

int store_load_ages(struct store *store, int64_t scan_id, struct ages *ages, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = select_of_scan(store, &query, scan_id,
		"SELECT ages_today, ages_resolution FROM scan WHERE scan_id = ?", err);

	if (rc)
		return rc;
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc ? rc : store_check_scan(store, scan_id, err);
	ages->today = sql_take_between(query, AGES_DAY_MIN, AGES_DAY_MAX);
	ages->resolution = sql_take_below(query, AGES_NONE + 1);
	rc = sql_check(query, err);
	return rc ? rc : load_age_cells(store, scan_id, ages, err);
}

/* The kind with @name, or FAILURE_KINDS. */
static enum failure_kind kind_of(const char *name)
{
	int kind = 0;

	while (kind < FAILURE_KINDS && strcmp(failure_kind_name(kind), name))
		kind++;
	return kind;
}

/* A row is a failure and one of its examples, or none. */
static int take_failure(
	struct store *store, struct sql_query *query, struct failures *failures, struct err *err)
{
	autofree char *name = sql_take_string(query);
	enum failure_kind kind = name ? kind_of(name) : FAILURE_KINDS;
	struct failure_example *example;
	int64_t place;

	if (!name)
		return no_memory(store, err);
	if (kind == FAILURE_KINDS)
		return err_set(err, -EUCLEAN, "%s is damaged: it names a failure \"%s\"",
			sql_path(store->sql), name);
	failures->count[kind] = sql_take_u64(query);
	failures->inodes[kind] = sql_take_u64(query);
	place = sql_take_i64(query);
	if (place < 0 || place >= FAILURE_EXAMPLES)
		return sql_check(query, err);
	example = &failures->examples[kind][place];
	free(example->what);
	example->code = (int)sql_take_between(query, INT_MIN, INT_MAX);
	example->what = sql_take_string(query);
	return sql_check(query, err);
}

int store_load_failures(
	struct store *store, int64_t scan_id, struct failures *failures, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = select_of_scan(store, &query, scan_id,
		"SELECT f.kind, f.failures, f.inodes, coalesce(e.place, -1), e.code, e.what "
		"FROM failure AS f LEFT JOIN failure_example AS e "
		"ON e.scan_id = f.scan_id AND e.kind = f.kind "
		"WHERE f.scan_id = ? ORDER BY f.kind, e.place",
		err);

	if (rc)
		return rc;
	while ((rc = sql_step(query, err)) > 0) {
		rc = take_failure(store, query, failures, err);
		if (rc)
			break;
	}
	return rc;
}
