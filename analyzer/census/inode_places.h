/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of inodes while names and inodes are still apart: 16 bytes for each.
 *
 * Inodes lie in chunks of 64 neighbours, as XFS allocates them, so that no inode number is stored.
 * For each: the directory that names it, the owner, and size and blocks packed into 64 bits; the
 * few that do not fit are kept aside. Chunks are spread over shards with a lock each; any thread
 * may get an inode's place, which stays locked until it is put.
 */
#ifndef ANALYZER_CENSUS_INODE_PLACES_H
#define ANALYZER_CENSUS_INODE_PLACES_H

#include "analyzer/census/inode_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_CHUNK_INODES 64

struct inode_places;
struct place_chunk;
struct place_shard;

/* An inode's place, locked between places_get() and place_put(). */
struct place {
	struct place_shard *shard;
	struct place_chunk *chunk;
	unsigned index; /* in the chunk */
	uint64_t ino;
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
	uint64_t size_bytes; /* of a regular file */
	uint64_t allocated_bytes;
};

/* For a filesystem with blocks of @block_bytes (> 0); NULL without memory. */
struct inode_places *places_new(uint32_t block_bytes);
void places_free(struct inode_places *places);

/* Finds the place of @ino or makes it. Returns 0 or -ENOMEM. */
int places_get(struct inode_places *places, uint64_t ino, struct place *place);
void place_put(struct place *place);

void place_read(
	const struct inode_places *places, const struct place *place, struct place_facts *facts);

/* Notes what names the inode, which directory it is, what its record says; 0 or -ENOMEM. */
void place_set_parent(struct place *place, uint32_t parent);
void place_set_directory(struct place *place, uint32_t directory);
void place_set_mistaken(struct place *place);
int place_set_record(
	const struct inode_places *places, struct place *place, const struct inode_record *inode);

/* Calls @visit for each place that holds something. Returns 0 or what @visit returned. */
int places_each(struct inode_places *places,
	int (*visit)(uint64_t ino, const struct place_facts *facts, void *context), void *context);

/* Bytes of memory held. */
size_t places_memory_bytes(const struct inode_places *places);

#endif
