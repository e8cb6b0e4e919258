// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See inode_places.h. A shard finds a chunk by open addressing over two arrays, the chunk's number
 * and its index; the chunks themselves lie in slabs, which never move.
 */
#include "analyzer/census/inode_places.h"

#include "base/hashmap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS      64
#define SLAB_CHUNKS 4
#define FIRST_SLOTS 64

/* The packed word: flags, blocks, and a regular file's size or a directory's id. */
#define HAS_RECORD   (1ULL << 63)
#define IS_REGULAR   (1ULL << 62)
#define IS_DIRECTORY (1ULL << 61)
#define IS_ASIDE     (1ULL << 60) /* size and blocks are in the shard's map */
#define BLOCKS_SHIFT 36
#define BLOCKS_BITS  24
#define IS_MISTAKEN  (1ULL << 35)
#define LOW_BITS     35
#define LOW_MASK     ((1ULL << LOW_BITS) - 1)

struct place_chunk {
	uint32_t parent[PLACE_CHUNK_INODES];
	uint32_t uid[PLACE_CHUNK_INODES];
	uint64_t packed[PLACE_CHUNK_INODES];
};

/* What does not fit into a packed word. */
struct aside {
	uint64_t size_bytes;
	uint64_t allocated_bytes;
};

struct place_shard {
	pthread_mutex_t lock;
	uint64_t *numbers; /* of chunks, plus 1; 0 for a free slot */
	uint32_t *indexes; /* into the slabs */
	size_t slots;      /* a power of two, or 0 */
	uint32_t count;    /* chunks */
	struct place_chunk **slabs;
	struct hashmap aside; /* inode number → struct aside */
};

struct inode_places {
	uint32_t block_bytes;
	struct place_shard shards[SHARDS];
};

struct inode_places *places_new(uint32_t block_bytes)
{
	struct inode_places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	places->block_bytes = block_bytes;
	for (size_t i = 0; i < SHARDS; i++) {
		pthread_mutex_init(&places->shards[i].lock, NULL);
		hashmap_init(&places->shards[i].aside, sizeof(struct aside));
	}
	return places;
}

static size_t slab_count(const struct place_shard *shard)
{
	return (shard->count + SLAB_CHUNKS - 1) / SLAB_CHUNKS;
}

void places_free(struct inode_places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < SHARDS; i++) {
		struct place_shard *shard = &places->shards[i];

		for (size_t slab = 0; slab < slab_count(shard); slab++)
			free(shard->slabs[slab]);
		free(shard->slabs);
		free(shard->numbers);
		free(shard->indexes);
		hashmap_fini(&shard->aside);
		pthread_mutex_destroy(&shard->lock);
	}
	free(places);
}

size_t places_memory_bytes(const struct inode_places *places)
{
	size_t bytes = sizeof(*places);

	for (size_t i = 0; i < SHARDS; i++) {
		const struct place_shard *shard = &places->shards[i];

		bytes += slab_count(shard) * (SLAB_CHUNKS * sizeof(struct place_chunk));
		bytes += shard->slots * (sizeof(uint64_t) + sizeof(uint32_t));
		bytes += hashmap_memory_bytes(&shard->aside);
	}
	return bytes;
}

/* --- Finding a chunk -------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t number)
{
	uint64_t h = (number + 1) * 0x9e3779b97f4a7c15ULL;

	return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static struct place_chunk *chunk_at(const struct place_shard *shard, uint32_t index)
{
	return &shard->slabs[index / SLAB_CHUNKS][index % SLAB_CHUNKS];
}

/* The slot that holds chunk @number, or the free one where it belongs. */
static size_t slot_of(const struct place_shard *shard, uint64_t number)
{
	size_t slot = (hash_of(number) >> 8) & (shard->slots - 1);

	while (shard->numbers[slot] && shard->numbers[slot] != number + 1)
		slot = (slot + 1) & (shard->slots - 1);
	return slot;
}

