/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inode chunks and inodes of a mounted XFS filesystem, many at a call.
 *
 * Hides which generation of the ioctls the kernel and the headers know: v5 with NREXT64, v5
 * without, v1. All answers are for the whole filesystem, whatever in it the descriptor is open on.
 * Internal inodes (quota, realtime) are never returned.
 *
 * Sizes and blocks are those of the last write-back: call syncfs(2) before if they matter. Inodes
 * whose data fork is inline or a device number are given 0 blocks, also if their attributes have
 * blocks; xfs_inode_lacks_blocks() tells which these are, xfs_inode_add_blocks() how many. Scans
 * complete each answer so, by scan/answer.h.
 *
 * What v1 cannot say: its link count has 16 bits. Where that would matter (a count of 0, and a
 * directory that has room for as many subdirectories) the inode is asked for it by handle; else it
 * is given modulo 65536. An inode with 2^31 extents or more is an error (-EINVAL, -EOVERFLOW).
 */
#ifndef ANALYZER_XFS_BULKSTAT_H
#define ANALYZER_XFS_BULKSTAT_H

#include "analyzer/xfs/inode.h"

#define BULKSTAT_MAX_BATCH 4096

enum bulkstat_version { BULKSTAT_AUTO, BULKSTAT_V1, BULKSTAT_V5 };

/* A reader with its own request buffer: one for each thread. */
struct bulkstat;

/*
 * A reader of at most @batch inodes (1-BULKSTAT_MAX_BATCH) a call on @fd, which stays the
 * caller's. @version forces a generation of the ioctls. Returns 0 or -ENOMEM.
 */
int bulkstat_new(struct bulkstat **bulkstat, int fd, unsigned batch, enum bulkstat_version version);
void bulkstat_free(struct bulkstat *bulkstat);

/* From now on, at most @batch a call, 1 to that of bulkstat_new(): who wants few reads few. */
void bulkstat_set_batch(struct bulkstat *bulkstat, unsigned batch);

/*
 * Reads the inodes from number *@next on, in order. Sets *@next to where to go on, *@inodes to an
 * array that is valid until the next call, *@count to its length; 0 is the end of the filesystem.
 * There is no end bound: the caller filters what lies past its range.
 *
 * Returns 0, or a negative errno with *@next unchanged: -ENOTTY off XFS, -EPERM without
 * CAP_SYS_ADMIN, -EUCLEAN (the system's EFSCORRUPTED), -EIO. What was read before a damaged inode
 * is returned by one call, the error by the following one: then the first inode in use from *@next
 * on, or the inode B+tree, is what cannot be read.
 */
int bulkstat_next(struct bulkstat *bulkstat, uint64_t *next, const struct xfs_inode **inodes,
	unsigned *count);

/*
 * Reads exactly inode @ino, which must not be 0. Returns 0; -ENOENT if it is not in use or
 * internal; otherwise as above.
 */
int bulkstat_single(struct bulkstat *bulkstat, uint64_t ino, struct xfs_inode *inode);

/*
 * Reads the chunks from the one that holds number *@next on, in order, as bulkstat_next() does
 * inodes. Chunks without an inode in use are among them.
 */
int bulkstat_chunks(struct bulkstat *bulkstat, uint64_t *next, const struct xfs_chunk **chunks,
	unsigned *count);

/*
 * As bulkstat_next() and bulkstat_chunks(), but of allocation group @agno alone, in which *@next
 * lies: nothing is its end, and an error is of this group for certain. Those without a group go on
 * to the next one that has something, and fail if that is damaged. v1 cannot be asked for one
 * group and goes on too: whoever uses it filters, and does not know whose an error is.
 */
int bulkstat_next_in_ag(struct bulkstat *bulkstat, uint32_t agno, uint64_t *next,
	const struct xfs_inode **inodes, unsigned *count);
int bulkstat_chunks_in_ag(struct bulkstat *bulkstat, uint32_t agno, uint64_t *next,
	const struct xfs_chunk **chunks, unsigned *count);

/* Whether @inode, as bulkstat gives it, may have blocks that it does not tell. */
static inline bool xfs_inode_lacks_blocks(const struct xfs_inode *inode)
{
	return !inode->blocks && inode->attr_extents;
}

/*
 * Sets inode->blocks and its unit, inode->block_bytes, to what fstat(2) says of the inode, opened
 * by handle on the filesystem of @fd (the unit of a device or fifo is wrong before).
 * Returns 0; -ESTALE if it is gone meanwhile; -EPERM without CAP_DAC_READ_SEARCH; others of
 * open_by_handle_at(2). A directory that is not in the cache costs a search in its parent.
 */
int xfs_inode_add_blocks(int fd, struct xfs_inode *inode);

/* The generation that answers: BULKSTAT_AUTO until the first call. */
enum bulkstat_version bulkstat_version_used(const struct bulkstat *bulkstat);

#endif
