/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner cube: (uid, gid, project id, kind, size class) → what such inodes add up to.
 *
 * An inode counts once, whatever its links. Sums stop at 2^64 - 1 instead of wrapping (three
 * sparse files of 8 EiB are enough to get there).
 */
#ifndef ANALYZER_CENSUS_CUBE_H
#define ANALYZER_CENSUS_CUBE_H

#include "analyzer/census/inode_record.h"
#include "base/checked.h"
#include "base/hashmap.h"

#include <errno.h>

struct cube_key {
	uint32_t uid;
	uint32_t gid;
	uint32_t projid;
	uint8_t kind;       /* enum inode_kind */
	uint8_t size_class; /* see size_class.h */
};

struct cube_sums {
	uint64_t inodes;
	uint64_t size_bytes;      /* Σ i_size */
	uint64_t allocated_bytes; /* Σ allocated */
	uint64_t extents;         /* Σ data-fork extents */
	uint64_t stream_bytes;    /* Σ bytes in an xfsdump stream, see dump_stream.h */
};

struct cube {
	struct hashmap cells; /* cube_key → cube_sums */
};

void cube_init(struct cube *cube);
void cube_fini(struct cube *cube);

/* @a += @b, field by field, saturating. */
static inline void cube_sums_add(struct cube_sums *a, const struct cube_sums *b)
{
	a->inodes = sat_add_u64(a->inodes, b->inodes);
	a->size_bytes = sat_add_u64(a->size_bytes, b->size_bytes);
	a->allocated_bytes = sat_add_u64(a->allocated_bytes, b->allocated_bytes);
	a->extents = sat_add_u64(a->extents, b->extents);
	a->stream_bytes = sat_add_u64(a->stream_bytes, b->stream_bytes);
}

/* The key in 128 bits, so that the packed order is the order of the fields. */
static inline struct hashmap_key cube_pack(const struct cube_key *key)
{
	return (struct hashmap_key){
		.high = (uint64_t)key->uid << 32 | key->gid,
		.low = (uint64_t)key->projid << 32 | (uint64_t)key->kind << 8 | key->size_class,
	};
}

static inline int cube_add_packed(
	struct cube *cube, struct hashmap_key packed, const struct cube_sums *sums)
{
	struct cube_sums *cell = hashmap_upsert(&cube->cells, packed);

	if (!cell)
		return -ENOMEM;
	cube_sums_add(cell, sums);
	return 0;
}

/*
 * Adds @sums to the cell of @key. Returns 0 or -ENOMEM. Inline, as is all that is called for each
 * inode of millions: a structure that is passed in memory field by field and read back as a whole
 * costs as much as the look-up.
 */
static inline int cube_add(
	struct cube *cube, const struct cube_key *key, const struct cube_sums *sums)
{
	return cube_add_packed(cube, cube_pack(key), sums);
}

/* Adds all cells of @from. Returns 0 or -ENOMEM. */
int cube_merge(struct cube *cube, const struct cube *from);

/* Orders the cells by uid, gid, project id, kind, class. */
void cube_sort(struct cube *cube);

/* Number of cells, and cell @index of them. */
size_t cube_count(const struct cube *cube);
const struct cube_sums *cube_at(const struct cube *cube, size_t index, struct cube_key *key);

#endif
