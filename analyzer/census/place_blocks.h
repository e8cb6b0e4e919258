/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for the places of inodes (inode_places.h): blocks of cells, one block for each chunk of 64
 * inode numbers of which something is known, with a cell for each of those inodes.
 *
 * A block has room for as many cells as it needs, rounded up by a half at most: 14 bytes for each
 * and 16 for the block. Blocks lie one after the other in regions that come from the system and go
 * back to it as a whole, so that nothing of them is left behind in the heap. A block that was
 * outgrown serves another chunk, by lists that belong to whoever holds a lock of his own.
 */
#ifndef ANALYZER_CENSUS_PLACE_BLOCKS_H
#define ANALYZER_CENSUS_PLACE_BLOCKS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_CHUNK_INODES 64

/* Sizes of blocks, see place_blocks.c. */
#define PLACE_SIZES 11

/* At most 64 GiB of blocks, places of 4 G inodes. */
#define PLACE_REGION_BYTES (1U << 20)
#define PLACE_REGIONS      (1U << 16)
#define PLACE_UNIT_BYTES   16

/* A chunk's block. Its cells follow: words, then parents, then owners. */
struct place_block {
	uint64_t number; /* of the chunk: its inode numbers by 64 */
	uint64_t used;   /* inodes that have a cell, by bit */
};

/* What a cell is made of. */
struct place_cells {
	uint64_t *words;
	uint32_t *parents;
	uint16_t *owners;
};

struct place_blocks {
	pthread_mutex_t lock;
	char **regions; /* PLACE_REGIONS pointers, most of them untouched */
	size_t count;   /* regions */
	size_t used;    /* bytes of the last region */
};

/* Outgrown blocks of one owner, by size: handles of the first, which holds that of the next. */
struct place_spares {
	uint32_t first[PLACE_SIZES];
};

/* Returns 0 or -ENOMEM. */
int place_blocks_init(struct place_blocks *blocks);
void place_blocks_fini(struct place_blocks *blocks);

/* Bytes of memory held. */
size_t place_blocks_bytes(const struct place_blocks *blocks);

/* The block of a handle, which is never 0 and was given out below. */
static inline struct place_block *place_block_at(const struct place_blocks *blocks, uint32_t handle)
{
	uint32_t units = PLACE_REGION_BYTES / PLACE_UNIT_BYTES;
	char *region = blocks->regions[(handle - 1) / units];

	return (void *)(region + (size_t)((handle - 1) % units) * PLACE_UNIT_BYTES);
}

/* The cells of @block, which are as many as @block->used has bits. */
struct place_cells place_block_cells(struct place_block *block);

/*
 * Makes a block for the inodes @used (at least one) of chunk @number, all cells zero. Returns its
 * handle, or 0 without memory.
 */
uint32_t place_block_new(
	struct place_blocks *blocks, struct place_spares *spares, uint64_t number, uint64_t used);

/*
 * Adds zeroed cells for the inodes @more to a block, which may move. Returns its handle, or 0
 * without memory; then the block is as it was.
 */
uint32_t place_block_grow(
	struct place_blocks *blocks, struct place_spares *spares, uint32_t handle, uint64_t more);

#endif
