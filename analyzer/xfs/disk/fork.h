/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fork of an inode: where its contents, or its attributes, lie. In the inode itself, or in
 * extents, or in extents that a B+tree of blocks holds.
 *
 * A block of the tree owns a range of file offsets. Keys ascend in it and a child's first key must
 * be the one its parent holds for it, so that a descent by ranges gets no block twice on a level
 * and ends, whatever the tree looks like.
 */
#ifndef ANALYZER_XFS_DISK_FORK_H
#define ANALYZER_XFS_DISK_FORK_H

#include "analyzer/xfs/disk/super.h"
#include "analyzer/xfs/inode.h"

#define DISK_FORK_NO_BOUND     UINT64_MAX
#define DISK_FORK_EXTENT_BYTES 16 /* of an extent in the inode */

enum disk_fork_form { DISK_FORK_LOCAL, DISK_FORK_EXTENTS, DISK_FORK_BTREE };

struct disk_fork {
	enum disk_fork_form form;
	const void *data; /* in the inode's buffer */
	uint32_t bytes;   /* room for it there */
	uint64_t ino;
	uint64_t size_bytes; /* of the file */
	uint64_t extents;    /* that it has, as the inode counts them */
};

/* Blocks that lie one after the other in the file and in an AG. */
struct disk_extent {
	uint64_t offset; /* first block in the file */
	uint32_t agno;
	uint32_t agbno;
	uint32_t count; /* blocks, at least 1 */
};

/* A block of the tree and what is known of it before it is read. */
struct disk_bmbt_node {
	uint64_t ino;  /* whose */
	uint64_t low;  /* the parent's key, which must be its first */
	uint64_t high; /* its extents end here at the latest */
	uint32_t agno;
	uint32_t agbno;
	uint8_t level; /* 0 is a leaf */
};

/* Entries of a block of the tree, or of the root in the inode, checked but for what they say. */
struct disk_bmbt {
	const void *entries;  /* extents of a leaf, keys above */
	const void *children; /* block numbers; NULL in a leaf */
	uint64_t ino;
	uint64_t high;
	unsigned count;
	uint8_t level;
};

/*
 * The data fork of the directory, file or link @inode, which disk_inode_parse() read from @buffer.
 * The fork points there. Returns 0, or -EUCLEAN with a message: more extents than there is room.
 */
int disk_fork_data(struct disk_fork *fork, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct err *err);

/*
 * The same of the fork of attributes, which @inode has; it has no size. Returns 0, or -EUCLEAN with
 * a message: no room for it, or more extents than there is room.
 */
int disk_fork_attr(struct disk_fork *fork, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct err *err);

/*
 * Extent @index of a fork in the form of extents; @least is where the one before ended. Returns 0
 * or -EUCLEAN with a message.
 */
int disk_fork_extent(struct disk_extent *extent, const struct disk_super *super,
	const struct disk_fork *fork, uint64_t index, uint64_t least, struct err *err);

/* Opens the root of a fork in the form of a tree. Returns 0 or -EUCLEAN with a message. */
int disk_bmbt_open_root(struct disk_bmbt *tree, const struct disk_fork *fork, struct err *err);

/*
 * Opens @block, super->block_bytes long, checks its checksum, place, owner, level and the order of
 * its keys. Returns 0, or with a message: -EBADMSG for a wrong checksum, -EUCLEAN for all else.
 */
int disk_bmbt_open(struct disk_bmbt *tree, const struct disk_super *super,
	const struct disk_bmbt_node *node, const void *block, struct err *err);

/* Child @index, below tree->count, of what is above the leaves. Returns 0 or -EUCLEAN. */
int disk_bmbt_child(struct disk_bmbt_node *child, const struct disk_super *super,
	const struct disk_bmbt *tree, unsigned index, struct err *err);

/* Extent @index, below tree->count, of a leaf. Returns 0 or -EUCLEAN with a message. */
int disk_bmbt_extent(struct disk_extent *extent, const struct disk_super *super,
	const struct disk_bmbt *tree, unsigned index, struct err *err);

#endif
