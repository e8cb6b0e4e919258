/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The geometry of an XFS filesystem: of a mounted one by ioctl, of any by its superblock. */
#ifndef ANALYZER_XFS_GEOMETRY_H
#define ANALYZER_XFS_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#define XFS_UUID_BYTES      16
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

/*
 * Reads the geometry from the primary superblock at the start of a device or image, mounted or
 * not. The UUID is the one that users see (sb_uuid), also where the metadata carries another.
 * @inodes, if not NULL, gets the inodes in use as of the last clean unmount, internal ones
 * included. Checks what it returns for sense, not the CRC. Returns 0; -ENOTTY if it is not XFS;
 * -EUCLEAN if the block or AG size is impossible; another errno of pread(2).
 */
int xfs_geometry_read(int fd, struct xfs_geometry *geometry, uint64_t *inodes);

/*
 * The inodes in use on the mounted filesystem that @fd is open on: a counter that the kernel
 * keeps, with the few internal inodes in it. Returns 0, or the errno of the ioctl.
 */
int xfs_inodes_in_use(int fd, uint64_t *inodes);

/* The allocation group of inode number @ino. */
uint32_t xfs_agno_of_inode(const struct xfs_geometry *geometry, uint64_t ino);

/* The smallest inode number that can be in allocation group @agno. */
uint64_t xfs_first_inode_of_ag(const struct xfs_geometry *geometry, uint32_t agno);

/* Writes @uuid in text form. */
void xfs_uuid_format(const unsigned char uuid[XFS_UUID_BYTES], char text[XFS_UUID_TEXT_BYTES]);

#endif
