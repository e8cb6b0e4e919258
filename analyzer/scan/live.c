// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See live.h; freezing is in live_freeze.c.
 *
 * The log is a ring that the kernel goes on writing while it is read. The head is asked for once,
 * after the syncfs(): what comes later is no concern. If the kernel overwrites what was not read
 * yet, it had to write back what was there first, so to go on from the tail as it is now leaves out
 * nothing; the tail only moves towards the head and the end is certain, but for a small log under a
 * heavy load the tries are limited.
 */
#include "analyzer/scan/live.h"

#include "base/checked.h"
#include "base/clock.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COLLECT_TRIES 100
#define POLL_NS       (NS_PER_SECOND / 10)

/* Inode numbers within which members of a set are asked for in one call. */
#define ASK_SPAN 4096

/* Everything into the log; then the block device and the range of the log that matters. */
static int sync_range(int fd, dev_t *device, struct log_range *range, struct err *err)
{
	struct stat status;

	if (fstat(fd, &status))
		return err_set_errno(err, -errno, "looking at the filesystem");
	*device = status.st_dev;
	if (syncfs(fd))
		return err_set_errno(err, -errno, "writing changes to the log (syncfs)");
	return log_range_mounted(*device, range, err);
}

/* Moves the tail of @range on to where it is now; its head stays. */
static int move_tail(dev_t device, struct log_range *range, struct err *err)
{
	struct log_range now;
	int rc = log_range_mounted(device, &now, err);

	if (!rc)
		range->tail = now.tail;
	return rc;
}

int live_collect(int fd, const struct log_source *log, struct log_changes *changes, struct err *err)
{
	struct err attempt = {0};
	struct log_range range;
	dev_t device;
	int rc = sync_range(fd, &device, &range, err);

	if (rc)
		return rc;
	rc = log_collect(log, &range, changes, &attempt);
	for (int i = 1; rc == -EAGAIN && i < COLLECT_TRIES; i++) {
		rc = move_tail(device, &range, err);
		if (rc)
			return rc;
		err_clear(&attempt);
		rc = log_collect(log, &range, changes, &attempt);
	}
	return rc ? err_set(err, rc, "%s", attempt.message) : 0;
}

/* How many members the set has from @ino on, within the span of one call; 1 to @batch. */
static unsigned members(const struct inode_set *set, uint64_t ino, unsigned batch)
{
	unsigned count = 0;

	for (uint64_t at = ino; at - ino < ASK_SPAN && count < batch; at += INODE_SET_WORD_INODES)
		count += (unsigned)__builtin_popcountll(inode_set_mask(set, at));
	return (unsigned)min_u64(count, batch);
}

/* One inode on its own, after a call for many failed. */
static int ask_one(struct bulkstat *bulkstat, uint64_t ino, const struct live_sink *sink)
{
	struct xfs_inode inode;
	int rc = bulkstat_single(bulkstat, ino, &inode);

	if (rc == 0)
		return sink->inode(&inode, sink->context);
	return rc == -ENOENT ? 0 : sink->failure(ino, rc, sink->context);
}

/* Hands on those of @count inodes that are in @set and below @end. */
static int take(const struct inode_set *set, const struct xfs_inode *inodes, unsigned count,
	uint64_t end, const struct live_sink *sink)
{
	int rc = 0;

	for (unsigned i = 0; i < count && inodes[i].ino < end && !rc; i++) {
		if (inode_set_contains(set, inodes[i].ino))
			rc = sink->inode(&inodes[i], sink->context);
	}
	return rc;
}

int live_ask(struct bulkstat *bulkstat, unsigned batch, const struct inode_set *set, uint64_t first,
	uint64_t end, const struct live_sink *sink)
{
	uint64_t ino = first;

	while (inode_set_next(set, &ino) && ino < end) {
		const struct xfs_inode *inodes;
		uint64_t next = ino;
		unsigned count;
		int rc;

		bulkstat_set_batch(bulkstat, members(set, ino, batch));
		if (bulkstat_next(bulkstat, &next, &inodes, &count)) {
			rc = ask_one(bulkstat, ino++, sink);
		} else if (count == 0) {
			return 0;
		} else {
			rc = take(set, inodes, count, end, sink);
			ino = inodes[count - 1].ino + 1;
		}
		if (rc)
			return rc;
	}
	return 0;
}

int live_wait(int fd, double seconds, struct progress *progress, struct err *err)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	int64_t start = clock_monotonic_ns();
	struct log_range range;
	dev_t device;
	int rc = sync_range(fd, &device, &range, err);

	while (!rc && log_before(range.tail, range.head)) {
		if (progress_cancelled(progress))
			return -ECANCELED;
		progress_add(progress, 0);
		if (clock_seconds_since(start) >= seconds)
			return err_set(err, -ETIMEDOUT,
				"changes were not written to their place within %g s", seconds);
		nanosleep(&pause, NULL);
		rc = move_tail(device, &range, err);
	}
	return rc;
}
