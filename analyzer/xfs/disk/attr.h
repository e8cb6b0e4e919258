/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extended attributes of an inode on the disk, as far as they lie in the inode itself. What does
 * not fit there lies in blocks of its own: see attr_leaf.h.
 */
#ifndef ANALYZER_XFS_DISK_ATTR_H
#define ANALYZER_XFS_DISK_ATTR_H

#include "analyzer/xfs/disk/super.h"
#include "analyzer/xfs/inode.h"

enum disk_attr_form {
	DISK_ATTR_NONE,   /* no attribute fork, or an empty one */
	DISK_ATTR_LOCAL,  /* in the inode */
	DISK_ATTR_BLOCKS, /* in blocks of their own */
};

struct disk_attr {
	uint8_t name_bytes;
	uint32_t value_bytes; /* up to 65536 in blocks */
	bool is_hidden;       /* the filesystem's own: no list shows it */
};

/* Fields are private. */
struct disk_attr_reader {
	const uint8_t *at;
	const uint8_t *end;
	unsigned left;
};

/*
 * Opens the attributes of @inode, which disk_inode_parse() read from @buffer. Returns an enum
 * disk_attr_form, or -EUCLEAN for one that makes no sense. Only of local ones is there a next one.
 */
int disk_attr_open(struct disk_attr_reader *reader, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer);

/* The next attribute. Returns 1; 0 at the end; -EUCLEAN if it does not end in the fork. */
int disk_attr_next(struct disk_attr_reader *reader, struct disk_attr *attr);

#endif
