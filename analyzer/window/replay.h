/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does to one inode what xfsdump does to it at level 0, and measures it.
 *
 * The same calls in the same order and sizes, on one thread, into a stream that goes nowhere: file
 * headers with their checksums, extents read straight into 256 KiB records, a record written to
 * /dev/null when it is full. Access times do not change, and what was read leaves the page cache
 * again unless it had been there: not at once, since reading into pages just freed is cheaper than
 * what a dump does, but whenever it has come to a quarter of the free memory, within
 * REPLAY_KEEP_MIN_BYTES and REPLAY_KEEP_MAX_BYTES, and at the end.
 */
#ifndef ANALYZER_WINDOW_REPLAY_H
#define ANALYZER_WINDOW_REPLAY_H

#include "analyzer/xfs/handle.h"
#include "analyzer/xfs/inode.h"

#include <stdbool.h>
#include <stdint.h>

/* Data of a file that is read at most: enough for the rate of what follows. */
#define REPLAY_FILE_LIMIT_BYTES (16ULL << 20)

#define REPLAY_KEEP_MIN_BYTES (64ULL << 20)
#define REPLAY_KEEP_MAX_BYTES (1ULL << 30)

/* Buffers and the place to which the stream goes; one for a calibration. */
struct replay;

/* What became of a file. */
struct replay_result {
	bool cached;           /* pages were in the page cache: nothing was read */
	uint64_t bytes;        /* bytes read from the file */
	uint64_t data_bytes;   /* bytes that would have been read without the limit */
	uint64_t stream_bytes; /* that the whole file takes in a dump, without attributes */
	double file_seconds;   /* opening, extent map, attributes, closing */
	double data_seconds;   /* reading, and copying to the stream */
	uint64_t head_bytes;   /* of these, those until reading had got going; 0: fewer were read */
	double head_seconds;   /* likewise */
};

/*
 * Of a file read in part, what it takes to get going beyond what as many bytes take later belongs
 * to all of its data: takes from @result's data_seconds what of it the part not read would bear.
 */
void replay_spread_head(struct replay_result *result);

/* Of the seconds of all regular files dumped so far, less those in the cache, spent computing. */
double replay_cpu_share(const struct replay *replay);

/* What attributes took, of the inodes that have a fork for them. */
struct replay_attrs {
	uint64_t inodes;
	uint64_t stream_bytes; /* in a dump */
	double seconds;        /* of asking for them; in the cost of the inodes as well */
};

/* The attributes met so far: in the inodes, and (@in_blocks) in blocks of their own. */
const struct replay_attrs *replay_attrs(const struct replay *replay, bool in_blocks);

/* @base must outlive the replay. Returns 0, -ENOMEM, or an errno of opening /dev/null. */
int replay_new(struct replay **replay, const struct xfs_handle_base *base);

/* Drops from the page cache what the replay has left there, and frees it. */
void replay_free(struct replay *replay);

/*
 * Dumps regular file @inode, @limit_bytes of its data at most. Returns 0, or the negative errno of
 * a call that failed (-ESTALE, -ENOENT: it is gone; -EIO), with @result undefined.
 */
int replay_file(struct replay *replay, const struct xfs_inode *inode, uint64_t limit_bytes,
	struct replay_result *result);

/*
 * Dumps a piece of a regular file: @limit_bytes of its data at most, after the first @skip_bytes
 * (a multiple of the page size). Only cached pages of the piece matter, of its first extent.
 * Otherwise as above.
 */
int replay_piece(struct replay *replay, const struct xfs_inode *inode, uint64_t skip_bytes,
	uint64_t limit_bytes, struct replay_result *result);

/* Dumps a symbolic link or special file. Returns its seconds in @seconds, otherwise as above. */
int replay_special(struct replay *replay, const struct xfs_inode *inode, double *seconds);

/* Dumps a directory. @bytes are those of the entries as the kernel returns them. */
int replay_directory(
	struct replay *replay, const struct xfs_inode *inode, uint64_t *bytes, double *seconds);

#endif
