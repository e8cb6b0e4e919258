// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See store.h: the scans of a filesystem as a series. What all users together have comes from a
 * table of sums, which is filled with each scan; one user's part comes from the cube, where it is a
 * short run of rows in each scan.
 */
#include "storage/store_private.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"

#include <errno.h>

/* --- Saving ----------------------------------------------------------------------------------- */

static void bind_class(struct sql_query *query, const void *cube, size_t index)
{
	struct cube_key key;
	const struct cube_sums *sums = cube_at(cube, index, &key);

	sql_bind_i64(query, key.kind);
	sql_bind_i64(query, key.size_class);
	store_bind_sums(query, sums);
}

static const struct store_table class_table = {
	.name = "scan_class (scan_id, kind, size_class, inodes, size_bytes, allocated_bytes, "
		"extents, stream_bytes)",
	.columns = 8,
	.bind_row = bind_class,
};

/* Adds all of @cube to @classes, whoever owns it. Returns 0 or -ENOMEM. */
static int fold_owners(const struct cube *cube, struct cube *classes)
{
	int rc = 0;

	for (size_t i = 0; i < cube_count(cube) && !rc; i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);
		const struct cube_key folded = {.kind = key.kind, .size_class = key.size_class};

		rc = cube_add(classes, &folded, sums);
	}
	return rc;
}

int store_save_classes(
	struct store *store, int64_t scan_id, const struct cube *cube, struct err *err)
{
	struct cube classes;
	int rc;

	cube_init(&classes);
	rc = fold_owners(cube, &classes);
	if (rc) {
		err_set_errno(err, rc, "%s", sql_path(store->sql));
	} else {
		cube_sort(&classes);
		rc = store_save_rows(
			store, scan_id, &class_table, &classes, cube_count(&classes), err);
	}
	cube_fini(&classes);
	return rc;
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* Every scan of what scan ?1 is of, up to that, with its cells of @table; kind -1 for none. */
#define SELECT_HISTORY(table, condition)                                                       \
	"SELECT s.scan_id, s.started_seconds, s.errors, coalesce(c.kind, -1), "                \
	"coalesce(c.size_class, 0), coalesce(c.inodes, 0), coalesce(c.size_bytes, 0), "        \
	"coalesce(c.allocated_bytes, 0), coalesce(c.extents, 0), "                             \
	"coalesce(c.stream_bytes, 0) FROM scan AS n JOIN scan AS s "                           \
	"ON s.filesystem_id = n.filesystem_id AND s.scan_id <= n.scan_id "                     \
	"AND s.whole_filesystem = n.whole_filesystem "                                         \
	"AND (s.whole_filesystem = 1 OR s.path = n.path) "                                     \
	"LEFT JOIN " table " AS c ON c.scan_id = s.scan_id " condition "WHERE n.scan_id = ?1 " \
	"ORDER BY s.started_seconds, s.scan_id"

/* The scan that the row is of: the last, or a new one. NULL without memory. */
static struct history_scan *take_scan(struct sql_query *query, struct history *history)
{
	int64_t scan_id = sql_take_i64(query), started_seconds = sql_take_i64(query);
	uint64_t errors = sql_take_u64(query);
	struct history_scan *scan = history->count ? &history->scans[history->count - 1] : NULL;

	if (scan && scan->scan_id == scan_id)
		return scan;
	scan = history_add(history);
	if (scan) {
		scan->scan_id = scan_id;
		scan->started_seconds = started_seconds;
		scan->errors = errors;
	}
	return scan;
}

static int take_row(struct sql_query *query, struct history *history)
{
	struct history_scan *scan = take_scan(query, history);
	int64_t kind = sql_take_between(query, -1, INODE_KINDS - 1);
	const struct cube_key key = {
		.kind = (uint8_t)(kind < 0 ? 0 : kind),
		.size_class = (uint8_t)sql_take_below(query, SIZE_CLASSES),
	};
	const struct cube_sums sums = store_take_sums(query);

	if (!scan)
		return -ENOMEM;
	return kind < 0 ? 0 : cube_add(&scan->cube, &key, &sums);
}

int store_load_history(struct store *store, int64_t scan_id, const uint32_t *uid,
	struct history *history, struct err *err)
{
	static const char all[] = SELECT_HISTORY("scan_class", "");
	static const char one[] = SELECT_HISTORY("cube", "AND c.uid = ?2 ");
	autoquery struct sql_query *query = NULL;
	int rc = store_check_scan(store, scan_id, err);

	if (!rc)
		rc = sql_prepare(store->sql, &query, uid ? one : all, err);
	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	if (uid)
		sql_bind_i64(query, *uid);
	while ((rc = sql_step(query, err)) > 0) {
		if (take_row(query, history))
			return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
	}
	for (size_t i = 0; i < history->count; i++)
		cube_sort(&history->scans[i].cube);
	return rc;
}
