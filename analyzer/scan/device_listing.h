/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The chunks of a mounted filesystem, as the kernel lists them, in the order of the disk. */
#ifndef ANALYZER_SCAN_DEVICE_LISTING_H
#define ANALYZER_SCAN_DEVICE_LISTING_H

#include "analyzer/scan/device_plan.h"

/* Chunks of a window, 16 bytes each: 64 million inodes. */
#define DEVICE_LISTING_CHUNKS (1U << 20)

struct device_listing;

/* A listing of what scan->live->fd is open on. Returns 0 or -ENOMEM. */
int device_listing_new(struct device_listing **listing, const struct device_scan *scan);
void device_listing_free(struct device_listing *listing);

/*
 * The next window: the chunks with inodes in use among the numbers *@first ≤ number < *@end, which
 * go on where the last window ended; all numbers are in some window, 2^64 - 1 but not counted.
 * *@first == *@end is the end. The chunks may be written to and are valid until the next call.
 * Returns 0; -EPERM, -ENOTTY and others of bulkstat_chunks(). An AG whose B+tree the kernel cannot
 * read goes to the sink.
 */
int device_listing_next(struct device_listing *listing, struct device_chunk **chunks, size_t *count,
	uint64_t *first, uint64_t *end);

/* Records seen so far. */
uint64_t device_listing_records(const struct device_listing *listing);

#endif
