/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash map from 128-bit keys to values of one fixed size.
 *
 * Made for counting: look-up or insertion is one call, nothing is ever removed, and the entries
 * lie in one array in order of insertion, so that going over them is a loop and sorting them in
 * place is one call to qsort(). Keys are spread by a mixing function with a fixed start, since
 * results must not depend on the run; owners and classes are no attacker's hash input of weight
 * (a user who tries pays with one inode a collision).
 */
#ifndef BASE_HASHMAP_H
#define BASE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashmap_key {
	uint64_t high;
	uint64_t low;
};

struct hashmap {
	size_t value_bytes; /* size of a value */
	size_t entry_bytes; /* key and value, rounded up to 8 */
	size_t count;       /* entries */
	size_t capacity;    /* entries that fit */
	char *entries;      /* the array */
	uint32_t *slots;    /* index + 1 into entries, 0 for empty; a power of two of them */
	size_t slot_mask;   /* number of slots - 1 */
	size_t last;        /* the entry that was upserted last: keys come in runs */
};

/* An empty map for values of @value_bytes. Allocates nothing yet. */
void hashmap_init(struct hashmap *map, size_t value_bytes);
void hashmap_fini(struct hashmap *map);

/* The value of @key, or NULL if there is none. */
void *hashmap_find(const struct hashmap *map, struct hashmap_key key);

/* The key and the value of entry @index, 0 ≤ index < count. */
static inline struct hashmap_key *hashmap_key_at(const struct hashmap *map, size_t index)
{
	return (struct hashmap_key *)(void *)(map->entries + index * map->entry_bytes);
}

static inline void *hashmap_value_at(const struct hashmap *map, size_t index)
{
	return map->entries + index * map->entry_bytes + sizeof(struct hashmap_key);
}

static inline bool hashmap_same_key(struct hashmap_key a, struct hashmap_key b)
{
	return a.high == b.high && a.low == b.low;
}

/* hashmap_upsert() of a key that is not the last one. */
void *hashmap_upsert_other(struct hashmap *map, struct hashmap_key key);

/*
 * The value of @key, zeroed if it is new; NULL without memory. Valid until the next insertion. Keys
 * come in runs, so the one that was upserted last is looked at before anything is computed.
 */
static inline void *hashmap_upsert(struct hashmap *map, struct hashmap_key key)
{
	if (map->last < map->count && hashmap_same_key(*hashmap_key_at(map, map->last), key))
		return hashmap_value_at(map, map->last);
	return hashmap_upsert_other(map, key);
}

/* Orders the entries by key, smallest first. */
void hashmap_sort(struct hashmap *map);

/* Forgets all entries, keeps the memory. */
void hashmap_clear(struct hashmap *map);

/* Bytes of memory held. */
size_t hashmap_memory_bytes(const struct hashmap *map);

#endif