static int grow(struct place_shard *shard)
{
	struct place_shard larger = {.slots = shard->slots ? 2 * shard->slots : FIRST_SLOTS};

	larger.numbers = calloc(larger.slots, sizeof(*larger.numbers));
	larger.indexes = calloc(larger.slots, sizeof(*larger.indexes));
	if (!larger.numbers || !larger.indexes) {
		free(larger.numbers);
		free(larger.indexes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < shard->slots; i++) {
		size_t slot;

		if (!shard->numbers[i])
			continue;
		slot = slot_of(&larger, shard->numbers[i] - 1);
		larger.numbers[slot] = shard->numbers[i];
		larger.indexes[slot] = shard->indexes[i];
	}
	free(shard->numbers);
	free(shard->indexes);
	shard->numbers = larger.numbers;
	shard->indexes = larger.indexes;
	shard->slots = larger.slots;
	return 0;
}

static int add_slab(struct place_shard *shard)
{
	size_t count = slab_count(shard);
	struct place_chunk **slabs;

	if (!(count & (count - 1))) { /* room is made at powers of two */
		slabs = reallocarray(shard->slabs, count ? 2 * count : 1, sizeof(*slabs));
		if (!slabs)
			return -ENOMEM;
		shard->slabs = slabs;
	}
	shard->slabs[count] = calloc(SLAB_CHUNKS, sizeof(struct place_chunk));
	return shard->slabs[count] ? 0 : -ENOMEM;
}

static struct place_chunk *find_chunk(struct place_shard *shard, uint64_t number)
{
	size_t slot;

	if (shard->count >= shard->slots - shard->slots / 4 && grow(shard))
		return NULL;
	slot = slot_of(shard, number);
	if (shard->numbers[slot])
		return chunk_at(shard, shard->indexes[slot]);
	if (shard->count % SLAB_CHUNKS == 0 && add_slab(shard))
		return NULL;
	shard->numbers[slot] = number + 1;
	shard->indexes[slot] = shard->count++;
	return chunk_at(shard, shard->indexes[slot]);
}

int places_get(struct inode_places *places, uint64_t ino, struct place *place)
{
	uint64_t number = ino / PLACE_CHUNK_INODES;

	place->shard = &places->shards[hash_of(number) >> 58];
	place->index = ino % PLACE_CHUNK_INODES;
	place->ino = ino;
	pthread_mutex_lock(&place->shard->lock);
	place->chunk = find_chunk(place->shard, number);
	if (place->chunk)
		return 0;
	pthread_mutex_unlock(&place->shard->lock);
	return -ENOMEM;
}

void place_put(struct place *place)
{
	pthread_mutex_unlock(&place->shard->lock);
}

/* --- What a place holds ----------------------------------------------------------------------- */

static void read_aside(const struct place_shard *shard, uint64_t ino, struct place_facts *facts)
{
	const struct aside *aside = hashmap_find(&shard->aside, (struct hashmap_key){.low = ino});

	if (!aside)
		return;
	facts->size_bytes = aside->size_bytes;
	facts->allocated_bytes = aside->allocated_bytes;
}

void place_read(
	const struct inode_places *places, const struct place *place, struct place_facts *facts)
{
	uint64_t packed = place->chunk->packed[place->index];
	uint64_t blocks = packed >> BLOCKS_SHIFT & ((1ULL << BLOCKS_BITS) - 1);

	*facts = (struct place_facts){
		.has_record = packed & HAS_RECORD,
		.is_directory = packed & IS_DIRECTORY,
		.is_regular = packed & IS_REGULAR,
		.is_mistaken = packed & IS_MISTAKEN,
		.parent = place->chunk->parent[place->index],
		.uid = place->chunk->uid[place->index],
		.allocated_bytes = blocks * places->block_bytes,
	};
	if (facts->is_directory)
		facts->directory = (uint32_t)(packed & LOW_MASK);
	else
		facts->size_bytes = packed & LOW_MASK;
	if (packed & IS_ASIDE)
		read_aside(place->shard, place->ino, facts);
}

void place_set_parent(struct place *place, uint32_t parent)
{
	place->chunk->parent[place->index] = parent;
}

void place_set_directory(struct place *place, uint32_t directory)
{
	uint64_t *packed = &place->chunk->packed[place->index];

	*packed = (*packed & ~LOW_MASK) | IS_DIRECTORY | directory;
}

void place_set_mistaken(struct place *place)
{
	place->chunk->packed[place->index] |= IS_MISTAKEN;
}

static bool fits(const struct inode_places *places, const struct inode_record *inode)
{
	uint64_t blocks = inode->allocated_bytes / places->block_bytes;

	return blocks < 1ULL << BLOCKS_BITS && inode->allocated_bytes % places->block_bytes == 0 &&
	       (inode->size_bytes <= LOW_MASK || !S_ISREG(inode->mode));
}

static int set_aside(struct place *place, const struct inode_record *inode)
{
	struct aside *aside =
		hashmap_upsert(&place->shard->aside, (struct hashmap_key){.low = place->ino});

	if (!aside)
		return -ENOMEM;
	aside->size_bytes = inode->size_bytes;
	aside->allocated_bytes = inode->allocated_bytes;
	return 0;
}

int place_set_record(
	const struct inode_places *places, struct place *place, const struct inode_record *inode)
{
	uint64_t *packed = &place->chunk->packed[place->index];
	uint64_t word = HAS_RECORD | (*packed & IS_MISTAKEN);

	place->chunk->uid[place->index] = inode->uid;
	if (S_ISDIR(inode->mode))
		word |= IS_DIRECTORY | (*packed & IS_DIRECTORY ? *packed & LOW_MASK : 0);
	else if (S_ISREG(inode->mode))
		word |= IS_REGULAR | (inode->size_bytes & LOW_MASK);
	if (fits(places, inode)) {
		*packed = word | (inode->allocated_bytes / places->block_bytes) << BLOCKS_SHIFT;
		return 0;
	}
	*packed = word | IS_ASIDE;
	return set_aside(place, inode);
}

static int visit_chunk(const struct inode_places *places, struct place *place,
	int (*visit)(uint64_t ino, const struct place_facts *facts, void *context), void *context)
{
	uint64_t first = place->ino;
	int rc = 0;

	for (unsigned i = 0; i < PLACE_CHUNK_INODES && !rc; i++) {
		struct place_facts facts;

		if (!place->chunk->packed[i] && !place->chunk->parent[i])
			continue;
		place->index = i;
		place->ino = first + i;
		place_read(places, place, &facts);
		rc = visit(place->ino, &facts, context);
	}
	return rc;
}

int places_each(struct inode_places *places,
	int (*visit)(uint64_t ino, const struct place_facts *facts, void *context), void *context)
{
	int rc = 0;

	for (size_t i = 0; i < SHARDS; i++) {
		struct place_shard *shard = &places->shards[i];

		for (size_t slot = 0; slot < shard->slots && !rc; slot++) {
			struct place place = {.shard = shard};

			if (!shard->numbers[slot])
				continue;
			place.chunk = chunk_at(shard, shard->indexes[slot]);
			place.ino = (shard->numbers[slot] - 1) * PLACE_CHUNK_INODES;
			rc = visit_chunk(places, &place, visit, context);
		}
	}
	return rc;
}
