/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the superblock, the AGIs and the inode B+trees count, against each other: none of them has
 * anything else that shows what it lacks.
 */
#ifndef ANALYZER_SCAN_DEVICE_COUNTS_H
#define ANALYZER_SCAN_DEVICE_COUNTS_H

#include "analyzer/scan/device_ag.h"

/* All zero but for @scan at first. */
struct device_counts {
	const struct device_scan *scan;
	uint64_t allocated;     /* inodes as sound AGIs count them */
	uint64_t promised;      /* of them in use */
	uint64_t known;         /* in use by the AGI or by its tree, whichever has more */
	uint32_t lost_ags;      /* whose AGI is damaged or missing */
	unsigned lost_internal; /* inodes there that are the filesystem's own */
};

/* Takes AG @agno, whose tree has been read, and tells the sink where it differs from the AGI. */
void device_counts_add(struct device_counts *counts, uint32_t agno, const struct device_ag *ag);

/* Takes AGs that cannot be read, from @first on and below @end. */
void device_counts_lose(struct device_counts *counts, uint32_t first, uint32_t end);

/* Once all AGs are taken: tells the sink what the superblock counts and they do not. */
void device_counts_end(const struct device_counts *counts);

#endif
