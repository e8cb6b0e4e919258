/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocation groups of a device: their AGIs, and what a scan finds behind them. */
#ifndef ANALYZER_SCAN_DEVICE_AG_H
#define ANALYZER_SCAN_DEVICE_AG_H

#include "analyzer/scan/device_scan.h"
#include "analyzer/xfs/disk/agi.h"

/* What an AGI promises and what its tree holds. */
struct device_ag {
	struct disk_agi agi;    /* all zero unless sound */
	uint64_t seen;          /* inodes in records */
	uint64_t seen_free;     /* of them free */
	unsigned seen_internal; /* of them the filesystem's own */
	bool sound;             /* the AGI could be read */
};

/*
 * Reads the AGIs of @count AGs from @first on into @ags, several at a time. Damaged ones go to the
 * sink. Returns 0, -ENOMEM, or an errno of the reader.
 */
int device_ags_read(const struct device_scan *scan, struct device_reader *reader, uint32_t first,
	uint32_t count, struct device_ag *ags);

/* The first AG from @agno on, below @end, whose AGI is not in a hole of a sparse image, or @end. */
uint32_t device_ag_after_hole(const struct device_scan *scan, uint32_t agno, uint32_t end);

/* The first AG from @agno on, below @end, whose AGI is in such a hole, or @end. */
uint32_t device_ag_next_hole(const struct device_scan *scan, uint32_t agno, uint32_t end);

/* Tells the sink of a failure in AG @agno; arguments as for failures_add(). */
void device_ag_failed(const struct device_scan *scan, uint32_t agno, uint64_t inodes, int code,
	const char *message, unsigned worker);

#endif
