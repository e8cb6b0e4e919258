// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inodes of a mounted XFS filesystem by INUMBERS and BULKSTAT.
 *
 * The calling thread asks for the inode chunks and cuts the inode numbers into ranges of some
 * thousand inodes in use; a bounded pool reads the ranges, see BULKSTAT_THREADS.
 *
 * Ranges tile all numbers from 0 to 2^64 - 1: each ends where the next one begins, which is the
 * first number of a chunk. BULKSTAT knows no end, so what lies past the end of the range is
 * dropped. Hence on a quiet filesystem every inode is taken once, and on a live one none is taken
 * twice: chunks that appear after INUMBERS went by lie in some range, and only in one.
 *
 * A range is asked for with room for one inode more than INUMBERS counted. The one more lies past
 * the end and proves that the range is complete, without a second call.
 *
 * A damaged inode fails the call that meets it. The chunk that it lies in is then read inode by
 * inode, what fails is tallied, and the range goes on after the chunk. Where an AG's inode B+tree
 * is damaged, the scan goes on with the next AG; see bulkstat_producer.c.
 */
#include "analyzer/scan/bulkstat_scan.h"
#include "analyzer/scan/record.h"
#include "analyzer/scan/trouble.h"
#include "analyzer/scan/walk_names.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The kernel looks every inode up under the lock of its AG's header. Two threads in one AG hand
 * that lock to each other for each inode: 1 M inodes took two threads 25 s, one thread 5 s. So one
 * reads inodes, while the caller's asks for chunks.
 */
#define BULKSTAT_THREADS 1

#define QUEUED_RANGES 8 /* for each worker */

/* --- Failures ------------------------------------------------------------------------------- */

/* Tallies the inode numbers of @place, of which place->expected are known to be missing. */
static void add_failure(const struct bulkstat_scan *scan, struct failures *failures,
	const struct range *place, int code)
{
	uint32_t agno = xfs_agno_of_inode(&scan->geometry, place->start);
	bool one = place->end == place->start + 1;
	char text[BULKSTAT_PLACE_BYTES];

	if (one)
		snprintf(text, sizeof(text), "AG %" PRIu32 ", inode %" PRIu64, agno, place->start);
	else
		snprintf(text, sizeof(text), "AG %" PRIu32 ", inodes %" PRIu64 " to %" PRIu64, agno,
			place->start, place->end - 1);
	failures_add(
		failures, one ? FAILURE_INODE : FAILURE_INODE_CHUNK, place->expected, code, text);
}

/* --- Workers -------------------------------------------------------------------------------- */

/* Finds out the blocks that bulkstat did not tell. An inode that is gone by now has none. */
static void complete_blocks(
	const struct bulkstat_scan *scan, struct reader *reader, struct xfs_inode *inode)
{
	int rc = xfs_inode_add_blocks(scan->fd, inode);
	char text[BULKSTAT_PLACE_BYTES];

	if (!rc || rc == -ESTALE || rc == -ENOENT)
		return;
	snprintf(text, sizeof(text), "AG %" PRIu32 ", inode %" PRIu64 ": blocks of its attributes",
		xfs_agno_of_inode(&scan->geometry, inode->ino), inode->ino);
	failures_add(&reader->census->failures, FAILURE_ATTRIBUTES, 0, rc, text);
}

