/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes of one inode, from the blocks that they lie in. */
#ifndef ANALYZER_SCAN_DEVICE_ATTR_TREE_H
#define ANALYZER_SCAN_DEVICE_ATTR_TREE_H

#include "analyzer/scan/device_scan.h"
#include "analyzer/xfs/disk/attr_leaf.h"
#include "analyzer/xfs/disk/fork.h"

#include <stdatomic.h>

/* Where the attributes of an inode are, and how much may be read for them. */
struct device_attr_fork {
	const struct device_scan *scan;
	const struct disk_fork *fork;
	uint64_t gap_bytes;        /* gaps up to this are read through */
	atomic_llong *blocks_left; /* that all attributes together can have */
};

/* Adds what the attributes of a leaf take in a dump to @bytes. Returns 0 or -EUCLEAN. */
int device_attr_leaf_sum(struct disk_attr_leaf *leaf, uint64_t *bytes, struct err *err);

/*
 * Reads all blocks of the fork but those of values, and sets @bytes to what its attributes take in
 * a dump, besides an empty fork. Returns 0 or, with a message, -ENOMEM or what is wrong with it.
 */
int device_attr_tree_sum(const struct device_attr_fork *from, uint64_t *bytes, struct err *err);

#endif
