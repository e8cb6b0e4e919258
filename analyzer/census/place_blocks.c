// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See place_blocks.h. Cells lie in the order of their inodes, so that a cell's index is the number
 * of inodes before it in the chunk. Regions are mapped and not taken from the heap: what was freed
 * there would stay with the process while the tree of directories is built.
 */
#include "analyzer/census/place_blocks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CELL_BYTES (sizeof(uint64_t) + sizeof(uint32_t) + sizeof(uint16_t))

/* Cells that a block of each size has room for. */
static const uint8_t capacities[PLACE_SIZES] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/* The smallest size that has room for so many. */
static const uint8_t sizes[PLACE_CHUNK_INODES + 1] = {
	[3] = 1,
	[4] = 2,
	[5 ... 6] = 3,
	[7 ... 8] = 4,
	[9 ... 12] = 5,
	[13 ... 16] = 6,
	[17 ... 24] = 7,
	[25 ... 32] = 8,
	[33 ... 48] = 9,
	[49 ... 64] = 10,
};

static unsigned cell_count(uint64_t used)
{
	return (unsigned)__builtin_popcountll(used);
}

static unsigned size_for(uint64_t used)
{
	return sizes[cell_count(used)];
}

static size_t size_bytes(unsigned size)
{
	size_t bytes = sizeof(struct place_block) + capacities[size] * CELL_BYTES;

	return (bytes + PLACE_UNIT_BYTES - 1) / PLACE_UNIT_BYTES * PLACE_UNIT_BYTES;
}

int place_blocks_init(struct place_blocks *blocks)
{
	memset(blocks, 0, sizeof(*blocks));
	pthread_mutex_init(&blocks->lock, NULL);
	blocks->regions = calloc(PLACE_REGIONS, sizeof(*blocks->regions));
	return blocks->regions ? 0 : -ENOMEM;
}

void place_blocks_fini(struct place_blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++)
		munmap(blocks->regions[i], PLACE_REGION_BYTES);
	free(blocks->regions);
	pthread_mutex_destroy(&blocks->lock);
}

size_t place_blocks_bytes(const struct place_blocks *blocks)
{
	if (!blocks->count)
		return 0;
	return (blocks->count - 1) * PLACE_REGION_BYTES + blocks->used;
}

/* --- Giving out ------------------------------------------------------------------------------- */

static int add_region(struct place_blocks *blocks)
{
	void *region;

	if (blocks->count == PLACE_REGIONS)
		return -ENOMEM;
	region = mmap(NULL, PLACE_REGION_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (region == MAP_FAILED)
		return -ENOMEM;
	blocks->regions[blocks->count++] = region;
	blocks->used = 0;
	return 0;
}

/* A handle of @bytes that nobody had before; 0 without memory. To be called with the lock held. */
static uint32_t cut_off(struct place_blocks *blocks, size_t bytes)
{
	size_t units = PLACE_REGION_BYTES / PLACE_UNIT_BYTES;
	size_t at;

	if (!blocks->count || blocks->used + bytes > PLACE_REGION_BYTES) {
		if (add_region(blocks))
			return 0;
	}
	at = blocks->used / PLACE_UNIT_BYTES;
	blocks->used += bytes;
	return (uint32_t)((blocks->count - 1) * units + at + 1);
}

/* A block of any content; 0 without memory. */
static uint32_t take(struct place_blocks *blocks, struct place_spares *spares, unsigned size)
{
	uint32_t handle = spares->first[size];

	if (handle) {
		memcpy(&spares->first[size], place_block_at(blocks, handle), sizeof(handle));
		return handle;
	}
	pthread_mutex_lock(&blocks->lock);
	handle = cut_off(blocks, size_bytes(size));
	pthread_mutex_unlock(&blocks->lock);
	return handle;
}

static void give_back(
	struct place_blocks *blocks, struct place_spares *spares, unsigned size, uint32_t handle)
{
	memcpy(place_block_at(blocks, handle), &spares->first[size], sizeof(handle));
	spares->first[size] = handle;
}

/* --- Cells ------------------------------------------------------------------------------------ */

static struct place_cells cells_of(struct place_block *block, unsigned capacity)
{
	uint64_t *words = (uint64_t *)(block + 1);
	uint32_t *parents = (uint32_t *)(words + capacity);

	return (struct place_cells){words, parents, (uint16_t *)(parents + capacity)};
}

struct place_cells place_block_cells(struct place_block *block)
{
	return cells_of(block, capacities[size_for(block->used)]);
}

uint32_t place_block_new(
	struct place_blocks *blocks, struct place_spares *spares, uint64_t number, uint64_t used)
{
	unsigned size = size_for(used);
	uint32_t handle = take(blocks, spares, size);
	struct place_block *block;

	if (!handle)
		return 0;
	block = place_block_at(blocks, handle);
	memset(block, 0, size_bytes(size));
	block->number = number;
	block->used = used;
	return handle;
}

/*
 * Puts the cells of @used, in @from, where they belong among those of @used and @more, in @to, and
 * zeroes the others. From the last one down, so that both may be the same.
 */
static void spread(struct place_cells to, struct place_cells from, uint64_t used, uint64_t more)
{
	unsigned from_index = cell_count(used), to_index = cell_count(used | more);
	uint64_t left = used | more;

	while (left) {
		uint64_t bit = 1ULL << (63 - __builtin_clzll(left));
		bool is_old = used & bit;

		left &= ~bit;
		to_index--;
		from_index -= is_old;
		to.words[to_index] = is_old ? from.words[from_index] : 0;
		to.parents[to_index] = is_old ? from.parents[from_index] : 0;
		to.owners[to_index] = is_old ? from.owners[from_index] : 0;
	}
}

uint32_t place_block_grow(
	struct place_blocks *blocks, struct place_spares *spares, uint32_t handle, uint64_t more)
{
	struct place_block *old = place_block_at(blocks, handle), *block;
	unsigned old_size = size_for(old->used);
	unsigned size = size_for(old->used | more);
	uint32_t grown = handle;

	if (size != old_size)
		grown = take(blocks, spares, size);
	if (!grown)
		return 0;
	block = place_block_at(blocks, grown);
	spread(cells_of(block, capacities[size]), cells_of(old, capacities[old_size]), old->used,
		more);
	block->number = old->number;
	block->used = old->used | more;
	if (grown != handle)
		give_back(blocks, spares, old_size, handle);
	return grown;
}
