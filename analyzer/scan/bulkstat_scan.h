/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the bulkstat engine share; nobody else includes this.
 *
 *   engine_bulkstat.c    the pool, the workers that read ranges of inodes, what is said of it all
 *   bulkstat_producer.c  the ranges, from the inode chunks, and the way around damage in those
 */
#ifndef ANALYZER_SCAN_BULKSTAT_SCAN_H
#define ANALYZER_SCAN_BULKSTAT_SCAN_H

#include "analyzer/scan/engine.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"
#include "base/pool.h"

#define BULKSTAT_RANGE_INODES    2048 /* inodes in use in a range, at most */
#define BULKSTAT_CHUNKS_PER_CALL 1024
#define BULKSTAT_PLACE_BYTES     96 /* of the text that says where a failure is */

/* Inode numbers start ≤ ino < end, with about @expected of them in use. */
struct range {
	uint64_t start;
	uint64_t end;
	unsigned expected;
};

/* What a worker owns: where it counts and what it reads with. */
struct reader {
	struct bulkstat *bulkstat;
	struct census *census;
};

struct bulkstat_scan {
	struct scan_job *job;
	int fd;
	struct xfs_geometry geometry;
	struct reader *readers;   /* one for each worker */
	struct bulkstat *chunks;  /* the producer's */
	struct failures failures; /* the producer's */
	struct pool *pool;
};

/* --- bulkstat_producer.c --------------------------------------------------------------------- */

/* Whether an error is of the place that was read, so that the scan can go on elsewhere. */
bool bulkstat_is_local(int rc);

/*
 * After an error: whether the filesystem is gone altogether. When it has shut itself down, every
 * call is an I/O error, even for the first inode, which is in memory as long as it is mounted.
 */
bool bulkstat_has_shut_down(struct bulkstat *bulkstat, int rc);

/*
 * After an error of bulkstat_next() or bulkstat_chunks() at *@next: the chunks from there on in the
 * same AG. None is its end, and *@next is where the next AG begins, or UINT64_MAX; so an error is
 * the AG's own. The old ioctl cannot be asked for one AG: its error may be that of a later one.
 */
int bulkstat_chunks_at(const struct bulkstat_scan *scan, struct bulkstat *bulkstat, uint64_t *next,
	const struct xfs_chunk **chunks, unsigned *count);

/* Pushes ranges that tile all inode numbers into scan->pool. Returns 0 or a negative errno. */
int bulkstat_produce(struct bulkstat_scan *scan);

#endif
