// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_mounted.h; live.h tells why it is right to merge the device with the log's inodes.
 * The inodes in the log are in memory, so asking for them is quick.
 */
#include "analyzer/scan/device_mounted.h"

#include "analyzer/scan/answer.h"
#include "analyzer/scan/device_super.h"
#include "analyzer/scan/engine.h"
#include "analyzer/scan/live.h"
#include "analyzer/scan/record.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define ASK_BATCH 1024

struct device_mounted {
	struct device_mounted_setup setup;
	struct log_changes changes; /* of the window at hand */
	struct bulkstat *bulkstat;
	const struct device_sink *sink;
	struct device_live live;
	uint64_t merged;       /* inodes that were asked for since the log names them */
	bool waited;           /* since the log could not be read */
	double wait_seconds;   /* how long */
	struct err unreadable; /* why */
};

static void forget_changes(struct device_mounted *mounted)
{
	log_changes_fini(&mounted->changes);
	log_changes_init(&mounted->changes);
}

static bool follow_growth(struct device_mounted *mounted)
{
	bool grown = device_super_follow(mounted->setup.super, mounted->setup.fd);

	mounted->setup.log->agcount = mounted->setup.super->agcount;
	return grown;
}

/* Inodes in AGs that nobody knows of make no sense, unless the filesystem has grown since. */
static int read_log(struct device_mounted *mounted, struct err *err)
{
	const struct device_mounted_setup *setup = &mounted->setup;
	int rc;

	if (setup->fault == LOG_FAULT_READ)
		return err_set(err, -EUCLEAN, "a test forbids it");
	follow_growth(mounted);
	rc = live_collect(setup->fd, setup->log, &mounted->changes, err);
	if (rc != -EUCLEAN || !follow_growth(mounted))
		return rc;
	err_clear(err);
	forget_changes(mounted);
	return live_collect(setup->fd, setup->log, &mounted->changes, err);
}

static void set_activity(struct progress *progress, const char *activity)
{
	if (progress)
		atomic_store(&progress->activity, activity);
}

/* The other way to have the device tell the truth. */
static int wait_instead(struct device_mounted *mounted, struct err *err)
{
	double left = mounted->setup.fresh_seconds - mounted->wait_seconds;
	int64_t start_ns = clock_monotonic_ns();
	struct err late = {0};
	int rc;

	set_activity(mounted->setup.progress, "inodes, waiting for changes to reach the disk");
	rc = live_wait(mounted->setup.fd, left, mounted->setup.progress, &late);
	set_activity(mounted->setup.progress, "inodes");

	mounted->waited = true;
	mounted->wait_seconds += clock_seconds_since(start_ns);
	if (!rc || rc == -ECANCELED)
		return rc;
	return err_set(err, ENGINE_GIVES_WAY, "its log cannot be read (%s), and %s",
		mounted->unreadable.message, late.message);
}

/*
 * The chunks of the window were listed before. So after a wait the device holds all of their inodes
 * in a state not older than that list, and nothing needs to be left out.
 */
static int collect(const struct inode_set **logged, void *context, struct err *err)
{
	struct device_mounted *mounted = context;
	struct err unreadable = {0};
	int rc;

	forget_changes(mounted);
	*logged = &mounted->changes.logged;
	rc = read_log(mounted, &unreadable);
	if (!rc)
		return 0;
	if (rc == -ENOMEM)
		return err_set(err, rc, "%s", unreadable.message);
	forget_changes(mounted);
	mounted->unreadable = unreadable;
	return wait_instead(mounted, err);
}

/* A directory in the log may differ on the device; nobody has read its entries there. */
static void leave_directory(const struct device_sink *sink, uint64_t ino)
{
	int rc = sink->directory_later(ino, 0, sink->context);
	char what[96];

	if (!rc)
		return;
	snprintf(what, sizeof(what), "directory inode %" PRIu64 ": it is being changed", ino);
	sink->failure(FAILURE_READ_DIRECTORY, 0, rc, what, 0, sink->context);
}

