/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An inode as it lies on the disk, of version 1, 2 or 3. */
#ifndef ANALYZER_XFS_DISK_INODE_H
#define ANALYZER_XFS_DISK_INODE_H

#include "analyzer/xfs/disk/super.h"
#include "analyzer/xfs/inode.h"

#define DISK_INODE_MAX_BYTES 2048

enum disk_inode_state {
	DISK_INODE_USED,     /* an inode of a user */
	DISK_INODE_FREE,     /* not in use */
	DISK_INODE_INTERNAL, /* belongs to the filesystem: realtime, quota, metadata directory */
};

/*
 * Reads inode @ino from @buffer, super->inode_bytes long, of any alignment. Returns an enum
 * disk_inode_state, with all of @inode filled in for DISK_INODE_USED only; or -EBADMSG for a wrong
 * checksum, -EUCLEAN for contents that make no sense, with a message in @err that does not name
 * the inode.
 *
 * `blocks` is what stat(2) tells, in filesystem blocks. The ioctl says 0 for an inode whose data
 * fork is inline or a device number, even if its attribute fork has blocks.
 */
int disk_inode_parse(struct xfs_inode *inode, const struct disk_super *super, uint64_t ino,
	const void *buffer, struct err *err);

/*
 * Whether inode @ino at @buffer, which the superblock calls one of quota, is somebody's: it is
 * sound, in use, and not what the kernel makes for quota and xfs_repair wants there, which is a
 * regular file of size 0 that root owns, with permissions for nobody and no second link.
 */
bool disk_inode_is_no_quota(const struct disk_super *super, uint64_t ino, const void *buffer);

#endif
