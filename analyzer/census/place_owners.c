// SPDX-License-Identifier: GPL-2.0-or-later
/* See place_owners.h. */
#include "analyzer/census/place_owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENTS    (sizeof(((struct place_owners *)NULL)->uids) / sizeof(uint32_t *))
#define CACHE_SLOTS (sizeof(((struct place_owner_cache *)NULL)->uids) / sizeof(uint32_t))

void place_owners_init(struct place_owners *owners)
{
	memset(owners, 0, sizeof(*owners));
	pthread_mutex_init(&owners->lock, NULL);
	hashmap_init(&owners->numbers, sizeof(uint16_t));
}

void place_owners_fini(struct place_owners *owners)
{
	for (size_t i = 0; i < SEGMENTS; i++)
		free(owners->uids[i]);
	hashmap_fini(&owners->numbers);
	pthread_mutex_destroy(&owners->lock);
}

size_t place_owners_bytes(const struct place_owners *owners)
{
	size_t bytes = hashmap_memory_bytes(&owners->numbers);

	for (size_t i = 0; i < SEGMENTS && owners->uids[i]; i++)
		bytes += PLACE_OWNER_SEGMENT * sizeof(uint32_t);
	return bytes;
}

/* Gives @uid the next number, if there is one. To be called with the lock held. */
static int add(struct place_owners *owners, uint32_t uid, uint16_t *number)
{
	size_t next = owners->numbers.count;
	uint32_t **segment = &owners->uids[next / PLACE_OWNER_SEGMENT];
	uint16_t *value;

	*number = PLACE_OWNER_NONE;
	if (next >= PLACE_OWNER_NONE)
		return 0;
	if (!*segment)
		*segment = calloc(PLACE_OWNER_SEGMENT, sizeof(uint32_t));
	value = *segment ? hashmap_upsert(&owners->numbers, (struct hashmap_key){.low = uid})
			 : NULL;
	if (!value)
		return -ENOMEM;
	*value = *number = (uint16_t)next;
	(*segment)[next % PLACE_OWNER_SEGMENT] = uid;
	return 0;
}

int place_owners_number(struct place_owners *owners, struct place_owner_cache *cache, uint32_t uid,
	uint16_t *number)
{
	size_t slot = uid % CACHE_SLOTS;
	const uint16_t *known;
	int rc = 0;

	if (cache->numbers[slot] && cache->uids[slot] == uid) {
		*number = (uint16_t)(cache->numbers[slot] - 1);
		return 0;
	}
	pthread_mutex_lock(&owners->lock);
	known = hashmap_find(&owners->numbers, (struct hashmap_key){.low = uid});
	if (known)
		*number = *known;
	else
		rc = add(owners, uid, number);
	pthread_mutex_unlock(&owners->lock);
	if (rc)
		return rc;
	cache->uids[slot] = uid;
	cache->numbers[slot] = *number + 1U;
	return 0;
}