static int take_one(const struct xfs_inode *given, void *context)
{
	struct device_mounted *mounted = context;
	const struct device_sink *sink = mounted->sink;
	struct xfs_inode inode = *given;
	struct dump_measure measure;
	char what[ANSWER_TEXT_BYTES];
	int rc = answer_complete(mounted->setup.fd, &inode, what);

	mounted->merged++;
	if (rc)
		sink->failure(FAILURE_ATTRIBUTES, 0, rc, what, 0, sink->context);
	if (sink->directory_later && S_ISDIR(inode.mode))
		leave_directory(sink, inode.ino);
	record_measure(&measure, &inode);
	return sink->inode(&inode, &measure, 0, sink->context);
}

static int fail_one(uint64_t ino, int code, void *context)
{
	const struct device_mounted *mounted = context;
	char what[96];

	snprintf(what, sizeof(what), "inode %" PRIu64 ": the kernel cannot read it", ino);
	mounted->sink->failure(FAILURE_INODE, 1, code, what, 0, mounted->sink->context);
	return 0;
}

static int take(uint64_t first, uint64_t end, void *context, struct err *err)
{
	struct device_mounted *mounted = context;
	const struct live_sink sink = {.inode = take_one, .failure = fail_one, .context = mounted};
	int rc =
		live_ask(mounted->bulkstat, ASK_BATCH, &mounted->changes.logged, first, end, &sink);

	if (mounted->setup.fault == LOG_FAULT_LATE)
		return err_set(err, ENGINE_GIVES_WAY, "its log cannot be read (a test forbids it)");
	return rc ? err_set_errno(err, rc, "asking for the inodes in the log") : 0;
}

/* Whether the kernel answers what will be asked of it. */
static int check(struct device_mounted *mounted, struct err *err)
{
	const struct xfs_chunk *chunks;
	struct log_range range;
	struct stat st;
	uint64_t next = 0;
	unsigned count;
	int rc;

	if (fstat(mounted->setup.fd, &st))
		return err_set_errno(err, -errno, "looking at the mount");
	rc = log_range_mounted(st.st_dev, &range, err);
	if (rc)
		return rc;
	rc = bulkstat_chunks(mounted->bulkstat, &next, &chunks, &count);
	return rc && rc != -EUCLEAN ? err_set_errno(err, rc, "asking for the inode chunks") : 0;
}

int device_mounted_new(
	struct device_mounted **result, const struct device_mounted_setup *setup, struct err *err)
{
	struct device_mounted *mounted = calloc(1, sizeof(*mounted));
	int rc;

	if (!mounted)
		return err_set(err, -ENOMEM, "out of memory");
	mounted->setup = *setup;
	log_changes_init(&mounted->changes);
	rc = bulkstat_new(&mounted->bulkstat, setup->fd, ASK_BATCH, BULKSTAT_AUTO);
	rc = rc ? err_set(err, rc, "out of memory") : check(mounted, err);
	if (rc)
		device_mounted_free(mounted);
	else
		*result = mounted;
	return rc;
}

void device_mounted_free(struct device_mounted *mounted)
{
	if (!mounted)
		return;
	bulkstat_free(mounted->bulkstat);
	log_changes_fini(&mounted->changes);
	free(mounted);
}

const struct device_live *device_mounted_live(
	struct device_mounted *mounted, const struct device_sink *sink)
{
	mounted->sink = sink;
	mounted->live = (struct device_live){
		.fd = mounted->setup.fd, .collect = collect, .take = take, .context = mounted};
	return &mounted->live;
}

void device_mounted_describe(const struct device_mounted *mounted, struct scan_info *info)
{
	char seconds[UNIT_TEXT_BYTES];

	if (mounted->waited)
		scan_info_add_reason(info,
			"waited %s for changes to reach the disk, as the log cannot be read: "
			"%s",
			unit_format_seconds(mounted->wait_seconds, seconds),
			mounted->unreadable.message);
	if (mounted->merged || !mounted->waited)
		scan_info_add_reason(info, "merged %" PRIu64 " inode%s from the log",
			mounted->merged, unit_plural(mounted->merged));
}

int device_mounted_ask(int fd, uint64_t ino, struct xfs_inode *inode)
{
	struct bulkstat *bulkstat;
	int rc = bulkstat_new(&bulkstat, fd, 1, BULKSTAT_AUTO);

	if (rc)
		return rc;
	rc = bulkstat_single(bulkstat, ino, inode);
	bulkstat_free(bulkstat);
	return rc;
}
