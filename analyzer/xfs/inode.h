/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inodes and inode chunks as everyone who reads XFS sees them, by ioctl or from the disk. */
#ifndef ANALYZER_XFS_INODE_H
#define ANALYZER_XFS_INODE_H

#include <stdbool.h>
#include <stdint.h>

#define XFS_CHUNK_INODES 64

/* An inode B+tree record: 64 inode numbers, those in use with their bit set. */
struct xfs_chunk {
	uint64_t first_ino;
	uint64_t
		alloc_mask; /* bit i: inode first_ino + i is in use; holes of sparse chunks are 0 */
	uint32_t alloc_count; /* inodes in use */
};

/* An inode; the device engine decodes the same from the disk. */
struct xfs_inode {
	uint64_t ino;
	uint64_t size_bytes;
	uint64_t blocks;  /* filesystem blocks: data, B+tree and attribute blocks; see bulkstat.h */
	uint64_t extents; /* of the data fork */
	int64_t mtime_seconds;
	int64_t ctime_seconds;
	uint32_t generation; /* needed to open the inode by handle */
	uint32_t uid;
	uint32_t gid;
	uint32_t projid;
	uint32_t nlink;  /* for bulkstat v1 see bulkstat.h */
	uint32_t xflags; /* FS_XFLAG_* */
	uint32_t attr_extents;
	uint32_t block_bytes; /* what `blocks` counts */
	uint16_t mode;
	bool attr_fork; /* has an attribute fork, empty or not */
};

#endif
