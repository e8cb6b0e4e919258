// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: what a scan notes for the size of dumps, beyond what it notes for their time. */
#include "storage/store_private.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Saving ----------------------------------------------------------------------------------- */

static bool is_empty(const struct dump_part *part)
{
	static const struct dump_part nothing;

	return !memcmp(part, &nothing, sizeof(nothing));
}

#define PART_COLUMNS                                                                            \
	"stream_bytes, bare_bytes, told_bytes, told_many, attr_bytes, attr_seen, attr_inline, " \
	"attr_blocks"

static int save_parts(struct store *store, int64_t scan_id,
	const struct dump_part parts[DUMP_RANGE_PARTS], struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO dump_part (scan_id, part, " PART_COLUMNS ") "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		err);

	for (unsigned i = 0; i < DUMP_RANGE_PARTS && !rc; i++) {
		const struct dump_part *part = &parts[i];

		if (is_empty(part))
			continue;
		sql_bind_i64(query, scan_id);
		sql_bind_i64(query, i);
		sql_bind_u64(query, part->stream_bytes);
		sql_bind_u64(query, part->bare_bytes);
		sql_bind_u64(query, part->told_bytes);
		sql_bind_u64(query, part->told_many);
		sql_bind_u64(query, part->attr_bytes);
		sql_bind_u64(query, part->attr_seen);
		sql_bind_u64(query, part->attr_inline);
		sql_bind_u64(query, part->attr_blocks);
		rc = sql_run(query, err);
	}
	return rc;
}

static void bind_way(struct sql_query *query, const void *ways, size_t index)
{
	const struct directory_way *way = (const struct directory_way *)ways + index;

	sql_bind_i64(query, way->from_seconds);
	sql_bind_i64(query, way->to_seconds);
	sql_bind_u64(query, way->directories);
	sql_bind_u64(query, way->entry_stream_bytes);
	sql_bind_u64(query, way->attr_stream_bytes);
}

#define WAY_COLUMNS "from_seconds, to_seconds, directories, entry_stream_bytes, attr_stream_bytes"

static const struct store_table way_table = {
	.name = "dump_way (scan_id, " WAY_COLUMNS ")",
	.columns = 6,
	.bind_row = bind_way,
};

static void bind_change(struct sql_query *query, const void *changes, size_t index)
{
	const struct dump_change *change = hashmap_value_at(changes, index);

	sql_bind_u64(query, hashmap_key_at(changes, index)->low);
	sql_bind_u64(query, change->attr_forks);
	sql_bind_u64(query, change->unseen_forks);
	sql_bind_u64(query, change->unseen_bytes);
	sql_bind_i64(query, change->surplus.data_bytes);
	sql_bind_i64(query, change->surplus.attr_bytes);
}

#define CHANGE_COLUMNS "attr_forks, unseen_forks, unseen_bytes, data_surplus, attr_surplus"

static const struct store_table change_table = {
	.name = "dump_change (scan_id, recency, " CHANGE_COLUMNS ")",
	.columns = 7,
	.bind_row = bind_change,
};

int store_save_dump_size(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err)
{
	const struct directories *directories = &census->directories;
	int rc = save_parts(store, scan_id, census->dump.parts, err);

	if (!rc)
		rc = store_save_rows(
			store, scan_id, &way_table, directories->ways, directories->way_count, err);
	return rc ? rc
		  : store_save_rows(store, scan_id, &change_table, &census->dump.changes,
			    census->dump.changes.count, err);
}

/* --- Loading ---------------------------------------------------------------------------------- */

static int load_parts(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT part, " PART_COLUMNS " FROM dump_part WHERE scan_id = ?", err);

	facts->has_parts = false;
	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	while ((rc = sql_step(query, err)) > 0) {
		struct dump_part *part = &facts->parts[sql_take_below(query, DUMP_RANGE_PARTS)];

		part->stream_bytes = sql_take_u64(query);
		part->bare_bytes = sql_take_u64(query);
		part->told_bytes = sql_take_u64(query);
		part->told_many = sql_take_u64(query);
		part->attr_bytes = sql_take_u64(query);
		part->attr_seen = sql_take_u64(query);
		part->attr_inline = sql_take_u64(query);
		part->attr_blocks = sql_take_u64(query);
		facts->has_parts = true;
		rc = sql_check(query, err);
		if (rc)
			break;
	}
	return rc;
}

/* Room for one more. */
static struct directory_way *append(struct dump_facts *facts)
{
	size_t count = facts->way_count;

	if (!(count & (count - 1))) {
		struct directory_way *ways =
			reallocarray(facts->ways, count ? 2 * count : 1, sizeof(*facts->ways));

		if (!ways)
			return NULL;
		facts->ways = ways;
	}
	facts->way_count++;
	return &facts->ways[count];
}

static int load_ways(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT " WAY_COLUMNS " FROM dump_way WHERE scan_id = ? ORDER BY from_seconds",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	while ((rc = sql_step(query, err)) > 0) {
		struct directory_way *way = append(facts);

		if (!way)
			return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
		way->from_seconds = sql_take_i64(query);
		way->to_seconds = sql_take_i64(query);
		way->directories = sql_take_u64(query);
		way->entry_stream_bytes = sql_take_u64(query);
		way->attr_stream_bytes = sql_take_u64(query);
		rc = sql_check(query, err);
		if (rc)
			break;
	}
	return rc;
}

static int take_change(struct sql_query *query, struct dump_facts *facts)
{
	unsigned recency = 1 + sql_take_below(query, RECENCIES - 1);
	struct dump_change change;

	change.attr_forks = sql_take_u64(query);
	change.unseen_forks = sql_take_u64(query);
	change.unseen_bytes = sql_take_u64(query);
	change.surplus.data_bytes = sql_take_i64(query);
	change.surplus.attr_bytes = sql_take_i64(query);
	return dump_facts_put_change(facts, recency, &change);
}

static int load_changes(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT recency - 1, " CHANGE_COLUMNS " FROM dump_change WHERE scan_id = ? "
		"ORDER BY recency",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	while ((rc = sql_step(query, err)) > 0) {
		if (take_change(query, facts))
			return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
		rc = sql_check(query, err);
		if (rc)
			break;
	}
	return rc;
}

int store_load_dump_size(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err)
{
	int rc = load_parts(store, scan_id, facts, err);

	if (!rc)
		rc = load_ways(store, scan_id, facts, err);
	return rc ? rc : load_changes(store, scan_id, facts, err);
}
