/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the inodes are: the chunks of all AGs in the order of the disk, from the inode B+trees.
 *
 * They come in windows of bounded size, so that memory does not grow with the filesystem: 16 bytes
 * a chunk, about 4 MiB a window, and 32 bytes for each leaf of the AGs at hand.
 */
#ifndef ANALYZER_SCAN_DEVICE_PLAN_H
#define ANALYZER_SCAN_DEVICE_PLAN_H

#include "analyzer/scan/device_scan.h"

/* Up to 64 inodes that lie one after the other, @used the ones to be read. */
struct device_chunk {
	uint64_t used;
	uint32_t agno;
	uint32_t first; /* agino */
};

struct device_plan;

/* A plan of @scan, read with @reader; both must outlive it. Returns 0 or -ENOMEM. */
int device_plan_new(
	struct device_plan **plan, const struct device_scan *scan, struct device_reader *reader);
void device_plan_free(struct device_plan *plan);

/*
 * The next window, ascending by AG and inode number, without chunks that have nothing in use. Sets
 * *@chunks to an array that is valid, and may be written to, until the next call; *@count 0 is the
 * end. Returns 0, -ENOMEM, or an errno of the reader. Damage goes to the sink.
 */
int device_plan_next(struct device_plan *plan, struct device_chunk **chunks, size_t *count);

/* Records of the inode B+trees seen so far. */
uint64_t device_plan_records(const struct device_plan *plan);

#endif
