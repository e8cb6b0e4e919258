/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where along the inode numbers the load of a dump lies: what xfsdump goes by when it splits a dump
 * into several streams, and what it does not, the number and size of the files there.
 *
 * A range is all inodes whose number has the same upper bits: number >> shift. The shift is the
 * smallest by which no more than DUMP_RANGES_MAX ranges are in use, so it is a property of the
 * filesystem, not of the order or the number of threads: a part can only need a larger one if the
 * whole does. Directories are left out: a dump's first stream has all of them.
 *
 * The same by time of change instead of inode number, directories included, tells what a level
 * above 0 takes whose base is a few hours back: days, as in ages.h, are too coarse for that.
 */
#ifndef ANALYZER_CENSUS_DUMP_RANGES_H
#define ANALYZER_CENSUS_DUMP_RANGES_H

#include "analyzer/census/inode_record.h"
#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/hashmap.h"

#include <errno.h>

#define DUMP_RANGES_MAX 1024

/* Places after the size classes of regular files: links and special files; directories. */
#define DUMP_RANGE_SPECIALS    SIZE_CLASSES
#define DUMP_RANGE_DIRECTORIES (SIZE_CLASSES + 1)
#define DUMP_RANGE_PARTS       (SIZE_CLASSES + 2)

/* The smallest shift for inode numbers: they come in chunks of 64. */
#define DUMP_RANGE_INODE_SHIFT 6

/* The header of an extent, as xfsdump counts it. */
#define DUMP_RANGE_EXTENT_BYTES 32

struct dump_range_sums {
	uint64_t inodes;
	uint64_t stream_bytes; /* see dump_stream.h */
};

struct dump_range {
	/*
	 * By which xfsdump splits: blocks of regular files in bytes, and 32 bytes for each extent
	 * and one more. 0 in ranges of time.
	 */
	uint64_t weight_bytes;
	struct dump_range_sums parts[DUMP_RANGE_PARTS];
};

struct dump_ranges {
	unsigned shift;
	struct hashmap ranges; /* number >> shift → dump_range */
};

/* Empty ranges whose shift is @shift at least. */
void dump_ranges_init(struct dump_ranges *ranges, unsigned shift);
void dump_ranges_fini(struct dump_ranges *ranges);

/* Goes over to larger ranges until there are no more than allowed. Returns 0 or -ENOMEM. */
int dump_ranges_coarsen(struct dump_ranges *ranges);

/* The part that an inode of @kind (enum inode_kind) and @size_class belongs to. */
static inline unsigned dump_range_part(unsigned kind, unsigned size_class)
{
	if (kind == KIND_REGULAR)
		return size_class;
	return kind == KIND_DIRECTORY ? DUMP_RANGE_DIRECTORIES : DUMP_RANGE_SPECIALS;
}

/* By what xfsdump weighs an inode, no directory, for its streams. */
static inline uint64_t dump_range_weight(const struct inode_record *inode)
{
	uint64_t data = S_ISREG(inode->mode) ? inode->allocated_bytes : 0;

	return sat_add_u64(data, sat_mul_u64(DUMP_RANGE_EXTENT_BYTES, inode->extents + 1));
}

/*
 * Takes an inode in, of @part with @stream_bytes, at @number. Returns 0 or -ENOMEM. Inline: called
 * for each inode, and nearly always for the range of the one before.
 */
static inline int dump_ranges_add_inode(struct dump_ranges *ranges, uint64_t number, unsigned part,
	uint64_t weight_bytes, uint64_t stream_bytes)
{
	const struct hashmap_key key = {.low = number >> ranges->shift};
	struct dump_range *range = hashmap_upsert(&ranges->ranges, key);
	struct dump_range_sums *sums;

	if (!range)
		return -ENOMEM;
	range->weight_bytes = sat_add_u64(range->weight_bytes, weight_bytes);
	sums = &range->parts[part];
	sums->inodes++;
	sums->stream_bytes = sat_add_u64(sums->stream_bytes, stream_bytes);
	return ranges->ranges.count > DUMP_RANGES_MAX ? dump_ranges_coarsen(ranges) : 0;
}

/* Adds @range to that of inodes number >> @shift = @index. Returns 0 or -ENOMEM. */
int dump_ranges_add(
	struct dump_ranges *ranges, unsigned shift, uint64_t index, const struct dump_range *range);

/* Adds all of @from. Returns 0 or -ENOMEM. */
int dump_ranges_merge(struct dump_ranges *ranges, const struct dump_ranges *from);

/* Orders the ranges by inode number. */
void dump_ranges_sort(struct dump_ranges *ranges);

size_t dump_ranges_count(const struct dump_ranges *ranges);

/* Range @place of them, with its number >> shift. */
const struct dump_range *dump_ranges_at(
	const struct dump_ranges *ranges, size_t place, uint64_t *index);

#endif
