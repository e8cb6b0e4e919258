/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of an AG's inode B+tree.
 *
 * Every record and every child has a range of inode numbers that its block owns. Keys ascend in a
 * block and a child's first key must be the one its parent holds for it, so whoever descends by
 * ranges meets each block at most once on a level: a tree with cycles or shared blocks is found
 * damaged, and a descent through it ends.
 */
#ifndef ANALYZER_XFS_DISK_INOBT_H
#define ANALYZER_XFS_DISK_INOBT_H

#include "analyzer/xfs/disk/agi.h"

#define DISK_INOBT_NO_BOUND (1ULL << 32)

/* A block of the tree and what is known of it before it is read. */
struct disk_inobt_node {
	uint64_t high; /* its keys are below; DISK_INOBT_NO_BOUND for the last of a level */
	uint32_t low;  /* they start here: the parent's key, which must be its first */
	uint32_t agno;
	uint32_t agbno;
	uint8_t level; /* 0 is a leaf */
	bool root;     /* has no parent, hence no first key to compare, and may be empty */
};

/* A record: up to 64 inodes. */
struct disk_inobt_record {
	uint64_t used;      /* bit i: inode first + i is in use */
	uint32_t first;     /* agino */
	uint8_t count;      /* inodes that exist; below 64 in a sparse chunk */
	uint8_t free_count; /* of them not in use */
};

/* Records that fit into a leaf, and children into a block above. */
unsigned disk_inobt_leaf_max(const struct disk_super *super);
unsigned disk_inobt_node_max(const struct disk_super *super);

/* The root as the AGI tells it. */
struct disk_inobt_node disk_inobt_root(const struct disk_agi *agi, uint32_t agno);

/*
 * Checks everything of @block, super->block_bytes long, but its records or children: checksum,
 * place, level, siblings, and that keys ascend within [low, high). Returns the number of records or
 * children, or with a message: -EBADMSG for a wrong checksum, -EUCLEAN for anything else.
 */
int disk_inobt_check(const struct disk_super *super, const struct disk_inobt_node *node,
	const void *block, struct err *err);

/*
 * Record @index of a leaf that passed disk_inobt_check(), index below its count. Returns 0 or
 * -EUCLEAN with a message.
 */
int disk_inobt_record(struct disk_inobt_record *record, const struct disk_super *super,
	const struct disk_inobt_node *node, const void *block, unsigned index, struct err *err);

/*
 * Child @index of @count of a checked block above the leaves. Returns 0; -EUCLEAN with a message
 * for a block number outside the AG.
 */
int disk_inobt_child(struct disk_inobt_node *child, const struct disk_super *super,
	const struct disk_inobt_node *node, const void *block, unsigned index, unsigned count,
	struct err *err);

#endif
