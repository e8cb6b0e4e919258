/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the bulkstat engine share; nobody else includes this.
 *
 *   engine_bulkstat.c  the pool of workers, what is said of it all
 *   bulkstat_ag.c      the inodes of one allocation group, and the way around damage in it
 */
#ifndef ANALYZER_SCAN_BULKSTAT_SCAN_H
#define ANALYZER_SCAN_BULKSTAT_SCAN_H

#include "analyzer/scan/engine.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"

/* Of a reader's request. The kernel reads ahead for no more inodes than this. */
#define BULKSTAT_BATCH 2048

/* What a worker owns: what it reads with and where it counts. */
struct reader {
	struct bulkstat *bulkstat;
	struct census *census;
	uint64_t inode_chunks; /* inode B+tree records seen */
};

struct bulkstat_scan {
	struct scan_job *job;
	int fd;
	struct xfs_geometry geometry;
	unsigned workers;       /* AGs that are read at a time */
	bool seeks_slowly;      /* which is why it is one */
	struct reader *readers; /* one for each worker */
};

/*
 * Reads allocation group @agno with what @reader owns, which nobody else does meanwhile. Damage is
 * tallied. Returns 0; -ECANCELED if the user wants an end; -ESHUTDOWN if the filesystem has shut
 * down; -ENOMEM; another negative errno that is not of a place but of the whole.
 */
int bulkstat_read_ag(const struct bulkstat_scan *scan, struct reader *reader, uint32_t agno);

#endif
