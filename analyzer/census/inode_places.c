// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See inode_places.h. A shard finds a chunk's block by open addressing. A slot holds some bits of
 * the number's hash beside the block's handle, so that other blocks are rarely looked at, and never
 * when the table grows.
 */
#include "analyzer/census/inode_places.h"

#include "analyzer/census/place_owners.h"
#include "analyzer/census/recency.h"
#include "base/hashmap.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHARDS      PLACES_PARTS
#define SHARD_SHIFT 58 /* the hash's highest bits say which */
#define TAG_SHIFT   20
#define FIRST_SLOTS 64

/*
 * The packed word: flags, recency, blocks, and a regular file's size or a directory's id. Blocks
 * are counted from what the size takes, up or down: files whose blocks are far from that are rare.
 */
#define HAS_RECORD    (1ULL << 63)
#define IS_REGULAR    (1ULL << 62)
#define IS_DIRECTORY  (1ULL << 61)
#define IS_ASIDE      (1ULL << 60) /* size, blocks and owner are in the shard's map */
#define IS_MISTAKEN   (1ULL << 59)
#define RECENCY_SHIFT 46
#define BLOCKS_SHIFT  32
#define BLOCKS_BITS   14
#define BLOCKS_MIDDLE (1ULL << (BLOCKS_BITS - 1)) /* just what the size takes */
#define LOW_BITS      32
#define LOW_MASK      ((1ULL << LOW_BITS) - 1)

/* What does not fit into a cell. */
struct aside {
	uint64_t size_bytes;
	uint64_t allocated_bytes;
	uint32_t uid;
};

struct place_slot {
	uint32_t tag;    /* some bits of the hash, the lowest of which say where it belongs */
	uint32_t handle; /* of the block; 0 for a free slot */
};

struct place_shard {
	pthread_mutex_t lock;
	struct place_slot *slots;
	size_t slot_count; /* a power of two, or 0 */
	size_t count;      /* chunks */
	struct place_spares spares;
	struct place_owner_cache owners;
	struct hashmap aside; /* inode number → struct aside */
} __attribute__((aligned(64)));

struct inode_places {
	struct place_shard shards[SHARDS];
	struct place_blocks blocks;
	struct place_owners owners;
	unsigned unit_log; /* allocated bytes are counted in units of 2^unit_log */
};

struct inode_places *places_new(uint32_t block_bytes)
{
	struct inode_places *places = aligned_alloc(64, sizeof(*places));

	if (!places)
		return NULL;
	memset(places, 0, sizeof(*places));
	places->unit_log = (unsigned)__builtin_ctz(block_bytes);
	place_owners_init(&places->owners);
	for (size_t i = 0; i < SHARDS; i++) {
		pthread_mutex_init(&places->shards[i].lock, NULL);
		hashmap_init(&places->shards[i].aside, sizeof(struct aside));
	}
	if (!place_blocks_init(&places->blocks))
		return places;
	places_free(places);
	return NULL;
}

void places_free(struct inode_places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < SHARDS; i++) {
		struct place_shard *shard = &places->shards[i];

		free(shard->slots);
		hashmap_fini(&shard->aside);
		pthread_mutex_destroy(&shard->lock);
	}
	place_blocks_fini(&places->blocks);
	place_owners_fini(&places->owners);
	free(places);
}

