/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owners as 16 bits: user ids are given numbers as they come, by any thread.
 *
 * There are 65 535 numbers. Who comes later has none, and his inodes have to be kept otherwise.
 */
#ifndef ANALYZER_CENSUS_PLACE_OWNERS_H
#define ANALYZER_CENSUS_PLACE_OWNERS_H

#include "base/hashmap.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The number of those without one. */
#define PLACE_OWNER_NONE UINT16_MAX

#define PLACE_OWNER_SEGMENT 1024

struct place_owners {
	pthread_mutex_t lock;
	struct hashmap numbers;                                       /* user id → number */
	uint32_t *uids[(PLACE_OWNER_NONE + 1) / PLACE_OWNER_SEGMENT]; /* by number; never move */
};

/* Numbers asked for lately, of somebody with a lock of his own, so that few ask the others. */
struct place_owner_cache {
	uint32_t uids[8];
	uint32_t numbers[8]; /* plus 1; 0: nothing is here */
};

void place_owners_init(struct place_owners *owners);
void place_owners_fini(struct place_owners *owners);

/* Bytes of memory held. */
size_t place_owners_bytes(const struct place_owners *owners);

/* The number of @uid, or PLACE_OWNER_NONE. Returns 0 or -ENOMEM. */
int place_owners_number(struct place_owners *owners, struct place_owner_cache *cache, uint32_t uid,
	uint16_t *number);

/* The user id of a number that was given out, and not PLACE_OWNER_NONE. */
static inline uint32_t place_owners_uid(const struct place_owners *owners, uint16_t number)
{
	return owners->uids[number / PLACE_OWNER_SEGMENT][number % PLACE_OWNER_SEGMENT];
}

#endif
