/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The AGI: the header of an allocation group that tells of its inodes. */
#ifndef ANALYZER_XFS_DISK_AGI_H
#define ANALYZER_XFS_DISK_AGI_H

#include "analyzer/xfs/disk/super.h"

#define DISK_BTREE_MAX_LEVELS 9

struct disk_agi {
	uint32_t count;      /* inodes allocated, in chunks or parts of them */
	uint32_t free_count; /* of them not in use */
	uint32_t root;       /* agbno of the inode B+tree's root */
	uint32_t level;      /* levels of the tree, 1-DISK_BTREE_MAX_LEVELS */
};

/* Byte offset on the device of the AGI of AG @agno; it is one sector. */
uint64_t disk_agi_offset(const struct disk_super *super, uint32_t agno);

/*
 * Reads the AGI of AG @agno from @sector, super->sector_bytes long. Returns 0, or with a message
 * without the AG's number: -EBADMSG for a wrong checksum, -EUCLEAN for contents that make no sense.
 */
int disk_agi_parse(struct disk_agi *agi, const struct disk_super *super, uint32_t agno,
	const void *sector, struct err *err);

#endif
