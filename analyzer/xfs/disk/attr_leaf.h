/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of an attribute fork that is not in the inode: leaves list attributes, nodes lead to
 * leaves. A leaf tells how long every value is, those included that lie in blocks of their own.
 *
 * With V4 a value's block has no head and may look like a leaf. So leaves are only found from the
 * root on, which is block 0 of the fork.
 */
#ifndef ANALYZER_XFS_DISK_ATTR_LEAF_H
#define ANALYZER_XFS_DISK_ATTR_LEAF_H

#include "analyzer/xfs/disk/attr.h"
#include "base/err.h"

/* Where an attribute block is, and whose. */
struct disk_attr_block {
	uint64_t ino;
	uint64_t place; /* byte on the device */
};

/* Levels above the leaves that a tree of attributes has at most. */
#define DISK_ATTR_MAX_LEVELS 5

/* A node, and the blocks of the fork that are below it. */
struct disk_attr_node {
	unsigned level; /* above the leaves, 1 to DISK_ATTR_MAX_LEVELS */
	unsigned count; /* children, at least 1 */
	/* private */
	const uint8_t *children;
};

/* The attributes of a leaf. */
struct disk_attr_leaf {
	unsigned count; /* attributes, hidden ones included */
	/* private */
	const uint8_t *block;
	uint32_t block_bytes;
	uint32_t entries_at;
	uint32_t bytes_left; /* that further names and values in the block can have */
	unsigned index;      /* of the next attribute */
};

/* An attribute of a leaf, and where its value is if that is not in the leaf. */
struct disk_attr_value {
	struct disk_attr attr;
	bool is_remote;
	uint32_t first_block; /* of a remote one, in the fork; its blocks follow each other */
};

/*
 * Opens @data, super->block_bytes of it, as disk_attr_leaf_open() does. Returns 1 for a node, 0 for
 * any other block.
 */
int disk_attr_node_open(struct disk_attr_node *node, const struct disk_super *super,
	const struct disk_attr_block *block, const void *data, struct err *err);

/* The block of the fork that has child @index, below node->count, a level below. */
uint32_t disk_attr_node_child(const struct disk_attr_node *node, unsigned index);

/* Whether @data says that it is a leaf; nothing else of it is checked. */
bool disk_attr_is_leaf(const struct disk_super *super, const void *data);

/*
 * Opens @data, super->block_bytes of it, and on V5 checks its checksum, filesystem, owner and
 * place. Returns 1 for a leaf; 0 for any other block, of which nothing is known; or with a message
 * -EBADMSG for a wrong checksum, -EUCLEAN for all else. @leaf points into @data.
 */
int disk_attr_leaf_open(struct disk_attr_leaf *leaf, const struct disk_super *super,
	const struct disk_attr_block *block, const void *data, struct err *err);

/* The next attribute. Returns 1; 0 at the end; -EUCLEAN with a message for one out of bounds. */
int disk_attr_leaf_next(
	struct disk_attr_leaf *leaf, struct disk_attr_value *value, struct err *err);

#endif
