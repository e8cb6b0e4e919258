// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See bulkstat_scan.h. BULKSTAT reads the AG from one end to the other. On a quiet filesystem every
 * inode is taken once; on a live one none is taken twice, and what is there from the beginning to
 * the end is taken. INUMBERS then counts the chunks, while the inode B+tree is still in memory: a
 * disk that had to seek for it before lost a tenth of its speed.
 *
 * v1 cannot be asked for one AG and goes on to the next; what lies past the end is dropped, and
 * asking for less at a time keeps that small.
 *
 * A damaged inode fails the call that meets it. The chunk that it lies in is then read inode by
 * inode, what fails is tallied, and the AG goes on after the chunk. Where the inode B+tree is
 * damaged, even the chunk cannot be had, and the AG ends.
 */
#include "analyzer/scan/bulkstat_scan.h"

#include "analyzer/scan/answer.h"
#include "analyzer/scan/record.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define INODES_PER_V1_CALL 512
#define CHUNKS_PER_CALL    1024
#define PLACE_BYTES        96 /* of the text that says where a failure is */

/* What is left to read of an AG: inode numbers start ≤ ino < end. */
struct range {
	uint32_t agno;
	uint64_t start;
	uint64_t end;
	bool is_cut; /* the rest of the AG is given up, and tallied */
};

/* Neighbours that cannot be read. */
struct lost {
	uint64_t first;
	uint64_t last;
	unsigned count; /* of them in use */
	int code;
};

/* --- Failures ------------------------------------------------------------------------------- */

static void add_lost(struct failures *failures, uint32_t agno, const struct lost *lost)
{
	bool one = lost->first == lost->last;
	char text[PLACE_BYTES];

	if (one)
		snprintf(text, sizeof(text), "AG %" PRIu32 ", inode %" PRIu64, agno, lost->first);
	else
		snprintf(text, sizeof(text), "AG %" PRIu32 ", inodes %" PRIu64 " to %" PRIu64, agno,
			lost->first, lost->last);
	failures_add(
		failures, one ? FAILURE_INODE : FAILURE_INODE_CHUNK, lost->count, lost->code, text);
}

/* Tallies that the chunks from @next on cannot be had, and gives the rest of the AG up. */
static void cut(struct reader *reader, struct range *range, uint64_t next, int code)
{
	bool certain = bulkstat_version_used(reader->bulkstat) != BULKSTAT_V1;
	char text[PLACE_BYTES];

	snprintf(text, sizeof(text), "AG %" PRIu32 "%s, inode chunks from inode %" PRIu64 " on",
		range->agno, certain ? "" : " or the next in use", next);
	failures_add(&reader->census->failures, FAILURE_AG, 0, code, text);
	range->is_cut = true;
}

/* Whether an error is of the place that was read, so that the scan can go on elsewhere. */
static bool is_local(int rc)
{
	return rc == -EUCLEAN || rc == -EBADMSG || rc == -EIO || rc == -EINVAL ||
	       rc == -EOVERFLOW || rc == -ENODATA;
}

/*
 * After an error: whether the filesystem is gone altogether. When it has shut itself down, every
 * call is an I/O error, even for the first inode, which is in memory as long as it is mounted.
 */
static bool has_shut_down(struct bulkstat *bulkstat, int rc)
{
	const struct xfs_inode *inodes;
	uint64_t next = 0;
	unsigned count;

	if (rc != -EIO)
		return false;
	bulkstat_set_batch(bulkstat, 1);
	return bulkstat_next(bulkstat, &next, &inodes, &count) == -EIO;
}

/* 0 if the scan can go on elsewhere after error @code, else what it ends with. */
static int judge(struct bulkstat *bulkstat, int code)
{
	if (!is_local(code))
		return code;
	return has_shut_down(bulkstat, code) ? -ESHUTDOWN : 0;
}

/* --- Inodes --------------------------------------------------------------------------------- */

static int take_inode(
	const struct bulkstat_scan *scan, struct reader *reader, const struct xfs_inode *given)
{
	struct xfs_inode inode = *given;
	char what[ANSWER_TEXT_BYTES];
	struct dump_measure measure;
	struct inode_record record;
	int rc = answer_complete(scan->fd, &inode, what);

	if (rc)
		failures_add(&reader->census->failures, FAILURE_ATTRIBUTES, 0, rc, what);
	record_from_xfs(&record, &inode);
	if (scan->job->join &&
		directory_join_inode(scan->job->join, (unsigned)(reader - scan->readers), &record))
		return -ENOMEM;
	record_measure(&measure, &inode);
	return census_add_measured(reader->census, &record, &measure);
}

/* Takes the inodes that lie before @end; *@taken says how many. */
static int take_inodes(const struct bulkstat_scan *scan, struct reader *reader,
	const struct xfs_inode *inodes, unsigned count, uint64_t end, unsigned *taken)
{
	unsigned i;

	for (i = 0; i < count && inodes[i].ino < end; i++) {
		int rc = take_inode(scan, reader, &inodes[i]);

		if (rc)
			return rc;
	}
	progress_add(scan->job->options->progress, i);
	*taken = i;
	return 0;
}

