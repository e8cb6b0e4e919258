// SPDX-License-Identifier: GPL-2.0-or-later
/* See ages.h, which also says why days are rounded and why the resolution is well-defined. */
#include "analyzer/census/ages.h"

#include <errno.h>
#include <stdlib.h>

/* Each a multiple of the one before, so that periods nest. */
#define DAYS_OF_WEEK  7
#define DAYS_OF_MONTH 28
#define DAYS_OF_YEAR  364

/* @day rounded down to a multiple of @days, before 1970 too. */
static int64_t round_down(int64_t day, int64_t days)
{
	int64_t rest = day % days;

	return day - (rest < 0 ? rest + days : rest);
}

/*
 * The length of the period that @day falls into. What decides is the age of the month-long block
 * around it, so that every day of a period, its first one too, gets the same answer: rounding a
 * rounded day changes nothing, and going over to a coarser resolution loses nothing else.
 */
int64_t ages_period_days(int64_t day, int64_t today, enum ages_resolution resolution)
{
	static const int64_t shortest[] = {1, DAYS_OF_WEEK, DAYS_OF_MONTH, DAYS_OF_YEAR};
	int64_t year_age = llabs(today - round_down(day, DAYS_OF_YEAR));
	int64_t age = llabs(today - round_down(day, DAYS_OF_MONTH));
	int64_t by_age = year_age > 11 * DAYS_OF_YEAR         ? DAYS_OF_YEAR
			 : age > DAYS_OF_YEAR + DAYS_OF_MONTH ? DAYS_OF_MONTH
			 : age > 35 + DAYS_OF_MONTH           ? DAYS_OF_WEEK
							      : 1;

	return by_age > shortest[resolution] ? by_age : shortest[resolution];
}

int32_t ages_period_start(int64_t day, int64_t today, enum ages_resolution resolution)
{
	if (resolution == AGES_NONE)
		return AGES_DAY_MIN;
	if (day > AGES_DAY_MAX)
		day = AGES_DAY_MAX;
	if (day < AGES_DAY_MIN)
		day = AGES_DAY_MIN;
	return (int32_t)round_down(day, ages_period_days(day, today, resolution));
}

static void unpack(const struct hashmap_key *packed, struct ages_key *key)
{
	key->uid = (uint32_t)(packed->high >> 32);
	key->day = (int32_t)((uint32_t)packed->high ^ 0x80000000U);
	key->kind = (uint8_t)(packed->low >> 8);
	key->size_class = (uint8_t)packed->low;
}

void ages_init(struct ages *ages, int64_t today)
{
	*ages = (struct ages){.today = today, .max_cells = AGES_MAX_CELLS};
	for (size_t i = 0; i < AGES_RECENT_DAYS; i++)
		ages->recent[i].day = INT64_MIN; /* further back than any time in seconds */
	hashmap_init(&ages->cells, sizeof(struct ages_sums));
}

void ages_fini(struct ages *ages)
{
	hashmap_fini(&ages->cells);
}

/* Goes over to @resolution. */
static int coarsen(struct ages *ages, enum ages_resolution resolution)
{
	struct ages coarse;
	int rc = 0;

	ages_init(&coarse, ages->today);
	coarse.max_cells = ages->max_cells;
	coarse.resolution = resolution;
	for (size_t i = 0; i < ages_count(ages) && !rc; i++) {
		struct ages_key key;
		const struct ages_sums *sums = ages_at(ages, i, &key);

		rc = ages_put(&coarse, &key, key.day, sums);
	}
	if (rc) {
		ages_fini(&coarse);
		return rc;
	}
	ages_fini(ages);
	*ages = coarse;
	return 0;
}

int ages_coarsen(struct ages *ages)
{
	int rc = 0;

	while (!rc && ages->cells.count > ages->max_cells && ages->resolution < AGES_NONE)
		rc = coarsen(ages, ages->resolution + 1);
	return rc;
}

int ages_merge(struct ages *ages, const struct ages *from)
{
	int rc = 0;

	if (from->resolution > ages->resolution)
		rc = coarsen(ages, from->resolution);
	for (size_t i = 0; i < ages_count(from) && !rc; i++) {
		struct ages_key key;
		const struct ages_sums *sums = ages_at(from, i, &key);

		rc = ages_add(ages, &key, key.day, sums);
	}
	return rc;
}

void ages_sort(struct ages *ages)
{
	hashmap_sort(&ages->cells);
}

size_t ages_count(const struct ages *ages)
{
	return ages->cells.count;
}

const struct ages_sums *ages_at(const struct ages *ages, size_t index, struct ages_key *key)
{
	unpack(hashmap_key_at(&ages->cells, index), key);
	return hashmap_value_at(&ages->cells, index);
}