static int take_inode(
	const struct bulkstat_scan *scan, struct reader *reader, const struct xfs_inode *inode)
{
	struct inode_record record;

	if (xfs_inode_lacks_blocks(inode)) {
		struct xfs_inode completed = *inode;

		complete_blocks(scan, reader, &completed);
		record_from_xfs(&record, &completed);
	} else {
		record_from_xfs(&record, inode);
	}
	if (scan->job->join && directory_join_inode(scan->job->join, &record))
		return -ENOMEM;
	return census_add(reader->census, &record);
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
	struct range lost = {0};
	int lost_code = 0;

	for (unsigned i = 0; i < XFS_CHUNK_INODES; i++) {
		uint64_t ino = chunk->first_ino + i;
		struct xfs_inode inode;
		int rc;

		if (!(chunk->alloc_mask >> i & 1) || ino < range->start || ino >= range->end)
			continue;
		rc = bulkstat_single(reader->bulkstat, ino, &inode);
		if (!rc)
			rc = take_inode(scan, reader, &inode);
		if (rc && rc != -ENOENT) {
			if (!bulkstat_is_local(rc))
				return rc;
			lost.start = lost.expected ? lost.start : ino;
			lost.end = ino + 1;
			lost.expected++;
			lost_code = rc;
		}
	}
	if (lost.expected)
		add_failure(scan, &reader->census->failures, &lost, lost_code);
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
	unsigned count;
	int rc;

	if (!bulkstat_is_local(code))
		return code;
	if (bulkstat_has_shut_down(reader->bulkstat, code))
		return -ESHUTDOWN;
	bulkstat_set_batch(reader->bulkstat, 1);
	rc = bulkstat_chunks_at(scan, reader->bulkstat, &next, &chunks, &count);
	if (rc) {
		add_failure(scan, &reader->census->failures, range, rc);
		range->start = range->end;
	} else if (!count) {
		range->start = min_u64(next, range->end);
	} else if (chunks[0].first_ino >= range->end) {
		range->start = range->end;
	} else {
		struct xfs_chunk chunk = chunks[0];

		rc = read_singly(scan, reader, &chunk, range);
		range->start = chunk.first_ino + XFS_CHUNK_INODES;
		return rc;
	}
	return bulkstat_is_local(rc) ? 0 : rc;
}

/* Reads the next inodes of @range and moves its start past them; to its end once it is done. */
static int read_some(const struct bulkstat_scan *scan, struct reader *reader, struct range *range)
{
	const struct xfs_inode *inodes;
	uint64_t next = range->start;
	unsigned count, taken = 0;
	int rc;

	bulkstat_set_batch(reader->bulkstat, range->expected + 1);
	rc = bulkstat_next(reader->bulkstat, &next, &inodes, &count);
	if (rc)
		return read_around(scan, reader, range, rc);
	rc = take_inodes(scan, reader, inodes, count, range->end, &taken);
	range->start = count && taken == count ? next : range->end;
	range->expected -= taken < range->expected ? taken : range->expected;
	return rc;
}

static int read_range(void *item, unsigned worker, void *context)
{
	const struct bulkstat_scan *scan = context;
	struct range *range = item;
	int rc = 0;

	while (!rc && range->start < range->end) {
		if (progress_cancelled(scan->job->options->progress))
			return -ECANCELED;
		rc = read_some(scan, &scan->readers[worker], range);
	}
	return rc;
}

/* --- The engine ----------------------------------------------------------------------------- */

static enum bulkstat_version version_wanted(const struct scan_options *options)
{
	return options->bulkstat_v1 ? BULKSTAT_V1 : BULKSTAT_AUTO;
}

/* Makes a real call, which is what tells whether there is the privilege and the ioctl. */
static int probe(int fd, enum bulkstat_version version)
{
	const struct xfs_inode *inodes;
	struct bulkstat *bulkstat;
	uint64_t next = 0;
	unsigned count;
	int rc = bulkstat_new(&bulkstat, fd, 1, version);

	if (rc)
		return rc;
	rc = bulkstat_next(bulkstat, &next, &inodes, &count);
	bulkstat_free(bulkstat);
	return rc;
}

static int bulkstat_usable(
	const struct scan_options *options, const struct scan_target *target, struct err *err)
{
	int rc;

	if (target->kind != TARGET_DIRECTORY && !target->mount_point)
		return err_set(err, -EOPNOTSUPP, "the filesystem is not mounted");
	if (!target->is_xfs)
		return err_set(err, -ENOTTY, "the filesystem is %s, not XFS", target->fs_type);
	rc = probe(target->fd, version_wanted(options));
	if (rc == -EPERM)
		return err_set(err, rc, "needs root (CAP_SYS_ADMIN)");
	if (rc == -ENOTTY || rc == -EOPNOTSUPP)
		return err_set(err, rc, "the kernel does not offer it");
	if (rc)
		return err_set_errno(err, rc, "the first inode cannot be read");
	return 0;
}

