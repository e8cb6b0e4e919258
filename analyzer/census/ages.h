/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ages: (uid, day of last change, kind, size class) → inodes and bytes.
 *
 * The day is that of max(mtime, ctime) in UTC, which is what xfsdump's incremental levels test.
 * Days as they are would make a row for nearly every inode of an old filesystem, so the day is
 * rounded down to the first day of a period whose length grows with the distance from the day of
 * the scan: days for the last 35 at least, weeks for a year at least, 28 days for ten years at
 * least, 364 days before (and after: times may lie in the future). Periods lie on a fixed grid of
 * days since 1970, each length a multiple of the shorter ones.
 *
 * Memory is bounded: once a table holds AGES_MAX_CELLS cells, it goes over to the next coarser
 * resolution, weeks at least, then 28, then 364 days, and at last all days in one. The resolution
 * is a property of the data, not of the order or the number of threads: a part can only need a
 * coarser one if the whole does.
 */
#ifndef ANALYZER_CENSUS_AGES_H
#define ANALYZER_CENSUS_AGES_H

#include "analyzer/census/cube.h"
#include "base/hashmap.h"

#define AGES_MAX_CELLS 200000

/* Days outside about ±10 000 years are held at these ends, multiples of 364. */
#define AGES_DAY_MAX (364 * 10000)
#define AGES_DAY_MIN (-364 * 10000)

/* Periods of as many days are remembered: files of a tree often changed on few. A power of two. */
#define AGES_RECENT_DAYS 256

enum ages_resolution { AGES_BY_AGE, AGES_WEEKS, AGES_MONTHS, AGES_YEARS, AGES_NONE };

struct ages_key {
	uint32_t uid;
	int32_t day;  /* first day of the period, days since 1970-01-01 */
	uint8_t kind; /* enum inode_kind */
	uint8_t size_class;
};

struct ages_sums {
	uint64_t inodes;
	uint64_t size_bytes;
	uint64_t allocated_bytes;
	uint64_t stream_bytes;
};

struct ages {
	int64_t today; /* the day of the scan */
	enum ages_resolution resolution;
	size_t max_cells;     /* AGES_MAX_CELLS; tests take less */
	struct hashmap cells; /* ages_key → ages_sums */
	struct ages_recent {
		int64_t day;
		int32_t start;      /* of its period */
	} recent[AGES_RECENT_DAYS]; /* by the lowest bits of the day */
};

void ages_init(struct ages *ages, int64_t today);
void ages_fini(struct ages *ages);

/* Adds all cells of @from, at the coarser resolution of both. Returns 0 or -ENOMEM. */
int ages_merge(struct ages *ages, const struct ages *from);

/* Orders the cells by uid, day, kind, class. */
void ages_sort(struct ages *ages);

size_t ages_count(const struct ages *ages);
const struct ages_sums *ages_at(const struct ages *ages, size_t index, struct ages_key *key);

/* The first day of the period that @day falls into, at @resolution, seen from @today. */
int32_t ages_period_start(int64_t day, int64_t today, enum ages_resolution resolution);

/* The same, in a table or computed. */
static inline int32_t ages_recent_start(struct ages *ages, int64_t day)
{
	struct ages_recent *recent = &ages->recent[(uint64_t)day % AGES_RECENT_DAYS];

	if (recent->day != day)
		*recent = (struct ages_recent){
			.day = day,
			.start = ages_period_start(day, ages->today, ages->resolution),
		};
	return recent->start;
}

/* The key in 128 bits; the day has its sign bit turned, so that its order stays. */
static inline struct hashmap_key ages_pack(const struct ages_key *key, int32_t start)
{
	return (struct hashmap_key){
		.high = (uint64_t)key->uid << 32 | ((uint32_t)start ^ 0x80000000U),
		.low = (uint64_t)key->kind << 8 | key->size_class,
	};
}

/* Adds to a cell without a look at the bound. Returns 0 or -ENOMEM. */
static inline int ages_put(
	struct ages *ages, const struct ages_key *key, int64_t day, const struct ages_sums *sums)
{
	struct ages_sums *cell =
		hashmap_upsert(&ages->cells, ages_pack(key, ages_recent_start(ages, day)));

	if (!cell)
		return -ENOMEM;
	cell->inodes = sat_add_u64(cell->inodes, sums->inodes);
	cell->size_bytes = sat_add_u64(cell->size_bytes, sums->size_bytes);
	cell->allocated_bytes = sat_add_u64(cell->allocated_bytes, sums->allocated_bytes);
	cell->stream_bytes = sat_add_u64(cell->stream_bytes, sums->stream_bytes);
	return 0;
}

/* Goes over to coarser resolutions until the cells are within the bound. Returns 0 or -ENOMEM. */
int ages_coarsen(struct ages *ages);

/* Adds @sums to the period of @day. Returns 0 or -ENOMEM. Inline for the reason of cube_add(). */
static inline int ages_add(
	struct ages *ages, const struct ages_key *key, int64_t day, const struct ages_sums *sums)
{
	int rc = ages_put(ages, key, day, sums);

	return !rc && ages->cells.count > ages->max_cells ? ages_coarsen(ages) : rc;
}

/* The length in days of the period that @day falls into; not for AGES_NONE. */
int64_t ages_period_days(int64_t day, int64_t today, enum ages_resolution resolution);

#endif
