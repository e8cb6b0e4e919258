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
};

void ages_init(struct ages *ages, int64_t today);
void ages_fini(struct ages *ages);

/* Adds @sums to the period of @day. Returns 0 or -ENOMEM. */
int ages_add(
	struct ages *ages, const struct ages_key *key, int64_t day, const struct ages_sums *sums);

/* Adds all cells of @from, at the coarser resolution of both. Returns 0 or -ENOMEM. */
int ages_merge(struct ages *ages, const struct ages *from);

/* Orders the cells by uid, day, kind, class. */
void ages_sort(struct ages *ages);

size_t ages_count(const struct ages *ages);
const struct ages_sums *ages_at(const struct ages *ages, size_t index, struct ages_key *key);

/* The first day of the period that @day falls into, at @resolution, seen from @today. */
int32_t ages_period_start(int64_t day, int64_t today, enum ages_resolution resolution);

#endif
