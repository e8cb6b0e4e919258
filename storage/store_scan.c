// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: what is known of a scan as a whole. Its tables are in store_cells.c. */
#include "storage/store_private.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Saving ----------------------------------------------------------------------------------- */

static int check_info(const struct scan_info *info, struct err *err)
{
	if (!info->fs_id[0])
		return err_set(err, -EINVAL, "a scan without the id of its filesystem");
	if (info->tiny_bytes & (info->tiny_bytes - 1))
		return err_set(err, -EINVAL,
			"the edge of tiny, %" PRIu64 " bytes, is no power of two",
			info->tiny_bytes);
	if (!isfinite(info->seconds) || info->seconds < 0)
		return err_set(err, -EINVAL, "a scan that took %g seconds", info->seconds);
	return 0;
}

static void bind_info(struct sql_query *query, int64_t filesystem_id, const struct scan_info *info)
{
	sql_bind_i64(query, filesystem_id);
	sql_bind_text(query, info->fs_type);
	sql_bind_bytes(query, info->mount_point);
	sql_bind_bytes(query, info->device);
	sql_bind_u64(query, info->block_bytes);
	sql_bind_u64(query, info->capacity_bytes);
	sql_bind_u64(query, info->inode_chunks);
	sql_bind_bytes(query, info->path);
	sql_bind_i64(query, info->whole_filesystem);
	sql_bind_text(query, info->engine);
	sql_bind_text(query, info->engine_reason);
	sql_bind_i64(query, info->started_seconds);
	sql_bind_double(query, info->seconds);
	sql_bind_u64(query, info->jobs);
	sql_bind_u64(query, size_class_below(info->tiny_bytes));
	sql_bind_u64(query, info->errors);
	sql_bind_u64(query, info->unlinked);
	sql_bind_u64(query, info->unknown_inodes);
}

static void bind_totals(struct sql_query *query, const struct census_totals *totals)
{
	sql_bind_u64(query, totals->inodes);
	sql_bind_u64(query, totals->regular_files);
	sql_bind_u64(query, totals->directories);
	sql_bind_u64(query, totals->symlinks);
	sql_bind_u64(query, totals->others);
	sql_bind_u64(query, totals->tiny_files);
	sql_bind_u64(query, totals->tiny_bytes);
	sql_bind_u64(query, totals->bytes);
	sql_bind_u64(query, totals->allocated_bytes);
	sql_bind_u64(query, totals->stream_bytes);
}

/* A clock that is off by millennia is no reason to lose a scan. */
static int64_t held_day(int64_t day)
{
	return day < AGES_DAY_MIN ? AGES_DAY_MIN : day > AGES_DAY_MAX ? AGES_DAY_MAX : day;
}

static int save_info(struct store *store, int64_t filesystem_id, struct scan_info *info,
	const struct census *census, struct err *err)
{
	static const char text[] =
		"INSERT INTO scan (filesystem_id, fs_type, mount_point, device, block_bytes, "
		"capacity_bytes, inode_chunks, path, whole_filesystem, engine, engine_reason, "
		"started_seconds, seconds, jobs, tiny_classes, errors, unlinked, unknown_inodes, "
		"ages_today, ages_resolution, inodes, regular_files, directories, symlinks, "
		"others, "
		"tiny_files, tiny_bytes, bytes, allocated_bytes, stream_bytes) VALUES "
		"(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		"?, ?, ?)";
	autoquery struct sql_query *query = NULL;
	struct census_totals totals;
	int rc = sql_prepare(store->sql, &query, text, err);

	if (rc)
		return rc;
	census_total(&census->cube, info->tiny_bytes, &totals);
	bind_info(query, filesystem_id, info);
	sql_bind_i64(query, held_day(census->ages.today));
	sql_bind_i64(query, census->ages.resolution);
	bind_totals(query, &totals);
	rc = sql_run(query, err);
	if (!rc)
		info->scan_id = sql_last_id(store->sql);
	return rc;
}

