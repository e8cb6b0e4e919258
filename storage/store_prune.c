// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See store.h: deleting scans and calibrations. Which ones a rule means is decided by the statement
 * that deletes them, so that several who prune at once, or scan meanwhile, cannot contradict each
 * other.
 */
#include "storage/store_private.h"

#include <errno.h>
#include <inttypes.h>

/*
 * Of the filesystem ?1 (0: of all), scans with their place: 1 is the newest of the whole of its
 * filesystem, or of its tree. So the scan of a tree never drives out one of the whole.
 */
#define DELETE_FROM_PLACE                                                            \
	"DELETE FROM scan WHERE scan_id IN (SELECT scan_id FROM (SELECT scan_id, "   \
	"started_seconds, row_number() OVER (PARTITION BY filesystem_id, "           \
	"CASE whole_filesystem WHEN 0 THEN path END ORDER BY "                       \
	"scan_id DESC) AS place FROM scan WHERE filesystem_id = ?1 OR ?1 = 0) AS s " \
	"WHERE place > ?2 AND "

static int delete_from_place(struct store *store, const char *text, int64_t filesystem_id,
	uint64_t newer, int64_t started_seconds, uint64_t *deleted, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, text, err);

	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	sql_bind_u64(query, newer);
	sql_bind_i64(query, started_seconds);
	rc = sql_run(query, err);
	*deleted = (uint64_t)sql_changes(store->sql);
	return rc;
}

/* What is deleted by its id. */
struct prunable {
	const char *name;
	const char *list;              /* what lists them */
	const char *select_filesystem; /* whose it is */
	const char *delete;
};

static const struct prunable scans = {
	"scan",
	"xfscensus scans",
	"SELECT filesystem_id FROM scan WHERE scan_id = ?",
	"DELETE FROM scan WHERE scan_id = ?",
};

static const struct prunable calibrations = {
	"calibration",
	"xfscensus scans --calibrations",
	"SELECT filesystem_id FROM calibration WHERE calibration_id = ?",
	"DELETE FROM calibration WHERE calibration_id = ?",
};

static int check_id(struct store *store, const struct prunable *what, int64_t filesystem_id,
	int64_t id, const struct store_prune_rule *rule, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, what->select_filesystem, err);

	if (rc)
		return rc;
	sql_bind_i64(query, id);
	rc = sql_step(query, err);
	if (rc == 0)
		return err_set(err, -ENOENT, "no %s %" PRId64 " in %s; `%s` lists them", what->name,
			id, sql_path(store->sql), what->list);
	if (rc > 0 && filesystem_id && sql_take_i64(query) != filesystem_id)
		return err_set(
			err, -ENOENT, "%s %" PRId64 " is not one of %s", what->name, id, rule->fs);
	return rc < 0 ? rc : 0;
}

/* All must be there before the first is deleted; one that is named twice is deleted once. */
static int delete_ids(struct store *store, const struct prunable *what, int64_t filesystem_id,
	const struct store_prune_rule *rule, uint64_t *deleted, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, what->delete, err);

	for (size_t i = 0; i < rule->id_count && !rc; i++)
		rc = check_id(store, what, filesystem_id, rule->ids[i], rule, err);
	for (size_t i = 0; i < rule->id_count && !rc; i++) {
		sql_bind_i64(query, rule->ids[i]);
		rc = sql_run(query, err);
		*deleted += (uint64_t)sql_changes(store->sql);
	}
	return rc;
}

static int drop_empty_filesystems(struct store *store, struct err *err)
{
	return sql_exec(store->sql,
		"DELETE FROM filesystem "
		"WHERE filesystem_id NOT IN (SELECT filesystem_id FROM scan) "
		"AND filesystem_id NOT IN (SELECT filesystem_id FROM calibration) "
		"AND filesystem_id NOT IN (SELECT filesystem_id FROM dump_session)",
		err);
}

/* To be called in a transaction. */
static int prune(struct store *store, const struct store_prune_rule *rule, uint64_t *deleted,
	struct err *err)
{
	int64_t filesystem_id = 0;
	int rc = rule->fs ? store_find_filesystem(store, rule->fs, &filesystem_id, err) : 0;

	if (rc)
		return rc;
	switch (rule->kind) {
	case PRUNE_IDS:
		rc = delete_ids(store, &scans, filesystem_id, rule, deleted, err);
		break;
	case PRUNE_CALIBRATIONS:
		rc = delete_ids(store, &calibrations, filesystem_id, rule, deleted, err);
		break;
	case PRUNE_KEEP:
		rc = delete_from_place(store, DELETE_FROM_PLACE "?3 = 0)", filesystem_id,
			rule->keep, 0, deleted, err);
		break;
	case PRUNE_OLDER:
		rc = delete_from_place(store, DELETE_FROM_PLACE "started_seconds < ?3)",
			filesystem_id, 1, rule->started_seconds, deleted, err);
		break;
	}
	return rc ? rc : drop_empty_filesystems(store, err);
}

int store_prune(struct store *store, const struct store_prune_rule *rule, uint64_t *deleted,
	struct err *err)
{
	int rc = sql_begin(store->sql, err);

	*deleted = 0;
	if (!rc)
		rc = sql_end(store->sql, prune(store, rule, deleted, err), err);
	if (rc)
		*deleted = 0;
	return rc;
}
