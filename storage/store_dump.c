// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See store.h: what a scan notes for the prediction of dumps.
 *
 * The parts of a range are packed as (part, inodes, stream bytes), parts with an inode only, in
 * ascending order; each number in groups of seven bits, the lowest first, the eighth bit set
 * while more follow.
 */
#include "storage/store_private.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX_BYTES 10
#define PACKED_MAX_BYTES (DUMP_RANGE_PARTS * (1 + 2 * NUMBER_MAX_BYTES))

/* --- Packing ---------------------------------------------------------------------------------- */

static uint8_t *put_number(uint8_t *to, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

/* Takes a number off the front of @from; false where there is none, or one above 64 bits. */
static bool take_number(const uint8_t **from, const uint8_t *end, uint64_t *number)
{
	*number = 0;
	for (unsigned shift = 0; *from < end && shift < 64; shift += 7) {
		uint8_t byte = *(*from)++;

		if (shift == 63 && byte > 1)
			return false;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static size_t pack_parts(const struct dump_range *range, uint8_t packed[PACKED_MAX_BYTES])
{
	uint8_t *to = packed;

	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++) {
		if (!range->parts[i].inodes)
			continue;
		*to++ = (uint8_t)i;
		to = put_number(to, (uint64_t)clamp_i64(range->parts[i].inodes));
		to = put_number(to, (uint64_t)clamp_i64(range->parts[i].stream_bytes));
	}
	return (size_t)(to - packed);
}

static bool unpack_parts(const uint8_t *from, size_t bytes, struct dump_range *range)
{
	const uint8_t *end = from + bytes;

	while (from < end) {
		uint8_t part = *from++;
		struct dump_range_sums sums;

		if (part >= DUMP_RANGE_PARTS || !take_number(&from, end, &sums.inodes) ||
			!take_number(&from, end, &sums.stream_bytes))
			return false;
		range->parts[part] = sums;
	}
	return true;
}

/* --- Saving ----------------------------------------------------------------------------------- */

static void bind_choice(struct sql_query *query, const void *choices, size_t index)
{
	struct dump_choice_key key;
	const struct dump_choice_sums *sums = dump_choices_at(choices, index, &key);

	sql_bind_i64(query, key.uid);
	sql_bind_i64(query, key.flags);
	sql_bind_i64(query, key.kind);
	sql_bind_i64(query, key.size_class);
	sql_bind_i64(query, key.allocation_class);
	store_bind_sums(query, &sums->told);
	sql_bind_i64(query, sums->surplus.data_bytes);
	sql_bind_i64(query, sums->surplus.attr_bytes);
}

#define CHOICE_COLUMNS                                                         \
	"uid, flags, kind, size_class, allocation_class, inodes, size_bytes, " \
	"allocated_bytes, extents, stream_bytes, data_surplus, attr_surplus"

static const struct store_table choice_table = {
	.name = "dump_choice (scan_id, " CHOICE_COLUMNS ")",
	.columns = 13,
	.bind_row = bind_choice,
};

static int save_whole(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO dump_scan (scan_id, range_shift, recent_shift, recent_from, "
		"entry_stream_bytes) VALUES (?, ?, ?, ?, ?)",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	sql_bind_i64(query, census->dump.ranges.shift);
	sql_bind_i64(query, census->dump.recent.shift);
	sql_bind_i64(query, census->dump.recent_from);
	sql_bind_u64(query, census->directories.entry_stream_bytes);
	return sql_run(query, err);
}

/* Whether ranges are of inode numbers or of time, in the database. */
enum { AXIS_INODES, AXIS_TIME };

static int save_ranges(struct store *store, int64_t scan_id, int axis,
	const struct dump_ranges *ranges, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	uint8_t packed[PACKED_MAX_BYTES];
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO dump_range (scan_id, axis, range, weight_bytes, parts) "
		"VALUES (?, ?, ?, ?, ?)",
		err);

	for (size_t i = 0; i < dump_ranges_count(ranges) && !rc; i++) {
		uint64_t index;
		const struct dump_range *range = dump_ranges_at(ranges, i, &index);

		sql_bind_i64(query, scan_id);
		sql_bind_i64(query, axis);
		sql_bind_u64(query, index);
		sql_bind_u64(query, range->weight_bytes);
		sql_bind_blob(query, packed, pack_parts(range, packed));
		rc = sql_run(query, err);
	}
	return rc;
}

int store_save_dump(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err)
{
	const struct dump_facts *facts = &census->dump;
	int rc = save_whole(store, scan_id, census, err);

	if (!rc)
		rc = store_save_rows(store, scan_id, &choice_table, &facts->choices,
			dump_choices_count(&facts->choices), err);
	if (!rc)
		rc = save_ranges(store, scan_id, AXIS_INODES, &facts->ranges, err);
	if (!rc)
		rc = save_ranges(store, scan_id, AXIS_TIME, &facts->recent, err);
	return rc ? rc : store_save_dump_size(store, scan_id, census, err);
}

/* --- Loading ---------------------------------------------------------------------------------- */

static int no_memory(const struct store *store, struct err *err)
{
	return err_set_errno(err, -ENOMEM, "%s", sql_path(store->sql));
}

static int load_whole(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT range_shift, recent_shift, recent_from, entry_stream_bytes FROM dump_scan "
		"WHERE scan_id = ?",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	rc = sql_step(query, err);
	if (rc <= 0)
		return rc;
	facts->present = true;
	facts->ranges.shift = sql_take_below(query, 64);
	facts->recent.shift = sql_take_below(query, 64);
	facts->recent_from = sql_take_i64(query);
	facts->entry_stream_bytes = sql_take_u64(query);
	return sql_check(query, err);
}

static int take_choice(struct sql_query *query, struct dump_choices *choices)
{
	struct dump_choice_key key;
	struct dump_choice_sums sums;

	key.uid = sql_take_u32(query);
	key.flags = (uint8_t)sql_take_below(query, 256);
	key.kind = (uint8_t)sql_take_below(query, INODE_KINDS);
	key.size_class = (uint8_t)sql_take_below(query, SIZE_CLASSES);
	key.allocation_class = (uint16_t)sql_take_below(query, DUMP_CHOICE_ALLOCATION_CLASSES);
	sums.told = store_take_sums(query);
	sums.surplus.data_bytes = sql_take_i64(query);
	sums.surplus.attr_bytes = sql_take_i64(query);
	return dump_choices_add(choices, &key, &sums);
}

static int load_choices(
	struct store *store, int64_t scan_id, struct dump_choices *choices, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT " CHOICE_COLUMNS " FROM dump_choice WHERE scan_id = ? "
		"ORDER BY uid, flags, kind, size_class, allocation_class",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	while ((rc = sql_step(query, err)) > 0) {
		if (take_choice(query, choices))
			return no_memory(store, err);
	}
	return rc;
}

/* Whether there are numbers whose upper bits are @index: coarser ranges then end at 64 bits. */
static bool is_range(const struct dump_ranges *ranges, uint64_t index)
{
	return !ranges->shift || !(index >> (64 - ranges->shift));
}

static int take_range(
	struct store *store, struct sql_query *query, struct dump_ranges *ranges, struct err *err)
{
	struct dump_range range = {0};
	uint64_t index = sql_take_u64(query);
	const uint8_t *parts;
	size_t bytes;

	range.weight_bytes = sql_take_u64(query);
	parts = sql_take_blob(query, &bytes);
	if (!is_range(ranges, index) || !unpack_parts(parts, bytes, &range))
		return err_set(err, -EUCLEAN, "%s is damaged: a range of inodes makes no sense",
			sql_path(store->sql));
	return dump_ranges_add(ranges, ranges->shift, index, &range) ? no_memory(store, err) : 0;
}

static int load_ranges(
	struct store *store, int64_t scan_id, int axis, struct dump_ranges *ranges, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"SELECT range, weight_bytes, parts FROM dump_range "
		"WHERE scan_id = ? AND axis = ? ORDER BY range",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	sql_bind_i64(query, axis);
	while ((rc = sql_step(query, err)) > 0) {
		rc = take_range(store, query, ranges, err);
		if (rc)
			return rc;
	}
	return rc;
}

int store_load_dump(struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err)
{
	int rc = store_check_scan(store, scan_id, err);

	if (!rc)
		rc = load_whole(store, scan_id, facts, err);
	if (!rc)
		rc = load_choices(store, scan_id, &facts->choices, err);
	if (!rc)
		rc = load_ranges(store, scan_id, AXIS_INODES, &facts->ranges, err);
	if (!rc)
		rc = load_ranges(store, scan_id, AXIS_TIME, &facts->recent, err);
	return rc ? rc : store_load_dump_size(store, scan_id, facts, err);
}
