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
#include "base/hashmap.h"

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

/* Adds @sums to the cell of @key. Returns 0 or -ENOMEM. */
int cube_add(struct cube *cube, const struct cube_key *key, const struct cube_sums *sums);

/* Adds all cells of @from. Returns 0 or -ENOMEM. */
int cube_merge(struct cube *cube, const struct cube *from);

/* Orders the cells by uid, gid, project id, kind, class. */
void cube_sort(struct cube *cube);

/* Number of cells, and cell @index of them. */
size_t cube_count(const struct cube *cube);
const struct cube_sums *cube_at(const struct cube *cube, size_t index, struct cube_key *key);

/* @a += @b, field by field, saturating. */
void cube_sums_add(struct cube_sums *a, const struct cube_sums *b);

#endif