/* To be called in a transaction. */
static int save_scan(
	struct store *store, struct scan_info *info, const struct census *census, struct err *err)
{
	const struct store_filesystem filesystem = {
		.fs_id = info->fs_id,
		.fs_type = info->fs_type,
		.mount_point = info->mount_point,
		.device = info->device,
	};
	int64_t filesystem_id;
	int rc = store_put_filesystem(store, &filesystem, &filesystem_id, err);

	if (!rc)
		rc = save_info(store, filesystem_id, info, census, err);
	return rc ? rc : store_save_cells(store, info->scan_id, census, err);
}

int store_save_scan(
	struct store *store, struct scan_info *info, const struct census *census, struct err *err)
{
	int64_t old_id = info->scan_id;
	int rc = check_info(info, err);

	if (!rc)
		rc = sql_begin(store->sql, err);
	if (!rc)
		rc = sql_end(store->sql, save_scan(store, info, census, err), err);
	if (rc)
		info->scan_id = old_id;
	return rc;
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* What take_info() and take_totals() take, in their order. */
#define SELECT_SCAN                                                                            \
	"SELECT s.scan_id, f.fs_id, s.fs_type, s.mount_point, s.device, s.block_bytes, "       \
	"s.capacity_bytes, s.inode_chunks, s.path, s.whole_filesystem, s.engine, "             \
	"s.engine_reason, s.started_seconds, s.seconds, s.jobs, s.tiny_classes, s.errors, "    \
	"s.unlinked, s.unknown_inodes, s.inodes, s.regular_files, s.directories, s.symlinks, " \
	"s.others, s.tiny_files, s.tiny_bytes, s.bytes, s.allocated_bytes, s.stream_bytes "    \
	"FROM scan AS s JOIN filesystem AS f ON f.filesystem_id = s.filesystem_id "

/* The edge below which @classes size classes lie. */
static uint64_t tiny_edge(unsigned classes)
{
	return classes ? size_class_low(classes) : 0;
}

static void take_info(struct sql_query *query, struct scan_info *info)
{
	memset(info, 0, sizeof(*info));
	info->scan_id = sql_take_i64(query);
	sql_take_into(query, info->fs_id, sizeof(info->fs_id));
	sql_take_into(query, info->fs_type, sizeof(info->fs_type));
	info->mount_point = sql_take_string(query);
	info->device = sql_take_string(query);
	info->block_bytes = sql_take_u32(query);
	info->capacity_bytes = sql_take_u64(query);
	info->inode_chunks = sql_take_u64(query);
	info->path = sql_take_string(query);
	info->whole_filesystem = sql_take_below(query, 2);
	sql_take_into(query, info->engine, sizeof(info->engine));
	info->engine_reason = sql_take_string(query);
	info->started_seconds = sql_take_i64(query);
	info->seconds = sql_take_seconds(query);
	info->jobs = sql_take_u32(query);
	info->tiny_bytes = tiny_edge(sql_take_below(query, SIZE_CLASSES));
	info->errors = sql_take_u64(query);
	info->unlinked = sql_take_u64(query);
	info->unknown_inodes = sql_take_u64(query);
}

static void take_totals(struct sql_query *query, struct census_totals *totals)
{
	totals->inodes = sql_take_u64(query);
	totals->regular_files = sql_take_u64(query);
	totals->directories = sql_take_u64(query);
	totals->symlinks = sql_take_u64(query);
	totals->others = sql_take_u64(query);
	totals->tiny_files = sql_take_u64(query);
	totals->tiny_bytes = sql_take_u64(query);
	totals->bytes = sql_take_u64(query);
	totals->allocated_bytes = sql_take_u64(query);
	totals->stream_bytes = sql_take_u64(query);
}

static int tell_missing(struct store *store, const struct store_selector *selector, struct err *err)
{
	const char *path = sql_path(store->sql);
	const char *what = selector->whole_filesystem ? "scan of a whole filesystem" : "scan";

	if (selector->scan_id)
		return err_set(err, -ENOENT,
			"no scan %" PRId64 " in %s; `xfscensus scans` lists them",
			selector->scan_id, path);
	if (selector->fs)
		return err_set(err, -ENOENT, "no %s of %s in %s; `xfscensus scans` lists them",
			what, selector->fs, path);
	return err_set(err, -ENOENT, "no %s in %s: run `xfscensus scan` first", what, path);
}

/*
 * What store_selector.fs names: a filesystem, or a tree that was scanned alone. @tree is set to be
 * fs itself where it is the latter.
 */
static int find_named(struct store *store, const struct store_selector *selector,
	int64_t *filesystem_id, const char **tree, struct err *err)
{
	int rc;

	if (selector->scan_id || !selector->fs)
		return 0;
	rc = store_find_filesystem(store, selector->fs, filesystem_id, err);
	if (rc != -ENOENT)
		return rc;
	err_clear(err);
	*tree = selector->fs;
	return 0;
}

int store_load_scan(struct store *store, const struct store_selector *selector,
	struct scan_info *info, struct err *err)
{
	static const char text[] =
		SELECT_SCAN "WHERE (s.scan_id = ?1 OR ?1 = 0) AND (s.filesystem_id = ?2 OR ?2 = 0) "
			    "AND s.whole_filesystem >= ?3 "
			    "AND (?4 IS NULL OR (s.path = ?4 AND s.whole_filesystem = 0)) "
			    "ORDER BY s.whole_filesystem DESC, s.scan_id DESC LIMIT 1";
	autoquery struct sql_query *query = NULL;
	const char *tree = NULL;
	int64_t filesystem_id = 0;
	int rc = find_named(store, selector, &filesystem_id, &tree, err);

