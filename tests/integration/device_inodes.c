// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints every inode that the device engine finds, one a line, for comparison with other tools:
 *
 *	device_inodes [-q] [-b|-d] [-u|-t] [-j JOBS] [-g GAP] [-m MOUNT] DEVICE|IMAGE
 *
 * ino mode nlink uid gid projid size blocks extents attr_extents mtime ctime gen xflags attr_fork,
 * negative times as unsigned numbers, which is how xfs_io prints them.
 *
 * -m says where it is mounted, for a filesystem that is frozen: chunks are then taken from there.
 * -q counts only, -b reads through the page cache, -d past it, -u insists on io_uring, -t on
 * threads. Failures go to standard error; the exit status is 1 if there were any, 2 if nothing
 * could be done.
 */
#include "analyzer/census/census.h"
#include "analyzer/scan/device_log.h"
#include "analyzer/scan/device_scan.h"
#include "analyzer/scan/device_super.h"
#include "analyzer/scan/record.h"
#include "base/clock.h"
#include "base/units.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_JOBS 64

struct job {
	bool quiet;
	pthread_mutex_t lock; /* of the two streams */
	uint64_t failures;
	uint64_t missing;
	struct census parts[MAX_JOBS];
};

static int take_inode(const struct xfs_inode *inode, const struct dump_measure *measure,
	unsigned worker, void *context)
{
	struct job *job = context;
	struct inode_record record;

	record_from_xfs(&record, inode);
	if (!job->quiet)
		printf("%" PRIu64 " %o %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64
		       " %" PRIu64 " %u %x %d\n",
			inode->ino, inode->mode, inode->nlink, inode->uid, inode->gid,
			inode->projid, inode->size_bytes, inode->blocks, inode->extents,
			inode->attr_extents, (uint64_t)inode->mtime_seconds,
			(uint64_t)inode->ctime_seconds, inode->generation, inode->xflags,
			inode->attr_fork);
	return census_add_measured(&job->parts[worker], &record, measure);
}

static void take_failure(enum failure_kind kind, uint64_t inodes, int code, const char *what,
	unsigned worker, void *context)
{
	struct job *job = context;

	(void)worker;
	pthread_mutex_lock(&job->lock);
	fprintf(stderr, "%s: %d: %" PRIu64 ": %s\n", failure_kind_name(kind), code, inodes, what);
	job->failures++;
	job->missing += inodes;
	pthread_mutex_unlock(&job->lock);
}

/* Nothing is in the log of a frozen filesystem that is not on the device. */
static int collect(const struct inode_set **logged, void *context, struct err *err)
{
	(void)context;
	(void)err;
	*logged = NULL;
	return 0;
}

static int take_logged(uint64_t first, uint64_t end, void *context, struct err *err)
{
	(void)first;
	(void)end;
	(void)context;
	(void)err;
	return 0;
}

static void ignore_failure(enum failure_kind kind, uint64_t inodes, int code, const char *what,
	unsigned worker, void *context)
{
	(void)kind;
	(void)inodes;
	(void)code;
	(void)what;
	(void)worker;
	(void)context;
}

/* Whether the log, if it is on the same device, ends with an unmount. */
static bool is_settled(const struct device_source *source, const struct disk_super *super)
{
	const struct device_sink sink = {.failure = ignore_failure};
	struct device_log_end end;
	struct log_source log;

	if (!super->log_start)
		return false;
	device_log_describe(&log, source, super);
	return !device_log_tell(&log, super, &sink, &end) && end.clean;
}

static int run(struct job *job, const struct device_options *options, unsigned workers,
	const char *path, const struct device_live *live, struct err *err)
{
	const struct device_sink sink = {
		.inode = take_inode, .failure = take_failure, .context = job};
	struct device_source source;
	struct disk_super super;
	struct device_scan scan = {
		.source = &source,
		.super = &super,
		.options = options,
		.sink = &sink,
		.live = live,
		.workers = workers,
	};
	struct census census;
	int64_t start_ns = clock_monotonic_ns();
	int rc = device_source_open(&source, path, 0, options->caching, err);

	if (rc)
		return rc;
	rc = device_super_read(&super, &source, !live, err);
	for (unsigned i = 0; i < workers; i++)
		census_init(&job->parts[i], super.block_bytes, 0);
	census_init(&census, super.block_bytes, 0);
	if (!rc && !live)
		rc = device_super_check_quota(&super, &source, &sink);
	scan.settled = !rc && !live && !super.copy_agno && is_settled(&source, &super);
	if (!rc)
		rc = device_scan_run(&scan, err);
	for (unsigned i = 0; i < workers; i++) {
		census_merge(&census, &job->parts[i]);
		census_fini(&job->parts[i]);
	}
	if (job->quiet && !rc)
		printf("%" PRIu64 " inodes, %" PRIu64 " chunks, %" PRIu64 " failures, %" PRIu64
		       " missing, %.3f s, read %" PRIu64 " of %" PRIu64 " bytes, %s%s\n",
			census.inodes, scan.chunks, job->failures, job->missing,
			clock_seconds_since(start_ns), scan.read_bytes, scan.inode_bytes,
			scan.io == DEVICE_IO_URING ? "io_uring" : "threads",
			source.direct ? ", direct" : "");
	census_fini(&census);
	device_source_close(&source);
	return rc;
}

int main(int argc, char **argv)
{
	static struct job job = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct device_options options = {0};
	struct device_live live = {.fd = -1, .collect = collect, .take = take_logged};
	struct err err = {0};
	unsigned workers = 2;
	int option;

	while ((option = getopt(argc, argv, "qbdutj:g:m:")) != -1) {
		switch (option) {
		case 'q':
			job.quiet = true;
			break;
		case 'b':
			options.caching = DEVICE_CACHING_BUFFERED;
			break;
		case 'd':
			options.caching = DEVICE_CACHING_DIRECT;
			break;
		case 'u':
			options.io = DEVICE_IO_URING;
			break;
		case 't':
			options.io = DEVICE_IO_THREADS;
			break;
		case 'j':
			workers = (unsigned)min_u64(strtoul(optarg, NULL, 10), MAX_JOBS);
			break;
		case 'g':
			if (unit_parse_bytes(optarg, &options.gap_bytes))
				return 2;
			break;
		case 'm':
			live.fd = open(optarg, O_RDONLY | O_CLOEXEC);
			if (live.fd < 0)
				return 2;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc || !workers)
		return 2;
	if (run(&job, &options, workers, argv[optind], live.fd < 0 ? NULL : &live, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 2;
	}
	return job.failures ? 1 : 0;
}
