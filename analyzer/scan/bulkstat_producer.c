// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See bulkstat_scan.h. Asks for the inode chunks and cuts the inode numbers into ranges.
 *
 * A call that starts behind the last chunk of an AG goes on to the next, and meets the damage of
 * that one. So before an AG is blamed it is asked for alone.
 */
#include "analyzer/scan/bulkstat_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

bool bulkstat_is_local(int rc)
{
	return rc == -EUCLEAN || rc == -EBADMSG || rc == -EIO || rc == -EINVAL ||
	       rc == -EOVERFLOW || rc == -ENODATA;
}

bool bulkstat_has_shut_down(struct bulkstat *bulkstat, int rc)
{
	const struct xfs_inode *inodes;
	uint64_t next = 0;
	unsigned count;

	if (rc != -EIO)
		return false;
	bulkstat_set_batch(bulkstat, 1);
	return bulkstat_next(bulkstat, &next, &inodes, &count) == -EIO;
}

int bulkstat_chunks_at(const struct bulkstat_scan *scan, struct bulkstat *bulkstat, uint64_t *next,
	const struct xfs_chunk **chunks, unsigned *count)
{
	uint32_t agno = xfs_agno_of_inode(&scan->geometry, *next);
	bool is_old = bulkstat_version_used(bulkstat) == BULKSTAT_V1;
	int rc;

	if (is_old)
		rc = bulkstat_chunks(bulkstat, next, chunks, count);
	else
		rc = bulkstat_chunks_in_ag(bulkstat, agno, next, chunks, count);
	if (!rc && !*count && !is_old && agno + 1 < scan->geometry.agcount)
		*next = xfs_first_inode_of_ag(&scan->geometry, agno + 1);
	else if (!rc && !*count)
		*next = UINT64_MAX;
	return rc;
}

/* Gives the range so far to the workers, as one that ends at @end, and begins the next there. */
static int cut_range(struct bulkstat_scan *scan, struct range *range, uint64_t end)
{
	int rc;

	range->end = end;
	rc = range->start < end ? pool_push(scan->pool, range) : 0;
	*range = (struct range){.start = end};
	return rc;
}

static int add_chunks(struct bulkstat_scan *scan, struct range *range,
	const struct xfs_chunk *chunks, unsigned count)
{
	int rc = 0;

	scan->job->info->inode_chunks += count;
	for (unsigned i = 0; i < count && !rc; i++) {
		if (range->expected + chunks[i].alloc_count > BULKSTAT_RANGE_INODES)
			rc = cut_range(scan, range, chunks[i].first_ino);
		range->expected += chunks[i].alloc_count;
	}
	return rc;
}

/*
 * Gives up the rest of the AG at *@next after error @code: tallies it, and moves *@next and the
 * start of the next range to the following AG.
 */
static int skip_ag(struct bulkstat_scan *scan, struct range *range, uint64_t *next, int code)
{
	bool certain = bulkstat_version_used(scan->chunks) != BULKSTAT_V1;
	uint32_t agno = xfs_agno_of_inode(&scan->geometry, *next);
	char text[BULKSTAT_PLACE_BYTES];
	int rc;

	snprintf(text, sizeof(text), "AG %" PRIu32 "%s, inode chunks from inode %" PRIu64 " on",
		agno, certain ? "" : " or the next in use", *next);
	failures_add(&scan->failures, FAILURE_AG, 0, code, text);
	rc = cut_range(scan, range, *next);
	*next = xfs_first_inode_of_ag(&scan->geometry, agno + 1);
	range->start = *next;
	return rc;
}

/* After error @code of INUMBERS at *@next: goes on in the AG if it is another that is damaged. */
static int go_around(struct bulkstat_scan *scan, struct range *range, uint64_t *next, int code)
{
	const struct xfs_chunk *chunks;
	uint64_t from = *next;
	unsigned count;
	int rc;

	if (!bulkstat_is_local(code))
		return code;
	if (bulkstat_has_shut_down(scan->chunks, code))
		return -ESHUTDOWN;
	bulkstat_set_batch(scan->chunks, BULKSTAT_CHUNKS_PER_CALL);
	rc = bulkstat_chunks_at(scan, scan->chunks, next, &chunks, &count);
	if (!rc)
		return add_chunks(scan, range, chunks, count);
	*next = from;
	return bulkstat_is_local(rc) ? skip_ag(scan, range, next, rc) : rc;
}

static bool is_past_end(const struct bulkstat_scan *scan, uint64_t ino)
{
	return xfs_agno_of_inode(&scan->geometry, ino) >= scan->geometry.agcount;
}

int bulkstat_produce(struct bulkstat_scan *scan)
{
	struct range range = {0};
	uint64_t next = 0;
	unsigned count;
	int rc;

	do {
		const struct xfs_chunk *chunks;

		rc = bulkstat_chunks(scan->chunks, &next, &chunks, &count);
		if (rc) {
			rc = go_around(scan, &range, &next, rc);
			count = !is_past_end(scan, next);
		} else {
			rc = add_chunks(scan, &range, chunks, count);
		}
	} while (!rc && count);
	return rc ? rc : cut_range(scan, &range, UINT64_MAX);
}
