// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_layout.h. A file is dumped in groups of about 16 MiB: a file header, extents with a
 * header each, and a header that ends the group. An extent is cut at the end of file, up to a
 * sector, and where the group is full. docs/dump-model.md has the formulas.
 */
#include "analyzer/census/dump_layout.h"

#include "analyzer/census/dump_stream.h"
#include "base/checked.h"

void dump_position_pass(struct dump_position *position, uint64_t bytes)
{
	position->in_page = (uint32_t)((position->in_page + bytes) % DUMP_STREAM_PAGE_BYTES);
}

static void put(struct dump_layout *layout, uint64_t bytes)
{
	layout->bytes = sat_add_u64(layout->bytes, bytes);
	layout->group = sat_add_u64(layout->group, bytes);
	dump_position_pass(layout->position, bytes);
}

static void begin_group(struct dump_layout *layout)
{
	put(layout, DUMP_STREAM_FILE_BYTES);
	layout->group = 0;
}

/* What stands before the header of data that starts a page. */
static void align(struct dump_layout *layout)
{
	struct dump_position *position = layout->position;
	uint64_t bytes = DUMP_STREAM_ALIGN_MEAN_BYTES;

	if (position->is_known) {
		bytes = (DUMP_STREAM_PAGE_BYTES - position->in_page) % DUMP_STREAM_PAGE_BYTES;
		if (bytes < 2 * DUMP_STREAM_EXTENT_BYTES)
			bytes += DUMP_STREAM_PAGE_BYTES;
	}
	put(layout, bytes - DUMP_STREAM_EXTENT_BYTES);
	position->is_known = true;
	position->in_page = DUMP_STREAM_PAGE_BYTES - DUMP_STREAM_EXTENT_BYTES;
}

/* Ends a group that is full; there is more to come. */
static void go_on(struct dump_layout *layout)
{
	if (layout->group < DUMP_STREAM_GROUP_BYTES)
		return;
	put(layout, DUMP_STREAM_EXTENT_BYTES);
	begin_group(layout);
}

static void put_hole(struct dump_layout *layout)
{
	go_on(layout);
	put(layout, DUMP_STREAM_EXTENT_BYTES);
}

/*
 * Full groups in a row, all alike: each takes a page for headers and padding. They begin where one
 * has just been filled up to a page's end. Returns their data bytes.
 */
static uint64_t put_full_groups(struct dump_layout *layout, uint64_t bytes)
{
	const struct dump_position *position = layout->position;
	uint64_t groups = bytes / DUMP_STREAM_GROUP_BYTES;

	if (layout->group < DUMP_STREAM_GROUP_BYTES || !position->is_known || position->in_page)
		return 0;
	layout->bytes = sat_add_u64(layout->bytes,
		sat_mul_u64(groups, DUMP_STREAM_GROUP_BYTES + DUMP_STREAM_PAGE_BYTES));
	return groups * DUMP_STREAM_GROUP_BYTES;
}

/* The bytes of an extent, which is cut where groups are full. */
static void put_data(struct dump_layout *layout, uint64_t bytes)
{
	while (bytes) {
		uint64_t room, part;

		bytes -= put_full_groups(layout, bytes);
		if (!bytes)
			return;
		go_on(layout);
		room = DUMP_STREAM_GROUP_BYTES -
		       min_u64(DUMP_STREAM_GROUP_BYTES, layout->group + DUMP_STREAM_EXTENT_BYTES);
		room = max_u64(
			round_up_u64(room, DUMP_STREAM_SECTOR_BYTES), DUMP_STREAM_SECTOR_BYTES);
		part = min_u64(bytes, room);
		if (part >= DUMP_STREAM_ALIGN_FROM_BYTES)
			align(layout);
		put(layout, DUMP_STREAM_EXTENT_BYTES + part);
		bytes -= part;
	}
}

void dump_layout_begin(
	struct dump_layout *layout, struct dump_position *position, uint64_t size_bytes)
{
	*layout = (struct dump_layout){.position = position, .size_bytes = size_bytes};
	begin_group(layout);
}

void dump_layout_extent(struct dump_layout *layout, uint64_t offset_bytes, uint64_t length_bytes)
{
	uint64_t left;

	layout->has_extents = true;
	if (layout->at >= layout->size_bytes)
		return;
	if (offset_bytes > layout->at)
		put_hole(layout);
	layout->at = sat_add_u64(offset_bytes, length_bytes);
	if (offset_bytes >= layout->size_bytes)
		return;
	left = round_up_u64(layout->size_bytes - offset_bytes, DUMP_STREAM_SECTOR_BYTES);
	put_data(layout, min_u64(length_bytes, left));
}

uint64_t dump_layout_end(struct dump_layout *layout)
{
	if (layout->has_extents && layout->at < layout->size_bytes)
		put_hole(layout);
	put(layout, DUMP_STREAM_EXTENT_BYTES);
	return layout->bytes;
}
