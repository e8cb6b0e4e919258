/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inode chunks and inodes of a mounted XFS filesystem, many at a call.
 *
 * Hides which generation of the ioctls the kernel and the headers know: v5 with NREXT64, v5
 * without, v1. All answers are for the whole filesystem, whatever in it the descriptor is open on.
 * Internal inodes (quota, realtime) are never returned.
 */
#ifndef ANALYZER_XFS_BULKSTAT_H
#define ANALYZER_XFS_BULKSTAT_H

#include "analyzer/xfs/inode.h"

enum bulkstat_version { BULKSTAT_AUTO, BULKSTAT_V1, BULKSTAT_V5 };

/* A reader with its own request buffer: one for each thread. */
struct bulkstat;

/*
 * A reader of at most @batch inodes (1-4096) a call on @fd, which stays the caller's. @version
 * forces a generation of the ioctls. Returns 0 or -ENOMEM.
 */
int bulkstat_new(struct bulkstat **bulkstat, int fd, unsigned batch, enum bulkstat_version version);
void bulkstat_free(struct bulkstat *bulkstat);

/*
 * Reads the inodes from number *@next on, in order. Sets *@next to where to go on, *@inodes to an
 * array that is valid until the next call, *@count to its length; 0 is the end of the filesystem.
 * There is no end bound: the caller filters what lies past its range. Returns 0, or a negative
 * errno: -ENOTTY off XFS, -EPERM without CAP_SYS_ADMIN, -EFSCORRUPTED, -EIO.
 */
int bulkstat_next(struct bulkstat *bulkstat, uint64_t *next, const struct xfs_inode **inodes,
	unsigned *count);

/* Reads exactly inode @ino. Returns 0; -ENOENT if it is not in use; otherwise as above. */
int bulkstat_single(struct bulkstat *bulkstat, uint64_t ino, struct xfs_inode *inode);

/* Reads the chunks from number *@next on, in order, as bulkstat_next() does inodes. */
int bulkstat_chunks(struct bulkstat *bulkstat, uint64_t *next, const struct xfs_chunk **chunks,
	unsigned *count);

/* The generation that answers: BULKSTAT_AUTO until the first call. */
enum bulkstat_version bulkstat_version_used(const struct bulkstat *bulkstat);

#endif
