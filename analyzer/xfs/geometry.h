/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The geometry of a mounted XFS filesystem, as XFS_IOC_FSGEOMETRY tells it. */
#ifndef ANALYZER_XFS_GEOMETRY_H
#define ANALYZER_XFS_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#define XFS_UUID_TEXT_BYTES 37

struct xfs_geometry {
	char uuid[XFS_UUID_TEXT_BYTES]; /* 8-4-4-4-12 lower-case hex digits, NUL */
	uint32_t block_bytes;
	uint32_t inode_bytes;
	uint32_t agcount;
	uint32_t agblocks;    /* blocks in an AG, but for the last one */
	uint64_t data_blocks; /* blocks of the data section */
	uint64_t log_blocks;
	bool log_internal;
	bool has_realtime;
	bool has_projid32;
	bool has_bigtime;
	bool has_nrext64;
};

/*
 * Asks for the geometry of the filesystem that @fd is open on. Returns 0; -ENOTTY where it is not
 * XFS; another errno of the ioctl. Tries the current ioctl, then XFS_IOC_FSGEOMETRY_V1.
 */
int xfs_geometry_get(int fd, struct xfs_geometry *geometry);

#endif
