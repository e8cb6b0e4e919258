// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See hashmap.h. Open addressing with linear probing over an array of 32-bit indices: the probe
 * touches four bytes a slot and the entries stay dense. At most half of the slots are taken.
 */
#include "base/hashmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32
#define MAX_ENTRIES    (UINT32_MAX / 2)

/* Both halves of a product of 128 bits, folded: keys that differ in a few low bits are spread. */
static inline uint64_t hash_of(struct hashmap_key key)
{
	unsigned __int128 product = (unsigned __int128)(key.high ^ 0x9e3779b97f4a7c15ULL) *
				    (key.low ^ 0xd6e8feb86659fd93ULL);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

void hashmap_init(struct hashmap *map, size_t value_bytes)
{
	memset(map, 0, sizeof(*map));
	map->value_bytes = value_bytes;
	map->entry_bytes = sizeof(struct hashmap_key) + (value_bytes + 7) / 8 * 8;
}

void hashmap_fini(struct hashmap *map)
{
	free(map->entries);
	free(map->slots);
	hashmap_init(map, map->value_bytes);
}

void hashmap_clear(struct hashmap *map)
{
	map->count = 0;
	if (map->slots)
		memset(map->slots, 0, (map->slot_mask + 1) * sizeof(*map->slots));
}

size_t hashmap_memory_bytes(const struct hashmap *map)
{
	size_t slots = map->slots ? map->slot_mask + 1 : 0;

	return map->capacity * map->entry_bytes + slots * sizeof(*map->slots);
}

/* The slot that holds @key, or the empty one where it belongs. */
static uint32_t *slot_of(const struct hashmap *map, struct hashmap_key key)
{
	size_t i = hash_of(key) & map->slot_mask;

	while (map->slots[i] && !hashmap_same_key(*hashmap_key_at(map, map->slots[i] - 1), key))
		i = (i + 1) & map->slot_mask;
	return &map->slots[i];
}

static void fill_slots(struct hashmap *map)
{
	for (size_t i = 0; i < map->count; i++)
		*slot_of(map, *hashmap_key_at(map, i)) = (uint32_t)i + 1;
}

static int grow(struct hashmap *map)
{
	size_t capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
	uint32_t *slots;
	char *entries;

	if (capacity > MAX_ENTRIES || capacity > SIZE_MAX / map->entry_bytes)
		return -ENOMEM;
	entries = realloc(map->entries, capacity * map->entry_bytes);
	if (!entries)
		return -ENOMEM;
	map->entries = entries;
	slots = calloc(2 * capacity, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(map->slots);
	map->slots = slots;
	map->slot_mask = 2 * capacity - 1;
	map->capacity = capacity;
	fill_slots(map);
	return 0;
}

void *hashmap_upsert_other(struct hashmap *map, struct hashmap_key key)
{
	uint32_t *slot;
	void *value;

	if (map->count == map->capacity) {
		value = hashmap_find(map, key);
		if (value || grow(map))
			return value;
	}
	slot = slot_of(map, key);
	if (*slot) {
		map->last = *slot - 1;
		return hashmap_value_at(map, map->last);
	}
	*slot = (uint32_t)++map->count;
	map->last = map->count - 1;
	*hashmap_key_at(map, map->last) = key;
	value = hashmap_value_at(map, map->last);
	memset(value, 0, map->value_bytes);
	return value;
}

void *hashmap_find(const struct hashmap *map, struct hashmap_key key)
{
	uint32_t slot = map->slots ? *slot_of(map, key) : 0;

	return slot ? hashmap_value_at(map, slot - 1) : NULL;
}

static int compare_keys(const void *left, const void *right)
{
	const struct hashmap_key *a = left, *b = right;

	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return (a->low > b->low) - (a->low < b->low);
}

void hashmap_sort(struct hashmap *map)
{
	if (map->count < 2)
		return;
	qsort(map->entries, map->count, map->entry_bytes, compare_keys);
	memset(map->slots, 0, (map->slot_mask + 1) * sizeof(*map->slots));
	fill_slots(map);
}