	if (!rc)
		rc = sql_prepare(store->sql, &query, text, err);
	if (rc)
		return rc;
	sql_bind_i64(query, selector->scan_id);
	sql_bind_i64(query, filesystem_id);
	sql_bind_i64(query, !selector->scan_id && selector->whole_filesystem);
	sql_bind_bytes(query, tree);
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc ? rc : tell_missing(store, selector, err);
	take_info(query, info);
	rc = sql_check(query, err);
	if (rc)
		scan_info_fini(info);
	return rc;
}

int store_check_scan(struct store *store, int64_t scan_id, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, "SELECT 1 FROM scan WHERE scan_id = ?", err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	rc = sql_step(query, err);
	if (rc == 0)
		return err_set(err, -ENOENT,
			"no scan %" PRId64 " in %s; `xfscensus scans` lists them", scan_id,
			sql_path(store->sql));
	return rc < 0 ? rc : 0;
}

/* --- Listing ---------------------------------------------------------------------------------- */

static int grow_list(struct store_scan_list *list)
{
	size_t wanted = list->count ? 2 * list->count : 1;
	struct scan_info *scans;
	struct census_totals *totals;

	if (list->count & (list->count - 1)) /* room is made at powers of two */
		return 0;
	scans = reallocarray(list->scans, wanted, sizeof(*scans));
	if (!scans)
		return -ENOMEM;
	list->scans = scans;
	totals = reallocarray(list->totals, wanted, sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	list->totals = totals;
	return 0;
}

static int take_list(
	struct store *store, struct sql_query *query, struct store_scan_list *list, struct err *err)
{
	int rc;

	while ((rc = sql_step(query, err)) > 0) {
		if (grow_list(list))
			return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
		take_info(query, &list->scans[list->count]);
		take_totals(query, &list->totals[list->count]);
		list->count++;
	}
	return rc;
}

int store_list_scans(
	struct store *store, const char *fs, struct store_scan_list *list, struct err *err)
{
	static const char text[] =
		SELECT_SCAN "WHERE s.filesystem_id = ?1 OR ?1 = 0 ORDER BY s.scan_id";
	autoquery struct sql_query *query = NULL;
	int64_t filesystem_id = 0;
	int rc = 0;

	memset(list, 0, sizeof(*list));
	if (fs)
		rc = store_find_filesystem(store, fs, &filesystem_id, err);
	if (!rc)
		rc = sql_prepare(store->sql, &query, text, err);
	if (rc)
		return rc;
	sql_bind_i64(query, filesystem_id);
	rc = take_list(store, query, list, err);
	if (rc)
		store_scan_list_fini(list);
	return rc;
}

void store_scan_list_fini(struct store_scan_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		scan_info_fini(&list->scans[i]);
	free(list->scans);
	free(list->totals);
	memset(list, 0, sizeof(*list));
}
