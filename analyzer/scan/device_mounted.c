// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_mounted.h; live.h tells why it is right to merge the device with the log's inodes.
 * The inodes in the log are in memory, so asking for them is quick.
 */
#include "analyzer/scan/device_mounted.h"

#include "analyzer/scan/device_log.h"
#include "analyzer/scan/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define ASK_BATCH 1024

struct device_mounted {
	int fd;
	struct log_source log;
	struct log_changes changes; /* of the window at hand */
	struct bulkstat *bulkstat;
	const struct device_sink *sink;
	struct device_live live;
};

static int collect(const struct inode_set **logged, void *context, struct err *err)
{
	struct device_mounted *mounted = context;
	int rc;

	log_changes_fini(&mounted->changes);
	log_changes_init(&mounted->changes);
	rc = live_collect(mounted->fd, &mounted->log, &mounted->changes, err);
	*logged = &mounted->changes.logged;
	return rc;
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

static int take_one(const struct xfs_inode *inode, void *context)
{
	const struct device_mounted *mounted = context;
	const struct device_sink *sink = mounted->sink;

	if (sink->directory_later && S_ISDIR(inode->mode))
		leave_directory(sink, inode->ino);
	return sink->inode(inode, 0, sink->context);
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

	if (fstat(mounted->fd, &st))
		return err_set_errno(err, -errno, "looking at the mount");
	rc = log_range_mounted(st.st_dev, &range, err);
	if (rc)
		return rc;
	rc = bulkstat_chunks(mounted->bulkstat, &next, &chunks, &count);
	return rc && rc != -EUCLEAN ? err_set_errno(err, rc, "asking for the inode chunks") : 0;
}

int device_mounted_new(struct device_mounted **result, int fd, const struct device_source *source,
	const struct disk_super *super, struct err *err)
{
	struct device_mounted *mounted;
	int rc;

	if (!source->direct)
		return err_set(err, -EOPNOTSUPP,
			"mounted, and its device cannot be read past the page cache");
	if (!super->log_start)
		return err_set(err, -EOPNOTSUPP, "mounted, with its log on another device");
	mounted = calloc(1, sizeof(*mounted));
	if (!mounted)
		return err_set(err, -ENOMEM, "out of memory");
	mounted->fd = fd;
	log_changes_init(&mounted->changes);
	device_log_describe(&mounted->log, source, super);
	rc = bulkstat_new(&mounted->bulkstat, fd, ASK_BATCH, BULKSTAT_AUTO);
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
		.fd = mounted->fd, .collect = collect, .take = take, .context = mounted};
	return &mounted->live;
}

int device_mounted_ask(const struct device_mounted *mounted, uint64_t ino, struct xfs_inode *inode)
{
	struct bulkstat *bulkstat;
	int rc = bulkstat_new(&bulkstat, mounted->fd, 1, BULKSTAT_AUTO);

	if (rc)
		return rc;
	rc = bulkstat_single(bulkstat, ino, inode);
	bulkstat_free(bulkstat);
	return rc;
}
