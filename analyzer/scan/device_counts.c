// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_counts.h. The filesystem's own inodes are counted by all three, but they are nobody's
 * loss.
 *
 * The superblock's counts are written when the filesystem is unmounted or frozen; what is said of
 * lost AGs may be as old as that. Where the log is empty they are right to the last inode.
 */
#include "analyzer/scan/device_counts.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* A sound AGI whose tree holds less or more. */
static void compare_ag(const struct device_scan *scan, uint32_t agno, const struct device_ag *ag,
	uint64_t promised, uint64_t found)
{
	uint64_t missing = promised - min_u64(promised, found);
	unsigned internal = disk_super_internal_count(scan->super, agno, agno + 1);
	char message[160];

	if (ag->agi.count == ag->seen && promised == found)
		return;
	missing -= min_u64(missing, internal - min_u64(internal, ag->seen_internal));
	snprintf(message, sizeof(message),
		"of the inodes, the inode header (AGI) counts %" PRIu64 " of %u in use, the inode "
		"tree %" PRIu64 " of %" PRIu64,
		promised, ag->agi.count, found, ag->seen);
	device_ag_failed(scan, agno, missing, -EUCLEAN, message, 0);
}

void device_counts_add(struct device_counts *counts, uint32_t agno, const struct device_ag *ag)
{
	uint64_t promised = ag->agi.count - ag->agi.free_count;
	uint64_t found = ag->seen - ag->seen_free;

	if (!ag->sound) {
		device_counts_lose(counts, agno, agno + 1);
		return;
	}
	counts->allocated += ag->agi.count;
	counts->promised += promised;
	counts->known += max_u64(promised, found);
	compare_ag(counts->scan, agno, ag, promised, found);
}

void device_counts_lose(struct device_counts *counts, uint32_t first, uint32_t end)
{
	counts->lost_ags += end - first;
	counts->lost_internal += disk_super_internal_count(counts->scan->super, first, end);
}

static uint64_t in_use(const struct disk_super *super)
{
	return super->inodes - min_u64(super->inodes, super->free_inodes);
}

/* Inodes in use by the superblock but for @known; 0 if it counts more than there can be. */
static uint64_t missing_of(const struct disk_super *super, uint64_t known)
{
	uint64_t most = super->data_blocks << super->inopb_log;

	return super->inodes > most ? 0 : in_use(super) - min_u64(in_use(super), known);
}

static void tell(const struct device_counts *counts, uint64_t missing, const char *message)
{
	const struct device_sink *sink = counts->scan->sink;

	sink->failure(FAILURE_AG, missing, -EUCLEAN, message, 0, sink->context);
}

/* What nobody else can tell of AGs without a sound AGI: the superblock counts their inodes too. */
static void tell_lost(const struct device_counts *counts)
{
	uint64_t missing =
		missing_of(counts->scan->super, counts->promised + counts->lost_internal);
	char message[128];

	if (!missing)
		return;
	snprintf(message, sizeof(message),
		"inodes in use in groups that could not be read, by the superblock: %" PRIu64,
		missing);
	tell(counts, missing, message);
}

/*
 * All AGs are sound. Only this finds out a superblock that knows of too few of them, and an AGI
 * that agrees with a tree that has lost something.
 */
static void compare_super(const struct device_counts *counts)
{
	const struct disk_super *super = counts->scan->super;
	uint64_t all = in_use(super);
	char message[192];

	if (super->inodes == counts->allocated && all == counts->promised)
		return;
	snprintf(message, sizeof(message),
		"of the inodes, the superblock counts %" PRIu64 " of %" PRIu64
		" in use, the inode headers (AGI) of its %u groups %" PRIu64 " of %" PRIu64,
		all, super->inodes, super->agcount, counts->promised, counts->allocated);
	tell(counts, missing_of(super, counts->known), message);
}

void device_counts_end(const struct device_counts *counts)
{
	if (counts->lost_ags)
		tell_lost(counts);
	else if (counts->scan->settled)
		compare_super(counts);
}
