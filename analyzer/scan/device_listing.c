// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_listing.h. The kernel answers from memory, so the list is that of this moment. Its
 * order is that of inode numbers, hence of AGs and, in each, of the disk. It may name AGs that came
 * with growth after the superblock was read; they lie where AGs of that number lie.
 */
#include "analyzer/scan/device_listing.h"

#include "analyzer/xfs/bulkstat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNKS_PER_CALL 1024

struct device_listing {
	const struct device_scan *scan;
	struct bulkstat *bulkstat;
	struct device_chunk *chunks;
	size_t capacity;
	size_t count;
	uint64_t next; /* number to go on from */
	uint64_t records;
	bool ended;
};

int device_listing_new(struct device_listing **result, const struct device_scan *scan)
{
	struct device_listing *listing = calloc(1, sizeof(*listing));
	int rc;

	*result = NULL;
	if (!listing)
		return -ENOMEM;
	listing->scan = scan;
	rc = bulkstat_new(&listing->bulkstat, scan->live->fd, CHUNKS_PER_CALL, BULKSTAT_AUTO);
	if (rc)
		device_listing_free(listing);
	else
		*result = listing;
	return rc;
}

void device_listing_free(struct device_listing *listing)
{
	if (!listing)
		return;
	bulkstat_free(listing->bulkstat);
	free(listing->chunks);
	free(listing);
}

/* Makes room for another call's chunks: the array grows with the filesystem, up to a window. */
static int make_room(struct device_listing *listing)
{
	size_t capacity = 2 * listing->capacity + CHUNKS_PER_CALL;
	struct device_chunk *chunks;

	if (listing->count + CHUNKS_PER_CALL <= listing->capacity)
		return 0;
	chunks = reallocarray(listing->chunks, capacity, sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	listing->chunks = chunks;
	listing->capacity = capacity;
	return 0;
}

static void add_chunk(struct device_listing *listing, const struct xfs_chunk *chunk)
{
	const struct disk_super *super = listing->scan->super;

	listing->records++;
	if (!chunk->alloc_mask)
		return;
	listing->chunks[listing->count++] = (struct device_chunk){
		.used = chunk->alloc_mask,
		.agno = (uint32_t)(chunk->first_ino >> super->agino_log),
		.first = (uint32_t)(chunk->first_ino & ((1ULL << super->agino_log) - 1)),
	};
}

/* Tells that the rest of an AG is unknown, and goes on with the next one. */
static void skip_ag(struct device_listing *listing, int code)
{
	const struct device_sink *sink = listing->scan->sink;
	uint8_t agino_log = listing->scan->super->agino_log;
	uint64_t agno = listing->next >> agino_log;
	char what[96];

	snprintf(what, sizeof(what), "AG %llu: the kernel cannot read its inode tree",
		(unsigned long long)agno);
	sink->failure(FAILURE_AG, 0, code, what, 0, sink->context);
	listing->next = (agno + 1) << agino_log;
	listing->ended = agno + 1 >= listing->scan->super->agcount;
}

static int list_more(struct device_listing *listing)
{
	const struct xfs_chunk *chunks;
	unsigned count;
	int rc = make_room(listing);

	if (rc)
		return rc;
	rc = bulkstat_chunks(listing->bulkstat, &listing->next, &chunks, &count);
	if (rc == -EUCLEAN || rc == -EIO) {
		skip_ag(listing, rc);
		return 0;
	}
	for (unsigned i = 0; i < count && !rc; i++)
		add_chunk(listing, &chunks[i]);
	listing->ended = !rc && !count;
	return rc;
}

int device_listing_next(struct device_listing *listing, struct device_chunk **chunks, size_t *count,
	uint64_t *first, uint64_t *end)
{
	int rc = 0;

	*first = listing->next;
	listing->count = 0;
	while (!rc && !listing->ended && listing->count < DEVICE_LISTING_CHUNKS)
		rc = list_more(listing);
	if (listing->ended && !rc)
		listing->next = UINT64_MAX;
	*chunks = listing->chunks;
	*count = listing->count;
	*end = listing->next;
	return rc;
}

uint64_t device_listing_records(const struct device_listing *listing)
{
	return listing->records;
}