size_t places_memory_bytes(const struct inode_places *places)
{
	size_t bytes = sizeof(*places) + place_blocks_bytes(&places->blocks) +
		       place_owners_bytes(&places->owners);

	for (size_t i = 0; i < SHARDS; i++) {
		const struct place_shard *shard = &places->shards[i];

		bytes += shard->slot_count * sizeof(struct place_slot);
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

static struct place_block *block_of(const struct place *place, const struct place_slot *slot)
{
	return place_block_at(&place->places->blocks, slot->handle);
}

/* The slot of chunk @number, or the free one where it belongs. */
static struct place_slot *find_slot(const struct place *place, uint64_t number, uint32_t tag)
{
	const struct place_shard *shard = place->shard;
	size_t at = tag & (shard->slot_count - 1);

	while (shard->slots[at].handle &&
		(shard->slots[at].tag != tag ||
			block_of(place, &shard->slots[at])->number != number))
		at = (at + 1) & (shard->slot_count - 1);
	return &shard->slots[at];
}

static void put_slot(struct place_slot *slots, size_t count, struct place_slot slot)
{
	size_t at = slot.tag & (count - 1);

	while (slots[at].handle)
		at = (at + 1) & (count - 1);
	slots[at] = slot;
}

static int grow_slots(struct place_shard *shard)
{
	size_t count = shard->slot_count ? 2 * shard->slot_count : FIRST_SLOTS;
	struct place_slot *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < shard->slot_count; i++) {
		if (shard->slots[i].handle)
			put_slot(slots, count, shard->slots[i]);
	}
	free(shard->slots);
	shard->slots = slots;
	shard->slot_count = count;
	return 0;
}

/* Goes to before the first place of a block. */
static void enter_block(struct place *place, const struct place_slot *slot)
{
	place->block = block_of(place, slot);
	place->cells = place_block_cells(place->block);
	place->left = place->block->used;
	place->index = UINT_MAX;
}

/* Finds or makes the block of a chunk, with places for the inodes @wanted. */
static int find_block(struct place *place, uint64_t number, uint32_t tag, uint64_t wanted)
{
	struct place_blocks *blocks = &place->places->blocks;
	struct place_shard *shard = place->shard;
	struct place_slot *slot;
	uint32_t handle;

	if (shard->count >= shard->slot_count - shard->slot_count / 4 && grow_slots(shard))
		return -ENOMEM;
	slot = find_slot(place, number, tag);
	handle = slot->handle;
	if (!handle)
		handle = place_block_new(blocks, &shard->spares, number, wanted);
	else if (wanted & ~block_of(place, slot)->used)
		handle = place_block_grow(blocks, &shard->spares, handle, wanted);
	if (!handle)
		return -ENOMEM;
	shard->count += !slot->handle;
	*slot = (struct place_slot){tag, handle};
	enter_block(place, slot);
	return 0;
}

int places_open(struct inode_places *places, uint64_t number, uint64_t wanted, struct place *place)
{
	uint64_t hash = hash_of(number);
	int rc;

	place->places = places;
	place->shard = &places->shards[hash >> SHARD_SHIFT];
	pthread_mutex_lock(&place->shard->lock);
	rc = find_block(place, number, (uint32_t)(hash >> TAG_SHIFT), wanted);
	if (rc)
		pthread_mutex_unlock(&place->shard->lock);
	return rc;
}

void places_close(struct place *place)
{
	pthread_mutex_unlock(&place->shard->lock);
}

int places_get(struct inode_places *places, uint64_t ino, struct place *place)
{
	uint64_t wanted = 1ULL << ino % PLACE_CHUNK_INODES;
	int rc = places_open(places, ino / PLACE_CHUNK_INODES, wanted, place);

	if (!rc)
		place_next(place, wanted);
	return rc;
}

/* --- What a place holds ----------------------------------------------------------------------- */

static void read_aside(const struct place *place, struct place_facts *facts)
{
	const struct aside *aside =
		hashmap_find(&place->shard->aside, (struct hashmap_key){.low = place->ino});

	if (!aside)
		return;
	facts->size_bytes = aside->size_bytes;
	facts->allocated_bytes = aside->allocated_bytes;
	facts->uid = aside->uid;
}

/* The units that @size_bytes take: what the blocks of a cell are counted from. */
static uint64_t units_of(const struct inode_places *places, uint64_t size_bytes)
{
	return (size_bytes + (1ULL << places->unit_log) - 1) >> places->unit_log;
}

void place_read(const struct place *place, struct place_facts *facts)
{
	const struct inode_places *places = place->places;
	uint64_t word = place->cells.words[place->index];
	uint64_t size = word & IS_REGULAR ? word & LOW_MASK : 0;
	uint64_t more = word >> BLOCKS_SHIFT & ((1ULL << BLOCKS_BITS) - 1);
	uint64_t blocks = units_of(places, size) + more - BLOCKS_MIDDLE;

	*facts = (struct place_facts){
		.has_record = word & HAS_RECORD,
		.is_directory = word & IS_DIRECTORY,
		.is_regular = word & IS_REGULAR,
		.is_mistaken = word & IS_MISTAKEN,
		.parent = place_parent(place),
		.size_bytes = size,
	};
	if (facts->is_directory)
		facts->directory = (uint32_t)(word & LOW_MASK);
	if (!(word & HAS_RECORD))
		return;
	facts->recency = word >> RECENCY_SHIFT & (RECENCIES - 1);
	if (word & IS_ASIDE) {
		read_aside(place, facts);
		return;
	}
	facts->allocated_bytes = blocks << places->unit_log;
	facts->uid = place_owners_uid(&places->owners, place->cells.owners[place->index]);
}

uint32_t place_directory_id(const struct place *place)
{
	uint64_t word = place->cells.words[place->index];

	return word & IS_DIRECTORY ? (uint32_t)(word & LOW_MASK) : 0;
}

void place_set_directory(struct place *place, uint32_t directory)
{
	uint64_t *word = &place->cells.words[place->index];

	*word = (*word & ~LOW_MASK) | IS_DIRECTORY | directory;
}

void place_set_mistaken(struct place *place)
{
	place->cells.words[place->index] |= IS_MISTAKEN;
}

/* Whether the cell has room for what @record says; then @blocks is how it says blocks. */
static bool fits(const struct inode_places *places, const struct place_record *record,
	uint16_t owner, uint64_t *blocks)
{
	uint64_t size = S_ISREG(record->mode) ? record->size_bytes : 0;
	uint64_t units = record->allocated_bytes >> places->unit_log;

	if (size > LOW_MASK || owner == PLACE_OWNER_NONE)
		return false;
	*blocks = units + BLOCKS_MIDDLE - units_of(places, size); /* below 0 it is huge */
	return *blocks < 1ULL << BLOCKS_BITS &&
	       units << places->unit_log == record->allocated_bytes;
}

static int set_aside(struct place *place, const struct place_record *record)
{
	struct aside *aside =
		hashmap_upsert(&place->shard->aside, (struct hashmap_key){.low = place->ino});

	if (!aside)
		return -ENOMEM;
	aside->size_bytes = record->size_bytes;
	aside->allocated_bytes = record->allocated_bytes;
	aside->uid = record->uid;
	return 0;
}

int place_set_record(struct place *place, const struct place_record *record)
{
	struct inode_places *places = place->places;
	uint64_t *at = &place->cells.words[place->index];
	uint64_t word =
		HAS_RECORD | (*at & IS_MISTAKEN) | (uint64_t)record->recency << RECENCY_SHIFT;
	uint64_t blocks;
	uint16_t owner;

	if (place_owners_number(&places->owners, &place->shard->owners, record->uid, &owner))
		return -ENOMEM;
	place->cells.owners[place->index] = owner;
	if (S_ISDIR(record->mode))
		word |= IS_DIRECTORY | (*at & IS_DIRECTORY ? *at & LOW_MASK : 0);
	else if (S_ISREG(record->mode))
		word |= IS_REGULAR | (record->size_bytes & LOW_MASK);
	if (fits(places, record, owner, &blocks)) {
		*at = word | blocks << BLOCKS_SHIFT;
		return 0;
	}
	*at = word | IS_ASIDE;
	return set_aside(place, record);
}

static int visit_block(struct place *place,
	int (*visit)(uint64_t ino, const struct place_facts *facts, void *context), void *context)
{
	int rc = 0;

	while (!rc && place_next(place, UINT64_MAX)) {
		struct place_facts facts;

		if (!place->cells.words[place->index] && !place_parent(place))
			continue;
		place_read(place, &facts);
		rc = visit(place->ino, &facts, context);
	}
	return rc;
}

int places_each(struct inode_places *places, unsigned part,
	int (*visit)(uint64_t ino, const struct place_facts *facts, void *context), void *context)
{
	struct place place = {.places = places, .shard = &places->shards[part]};
	int rc = 0;

	for (size_t i = 0; i < place.shard->slot_count && !rc; i++) {
		const struct place_slot *slot = &place.shard->slots[i];

		if (!slot->handle)
			continue;
		enter_block(&place, slot);
		rc = visit_block(&place, visit, context);
	}
	return rc;
}
