/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what XFS says of an inode to what a census counts: the one converter of two engines. */
#ifndef ANALYZER_SCAN_RECORD_H
#define ANALYZER_SCAN_RECORD_H

#include "analyzer/census/dump_facts.h"
#include "analyzer/census/inode_record.h"
#include "analyzer/xfs/inode.h"
#include "base/checked.h"

#include <linux/fs.h>

static inline void record_from_xfs(struct inode_record *record, const struct xfs_inode *inode)
{
	*record = (struct inode_record){
		.ino = inode->ino,
		.size_bytes = inode->size_bytes,
		.allocated_bytes = sat_mul_u64(inode->blocks, inode->block_bytes),
		.extents = inode->extents,
		.mtime_seconds = inode->mtime_seconds,
		.ctime_seconds = inode->ctime_seconds,
		.uid = inode->uid,
		.gid = inode->gid,
		.projid = inode->projid,
		.nlink = inode->nlink,
		.mode = inode->mode,
		.flags = (uint8_t)((inode->attr_fork ? INODE_ATTR_FORK : 0) |
				   (inode->xflags & FS_XFLAG_NODUMP ? INODE_NODUMP : 0) |
				   (inode->xflags & FS_XFLAG_REALTIME ? INODE_REALTIME : 0)),
	};
}

/* Of what was asked for, nobody knows extents or attributes. */
static inline void record_measure(struct dump_measure *measure, const struct xfs_inode *inode)
{
	*measure = (struct dump_measure){
		.stream_bytes = DUMP_NOT_MEASURED,
		.attrs = inode->attr_extents ? DUMP_ATTRS_BLOCKS : DUMP_ATTRS_INLINE,
	};
}

#endif
