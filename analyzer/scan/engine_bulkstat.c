// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inodes of a mounted XFS filesystem by BULKSTAT and INUMBERS, see bulkstat_ag.c.
 *
 * The unit of work is an allocation group: the kernel looks every inode up under the lock of its
 * AG's header, and two threads in one AG hand that lock to each other for each inode. 1 M inodes
 * took them 25 s, a single thread 5 s. So a worker has its AG for itself, and one that finds no
 * more AGs does not help another.
 *
 * Where seeking is slow, AGs are read one after the other: two workers make the head of a single
 * disk travel between their AGs, which took 1.5 times as long.
 */
#include "analyzer/scan/bulkstat_scan.h"
#include "analyzer/scan/trouble.h"
#include "analyzer/scan/walk_names.h"
#include "analyzer/scan/whole.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* On a disk that turns, seek_ns() was 16 to 25 ms; without one, on a busy machine, 0.3 ms. */
#define SLOW_SEEK_NS (2 * 1000 * 1000)
#define AGS_TO_ASK   2

static int read_ag(void *item, unsigned worker, void *context)
{
	const struct bulkstat_scan *scan = context;

	return bulkstat_read_ag(scan, &scan->readers[worker], *(uint32_t *)item);
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
static void add_notes(const struct bulkstat_scan *scan, bool is_old, bool is_damaged)
{
	struct scan_info *info = scan->job->info;

	whole_tell(scan->job->target, info);
	if (scan->seeks_slowly)
		scan_info_add_reason(info, "by one thread, since seeks are slow");
	if (is_old)
		scan_info_add_reason(info, "by the old bulkstat ioctl (v1)");
	if (is_damaged)
		scan_info_add_reason(
			info, "--engine=walk may still reach what the damaged AGs hold");
}

/* Puts together what the workers know beside their censuses. */
static void sum_up(const struct bulkstat_scan *scan)
{
	struct scan_info *info = scan->job->info;
	bool is_old = false, is_damaged = false;

	info->whole_filesystem = true;
	info->inode_chunks = 0;
	for (unsigned i = 0; i < scan->workers; i++) {
		const struct reader *reader = &scan->readers[i];

		info->inode_chunks += reader->inode_chunks;
		is_old |= bulkstat_version_used(reader->bulkstat) == BULKSTAT_V1;
		is_damaged |= reader->census->failures.count[FAILURE_AG] > 0;
	}
	add_notes(scan, is_old, is_damaged);
}

static int scan_init(struct bulkstat_scan *scan, struct scan_job *job)
{
	enum bulkstat_version version = version_wanted(job->options);
	int rc;

	*scan = (struct bulkstat_scan){.job = job, .fd = job->target->fd};
	rc = xfs_geometry_get(scan->fd, &scan->geometry);
	if (rc)
		return rc;
	scan->workers = (unsigned)min_u64(job->options->jobs, scan->geometry.agcount);
	scan->readers = calloc(scan->workers, sizeof(*scan->readers));
	if (!scan->readers)
		return -ENOMEM;
	for (unsigned i = 0; i < scan->workers && !rc; i++) {
		scan->readers[i].census = &job->parts[i];
		rc = bulkstat_new(&scan->readers[i].bulkstat, scan->fd, BULKSTAT_BATCH, version);
	}
	return rc;
}

static void scan_fini(struct bulkstat_scan *scan)
{
	for (unsigned i = 0; scan->readers && i < scan->workers; i++)
		bulkstat_free(scan->readers[i].bulkstat);
	free(scan->readers);
}

/* How long the first chunk of AG @agno takes to come: a seek or two in its inode B+tree. */
static int64_t seek_ns(const struct bulkstat_scan *scan, uint32_t agno)
{
	struct bulkstat *bulkstat = scan->readers[0].bulkstat;
	uint64_t next = xfs_first_inode_of_ag(&scan->geometry, agno);
	int64_t start_ns = clock_monotonic_ns();
	const struct xfs_chunk *chunks;
	unsigned count;

	bulkstat_set_batch(bulkstat, 1);
	bulkstat_chunks_in_ag(bulkstat, agno, &next, &chunks, &count); /* errors will come again */
	return clock_monotonic_ns() - start_ns;
}

/*
 * Whether every AG that is asked is slow: other work may hold any of them up, and where one is in
 * memory, so is probably most of it. Not AG 0, which has been read from already.
 */
static bool seeks_slowly(const struct bulkstat_scan *scan)
{
	bool slowly = scan->geometry.agcount > 1;

	for (uint32_t agno = 1; slowly && agno < scan->geometry.agcount && agno <= AGS_TO_ASK;
		agno++)
		slowly = seek_ns(scan, agno) > SLOW_SEEK_NS;
	return slowly;
}

/* Starts the workers, gives them one AG after the other and waits for them. */
static int read_all(struct bulkstat_scan *scan)
{
	struct pool_options options = {
		.threads = scan->workers,
		.item_bytes = sizeof(uint32_t),
		.capacity = scan->workers,
		.work = read_ag,
		.context = scan,
	};
	struct pool *pool;
	int rc;

	scan->seeks_slowly = scan->workers > 1 && seeks_slowly(scan);
	if (scan->seeks_slowly)
		options.threads = 1;
	rc = pool_new(&pool, &options);
	if (rc)
		return rc;
	for (uint32_t agno = 0; agno < scan->geometry.agcount && !rc; agno++)
		rc = pool_push(pool, &agno); /* an error is that of a worker */
	return pool_join(pool);
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
	if (!rc)
		sum_up(&scan);
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
