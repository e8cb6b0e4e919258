/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which order a dump meets its load: range by range of inode numbers, as the census knows them.
 *
 * What options leave out, and what archives add, is taken from each range by the share of its
 * class.
 */
#ifndef ANALYZER_WINDOW_DUMP_ORDER_H
#define ANALYZER_WINDOW_DUMP_ORDER_H

#include "analyzer/census/dump_ranges.h"
#include "analyzer/window/dump_model.h"

/* Parts that ranges tell of: size classes, and links and special files. */
#define DUMP_ORDER_PARTS (DUMP_RANGE_SPECIALS + 1)

_Static_assert((int)DUMP_RANGE_SPECIALS == (int)PART_SPECIALS, "ranges have the model's parts");

/* What of each part is dumped, of what the ranges hold: 0, or 1 and around. */
struct dump_kept {
	double inodes[DUMP_ORDER_PARTS];
	double stream_bytes[DUMP_ORDER_PARTS];
};

/* What is dumped of a range. */
struct dump_load {
	double present[DUMP_ORDER_PARTS]; /* inodes that passes meet, dumped or not */
	double inodes[DUMP_ORDER_PARTS];
	double media_bytes[DUMP_ORDER_PARTS];
	double seconds[DUMP_ORDER_PARTS];    /* of opening and reading, passes left out */
	double wait_share[DUMP_ORDER_PARTS]; /* of what the whole part waits for the sink */
};

/* @part of @whole; 0 of nothing. */
static inline double dump_order_share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

void dump_kept_find(
	const struct dump_model *model, const struct dump_ranges *ranges, struct dump_kept *kept);

/* What of @range a dump of @model takes. */
void dump_load_find(const struct dump_model *model, const struct dump_kept *kept,
	const struct dump_range *range, struct dump_load *load);

#endif
