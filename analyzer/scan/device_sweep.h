/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads for a list of ranges of the device, in the order of the disk: ranges that lie near each
 * other become one read, long ranges several.
 */
#ifndef ANALYZER_SCAN_DEVICE_SWEEP_H
#define ANALYZER_SCAN_DEVICE_SWEEP_H

#include "analyzer/scan/device_scan.h"

/* Long ranges are cut at multiples of this from their start. */
#define DEVICE_CUT_BYTES (DEVICE_BUFFER_BYTES / 2)

struct device_range {
	uint64_t start; /* byte on the device */
	uint64_t bytes; /* above 0 */
};

/* Range @index of the list, which ascends by start. */
typedef struct device_range (*device_range_fn)(uint32_t index, const void *context);

struct device_sweep {
	const struct device_scan *scan;
	uint64_t gap_bytes; /* gaps up to this are read through */
	device_range_fn range;
	const void *context;
	uint32_t count; /* of ranges */
	uint32_t next;  /* range to be read next, 0 at first */
	uint32_t cut;   /* of that range, to be read next, 0 at first */
};

/* The ranges that a read is for, and the part of each of them: all of it, or a cut. */
struct device_share {
	uint32_t first;
	uint32_t count;
	uint64_t from; /* bytes from the range's start, below its length */
	uint64_t to;   /* likewise; may be above its length */
};

/* The next read; false at the end, or if the scan was cancelled. */
bool device_sweep_next(struct device_sweep *sweep, struct device_read *read);

/* What a read that device_sweep_next() made is for. */
struct device_share device_sweep_share(const struct device_read *read);

#endif
