/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of inodes while names and inodes are still apart: 14 bytes for each.
 *
 * Inodes lie in chunks of 64 neighbours, as XFS allocates them, so that no inode number is stored.
 * For each: the directory that names it, the owner by number, and size, blocks and last change
 * packed into 64 bits; the few that do not fit are kept aside. A chunk costs 35 bytes more on
 * average, and where few of its inodes are in use it has few places (place_blocks.h).
 *
 * Chunks are spread over shards with a lock each; any thread may open a chunk, whose shard stays
 * locked until it is closed.
 */
#ifndef ANALYZER_CENSUS_INODE_PLACES_H
#define ANALYZER_CENSUS_INODE_PLACES_H

#include "analyzer/census/place_blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inode_places;
struct place_shard;

/* A chunk of places, locked between places_open() and places_close(), and one place in it. */
struct place {
	struct inode_places *places;
	struct place_shard *shard;
	struct place_block *block;
	struct place_cells cells;
	uint64_t left;  /* inodes after the place that have one, by bit */
	unsigned index; /* of the place's cell */
	uint64_t ino;
};

/* What an inode's record says that matters here. */
struct place_record {
	uint64_t size_bytes;
	uint64_t allocated_bytes;
	uint32_t uid;
	uint16_t mode;    /* type, as in st_mode */
	uint16_t recency; /* of its last change, see recency.h */
};

/* What a place holds, unpacked. */
struct place_facts {
	bool has_record;     /* an inode was met */
	bool is_directory;   /* a directory's; `directory` is its id or 0 */
	bool is_regular;     /* a regular file's */
	bool is_mistaken;    /* somebody took it for a directory, but it is none */
	uint32_t parent;     /* id of the directory that names it, 0: none so far */
	uint32_t directory;  /* id of the directory that it is, 0: none so far */
	uint32_t uid;        /* the owner, if has_record */
	uint16_t recency;    /* of its last change, 0 without a record */
	uint64_t size_bytes; /* of a regular file */
	uint64_t allocated_bytes;
};

/* For a filesystem with blocks of @block_bytes (> 0); NULL without memory. */
struct inode_places *places_new(uint32_t block_bytes);
void places_free(struct inode_places *places);

/*
 * Opens chunk @number, that of the inodes from 64 × @number on, before its first place, and makes
 * places there for the inodes @wanted, a bit each and at least one, as far as there are none.
 * Returns 0 or -ENOMEM.
 */
int places_open(struct inode_places *places, uint64_t number, uint64_t wanted, struct place *place);
void places_close(struct place *place);

/* Goes to the next place that is one of the inodes @wanted, and says whether there was one. */
static inline bool place_next(struct place *place, uint64_t wanted)
{
	while (place->left) {
		unsigned bit = (unsigned)__builtin_ctzll(place->left);

		place->left &= place->left - 1;
		place->index++;
		place->ino = place->block->number * PLACE_CHUNK_INODES + bit;
		if (wanted >> bit & 1)
			return true;
	}
	return false;
}

/* Opens the chunk of @ino and is at its place. Returns 0 or -ENOMEM. */
int places_get(struct inode_places *places, uint64_t ino, struct place *place);

void place_read(const struct place *place, struct place_facts *facts);

/* The id of the directory that the inode was taken for, 0: of none so far. */
uint32_t place_directory_id(const struct place *place);

/* The id of the directory that names the inode, 0: none so far. */
static inline uint32_t place_parent(const struct place *place)
{
	return place->cells.parents[place->index];
}

static inline void place_set_parent(struct place *place, uint32_t parent)
{
	place->cells.parents[place->index] = parent;
}

/* Notes which directory it is, that it was mistaken for one, what its record says; 0 or -ENOMEM. */
void place_set_directory(struct place *place, uint32_t directory);
void place_set_mistaken(struct place *place);
int place_set_record(struct place *place, const struct place_record *record);

/* Parts in which the places can be gone over, by different threads if each of them is one's. */
#define PLACES_PARTS 64

/* Calls @visit for each place of a part that holds something. Returns 0 or what @visit returned. */
int places_each(struct inode_places *places, unsigned part,
	int (*visit)(uint64_t ino, const struct place_facts *facts, void *context), void *context);

/* Bytes of memory held. */
size_t places_memory_bytes(const struct inode_places *places);

#endif
