// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See link_set.h. Open addressing, cut into shards with a lock each, so that workers seldom meet.
 * A shard is filled to 7/8 and then grows by one half, so a key takes 9 to 14 bytes, and while it
 * grows only that shard is there twice. Sizes are no powers of two: a slot is found by scaling the
 * hash to the size.
 */
#include "analyzer/scan/link_set.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define SHARD_BITS  6
#define SHARDS      (1U << SHARD_BITS)
#define FIRST_SLOTS 16

struct shard {
	pthread_mutex_t lock;
	uint64_t *slots; /* 0 is an empty slot */
	size_t size;     /* slots */
	size_t count;    /* slots taken */
	bool has_zero;   /* the key 0, which no slot can hold */
};

struct link_set {
	struct shard shards[SHARDS];
};

struct link_set *link_set_new(void)
{
	struct link_set *set = calloc(1, sizeof(*set));

	for (unsigned i = 0; set && i < SHARDS; i++)
		pthread_mutex_init(&set->shards[i].lock, NULL);
	return set;
}

void link_set_free(struct link_set *set)
{
	if (!set)
		return;
	for (unsigned i = 0; i < SHARDS; i++) {
		pthread_mutex_destroy(&set->shards[i].lock);
		free(set->shards[i].slots);
	}
	free(set);
}

/* Inode numbers lie close together; their hashes must not. */
static uint64_t hash_of(uint64_t key)
{
	key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93ULL;
	key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93ULL;
	return key ^ (key >> 32);
}

/* The slot that holds @key, or the empty one where it belongs. */
static uint64_t *slot_of(uint64_t *slots, size_t size, uint64_t hash, uint64_t key)
{
	/* the upper bits choose the shard, so those below choose the slot */
	size_t i = (size_t)(((unsigned __int128)(hash << SHARD_BITS) * size) >> 64);

	while (slots[i] && slots[i] != key)
		i = i + 1 < size ? i + 1 : 0;
	return &slots[i];
}

static int grow(struct shard *shard)
{
	size_t size = shard->size ? shard->size + shard->size / 2 : FIRST_SLOTS;
	uint64_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < shard->size; i++) {
		uint64_t key = shard->slots[i];

		if (key)
			*slot_of(slots, size, hash_of(key), key) = key;
	}
	free(shard->slots);
	shard->slots = slots;
	shard->size = size;
	return 0;
}

/* With the shard locked. */
static int add(struct shard *shard, uint64_t hash, uint64_t key)
{
	uint64_t *slot;

	if (!key) {
		bool is_new = !shard->has_zero;

		shard->has_zero = true;
		return is_new;
	}
	if (shard->count >= shard->size - shard->size / 8 && grow(shard))
		return -ENOMEM;
	slot = slot_of(shard->slots, shard->size, hash, key);
	if (*slot)
		return 0;
	*slot = key;
	shard->count++;
	return 1;
}

int link_set_add(struct link_set *set, uint64_t key)
{
	uint64_t hash = hash_of(key);
	struct shard *shard = &set->shards[hash >> (64 - SHARD_BITS)];
	int rc;

	pthread_mutex_lock(&shard->lock);
	rc = add(shard, hash, key);
	pthread_mutex_unlock(&shard->lock);
	return rc;
}

size_t link_set_memory_bytes(struct link_set *set)
{
	size_t bytes = sizeof(*set);

	for (unsigned i = 0; i < SHARDS; i++) {
		pthread_mutex_lock(&set->shards[i].lock);
		bytes += set->shards[i].size * sizeof(*set->shards[i].slots);
		pthread_mutex_unlock(&set->shards[i].lock);
	}
	return bytes;
}
