/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How recently something changed, in 13 bits: to the second up to 512 seconds ago, beyond that to a
 * 256th of the time that has passed since, or better. More recent is larger, and 0 is never, so
 * that of several changes the most recent one is the maximum.
 */
#ifndef ANALYZER_CENSUS_RECENCY_H
#define ANALYZER_CENSUS_RECENCY_H

#include <stdint.h>

#define RECENCY_BITS 13
#define RECENCIES    (1U << RECENCY_BITS)

/* Ages below 2^34 s, 544 years; what is older counts as that old. */
#define RECENCY_AGE_LOG 34

#define RECENCY_STEP_LOG 8 /* so many bits of an age are kept, below the highest one */
#define RECENCY_STEPS    (1U << RECENCY_STEP_LOG)

/* Of what changed @age_seconds ago. */
static inline unsigned recency_of_age(uint64_t age_seconds)
{
	uint64_t most = (1ULL << RECENCY_AGE_LOG) - 1;
	uint64_t age = age_seconds < most ? age_seconds : most;
	unsigned shift = 0;

	if (age >= 2 * RECENCY_STEPS)
		shift = 63 - RECENCY_STEP_LOG - (unsigned)__builtin_clzll(age);
	return RECENCIES - 1 - (shift * RECENCY_STEPS + (unsigned)(age >> shift));
}

/* Of what changed at @change_seconds, seen from @now_seconds; what lies ahead is just now. */
static inline unsigned recency_of(int64_t change_seconds, int64_t now_seconds)
{
	if (change_seconds >= now_seconds)
		return RECENCIES - 1;
	return recency_of_age((uint64_t)now_seconds - (uint64_t)change_seconds);
}

/* The smallest age of a recency above 0; the largest is that of the one below, less one. */
static inline uint64_t recency_least_age(unsigned recency)
{
	unsigned code = RECENCIES - 1 - recency;
	unsigned shift = code < 2 * RECENCY_STEPS ? 0 : code / RECENCY_STEPS - 1;

	return (uint64_t)(code - shift * RECENCY_STEPS) << shift;
}

/* The first and the last second of a recency above 0, seen from @now_seconds. */
static inline int64_t recency_first_second(unsigned recency, int64_t now_seconds)
{
	return now_seconds - (int64_t)recency_least_age(recency - 1) + 1;
}

static inline int64_t recency_last_second(unsigned recency, int64_t now_seconds)
{
	if (recency == RECENCIES - 1)
		return INT64_MAX;
	return now_seconds - (int64_t)recency_least_age(recency);
}

#endif
