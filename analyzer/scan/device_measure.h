/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an inode takes in a dump, as far as the inode itself on the disk tells. */
#ifndef ANALYZER_SCAN_DEVICE_MEASURE_H
#define ANALYZER_SCAN_DEVICE_MEASURE_H

#include "analyzer/census/dump_facts.h"
#include "analyzer/census/dump_layout.h"
#include "analyzer/xfs/disk/super.h"
#include "analyzer/xfs/inode.h"

/* Where a dump's stream is, and where it is without attributes. */
struct device_positions {
	struct dump_position all;
	struct dump_position bare;
};

/*
 * Measures @inode, which disk_inode_parse() read from @buffer, and moves @positions over it: those
 * of a dump in the order of inode numbers, which has directories elsewhere.
 */
void device_measure(struct device_positions *positions, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct dump_measure *measure);

#endif