/* Says what the user may not expect. */
static void add_notes(const struct bulkstat_scan *scan)
{
	const struct scan_target *target = scan->job->target;
	struct scan_info *info = scan->job->info;

	info->whole_filesystem = true;
	if (!target->is_root)
		scan_info_add_reason(info, "counts the whole filesystem at %s, not only %s",
			target->mount_point ? target->mount_point : "?", target->path);
	if (bulkstat_version_used(scan->chunks) == BULKSTAT_V1)
		scan_info_add_reason(info, "by the old bulkstat ioctl (v1)");
	if (scan->failures.count[FAILURE_AG])
		scan_info_add_reason(
			info, "--engine=walk may still reach what the damaged AGs hold");
}

static int scan_init(struct bulkstat_scan *scan, struct scan_job *job)
{
	enum bulkstat_version version = version_wanted(job->options);
	unsigned jobs = job->options->jobs;
	int rc;

	*scan = (struct bulkstat_scan){.job = job, .fd = job->target->fd};
	failures_init(&scan->failures);
	scan->readers = calloc(jobs, sizeof(*scan->readers));
	if (!scan->readers)
		return -ENOMEM;
	rc = xfs_geometry_get(scan->fd, &scan->geometry);
	if (!rc)
		rc = bulkstat_new(&scan->chunks, scan->fd, BULKSTAT_CHUNKS_PER_CALL, version);
	for (unsigned i = 0; i < jobs && !rc; i++) {
		scan->readers[i].census = &job->parts[i];
		rc = bulkstat_new(
			&scan->readers[i].bulkstat, scan->fd, BULKSTAT_RANGE_INODES + 1, version);
	}
	return rc;
}

static void scan_fini(struct bulkstat_scan *scan)
{
	for (unsigned i = 0; scan->readers && i < scan->job->options->jobs; i++)
		bulkstat_free(scan->readers[i].bulkstat);
	free(scan->readers);
	bulkstat_free(scan->chunks);
	failures_fini(&scan->failures);
}

/* Starts the workers, feeds them and waits for them. */
static int read_all(struct bulkstat_scan *scan)
{
	const struct scan_options *options = scan->job->options;
	const struct pool_options pool_options = {
		.threads = BULKSTAT_THREADS,
		.item_bytes = sizeof(struct range),
		.capacity = (size_t)QUEUED_RANGES * options->jobs,
		.work = read_range,
		.context = scan,
	};
	int rc = pool_new(&scan->pool, &pool_options);

	if (rc)
		return rc;
	rc = bulkstat_produce(scan);
	if (rc)
		pool_stop(scan->pool, rc);
	return pool_join(scan->pool);
}

static int describe_error(const struct scan_job *job, int rc, struct err *err)
{
	const char *path = job->target->path;

	switch (rc) {
	case 0:
		return 0;
	case -ECANCELED:
		return err_set(err, rc, "stopped");
	case -ENOMEM:
		return err_set(err, rc, "out of memory");
	case -ESHUTDOWN:
		return trouble_shut_down(err, path);
	case -EAGAIN:
		return trouble_no_threads(err);
	default:
		return err_set_errno(err, rc, "%s: cannot read the inodes", path);
	}
}

/* Sizes and blocks of what was written lately are right only once it is on its way to the disk. */
static int bulkstat_run(struct scan_job *job, struct err *err)
{
	struct bulkstat_scan scan;
	int rc = scan_init(&scan, job);

	if (!rc) {
		progress_begin(job->options->progress, "inodes", job->target->inodes);
		syncfs(scan.fd);
		rc = read_all(&scan);
	}
	if (!rc) {
		failures_merge(&job->parts[0].failures, &scan.failures);
		add_notes(&scan);
	}
	scan_fini(&scan);
	if (rc)
		return describe_error(job, rc, err);
	return job->join ? walk_names(job, err) : 0;
}

const struct scan_engine engine_bulkstat = {
	.name = "bulkstat",
	.usable = bulkstat_usable,
	.run = bulkstat_run,
};