/* Reads a chunk inode by inode, those of @range only, and tallies what cannot be read. */
static int read_singly(const struct bulkstat_scan *scan, struct reader *reader,
	const struct xfs_chunk *chunk, const struct range *range)
{
	struct lost lost = {0};

	for (unsigned i = 0; i < XFS_CHUNK_INODES; i++) {
		uint64_t ino = chunk->first_ino + i;
		struct xfs_inode inode;
		int rc;

		if (!(chunk->alloc_mask >> i & 1) || ino < range->start || ino >= range->end)
			continue;
		rc = bulkstat_single(reader->bulkstat, ino, &inode);
		if (!rc)
			rc = take_inode(scan, reader, &inode);
		if (!rc || rc == -ENOENT)
			continue;
		if (!is_local(rc))
			return rc;
		lost.first = lost.count ? lost.first : ino;
		lost.last = ino;
		lost.count++;
		lost.code = rc;
	}
	if (lost.count)
		add_lost(&reader->census->failures, range->agno, &lost);
	return 0;
}

/*
 * After error @code at range->start: reads what can be read of the chunk that it lies in, and moves
 * range->start past that chunk. Where not even the chunk can be had, the range ends.
 */
static int read_around(
	const struct bulkstat_scan *scan, struct reader *reader, struct range *range, int code)
{
	const struct xfs_chunk *chunks;
	uint64_t next = range->start;
	struct xfs_chunk chunk;
	unsigned count;
	int rc = judge(reader->bulkstat, code);

	if (rc)
		return rc;
	bulkstat_set_batch(reader->bulkstat, 1);
	rc = bulkstat_chunks_in_ag(reader->bulkstat, range->agno, &next, &chunks, &count);
	if (is_local(rc))
		cut(reader, range, range->start, rc);
	if (rc || !count || chunks[0].first_ino >= range->end) {
		range->start = range->end;
		return is_local(rc) ? 0 : rc;
	}
	chunk = chunks[0];
	rc = read_singly(scan, reader, &chunk, range);
	range->start = chunk.first_ino + XFS_CHUNK_INODES;
	return rc;
}

/* Reads the next inodes of @range and moves its start past them; to its end once it is done. */
static int read_some(const struct bulkstat_scan *scan, struct reader *reader, struct range *range)
{
	bool is_old = bulkstat_version_used(reader->bulkstat) == BULKSTAT_V1;
	const struct xfs_inode *inodes;
	uint64_t next = range->start;
	unsigned count, taken = 0;
	int rc;

	bulkstat_set_batch(reader->bulkstat, is_old ? INODES_PER_V1_CALL : BULKSTAT_BATCH);
	rc = bulkstat_next_in_ag(reader->bulkstat, range->agno, &next, &inodes, &count);
	if (rc)
		return read_around(scan, reader, range, rc);
	rc = take_inodes(scan, reader, inodes, count, range->end, &taken);
	range->start = count && taken == count ? next : range->end;
	return rc;
}

/* --- Chunks --------------------------------------------------------------------------------- */

static unsigned chunks_before(uint64_t end, const struct xfs_chunk *chunks, unsigned count)
{
	unsigned i = 0;

	while (i < count && chunks[i].first_ino < end)
		i++;
	return i;
}

/* Counts the chunks of @range, whose inodes have been read. */
static int count_chunks(struct reader *reader, struct range *range)
{
	uint64_t next = range->start;
	unsigned count, mine;
	int rc;

	bulkstat_set_batch(reader->bulkstat, CHUNKS_PER_CALL);
	do {
		const struct xfs_chunk *chunks;

		rc = bulkstat_chunks_in_ag(reader->bulkstat, range->agno, &next, &chunks, &count);
		if (rc)
			break;
		mine = chunks_before(range->end, chunks, count);
		reader->inode_chunks += mine;
	} while (mine && mine == count);
	if (rc && !range->is_cut) {
		rc = judge(reader->bulkstat, rc);
		if (!rc)
			cut(reader, range, next, rc);
	}
	return is_local(rc) ? 0 : rc;
}

int bulkstat_read_ag(const struct bulkstat_scan *scan, struct reader *reader, uint32_t agno)
{
	struct range range = {
		.agno = agno,
		.start = xfs_first_inode_of_ag(&scan->geometry, agno),
		.end = xfs_first_inode_of_ag(&scan->geometry, agno + 1),
	};
	struct range whole = range;
	int rc = 0;

	while (!rc && range.start < range.end) {
		if (progress_cancelled(scan->job->options->progress))
			return -ECANCELED;
		rc = read_some(scan, reader, &range);
	}
	whole.is_cut = range.is_cut;
	return rc ? rc : count_chunks(reader, &whole);
}
