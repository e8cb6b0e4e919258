/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a scan of the device stays right while the filesystem is mounted and written to. Three ways:
 *
 * Merge. Take the chunks from XFS_IOC_INUMBERS, then live_collect(); read the inodes from the
 * device but leave out those in changes->logged; ask for these with live_ask(). Every inode counts
 * once, in a state not older than the call of live_collect(). See log/log.h for why it must be in
 * this order and why the chunks must not be taken from the disk.
 *
 * Wait. live_wait() until all that was logged is in its place; then the device holds all that was
 * there when it was called. Idle filesystems take up to 40 seconds, busy ones may never get there,
 * and one that was idle before the call does not either: the tail stays at the start of the last
 * record, as nothing comes to move it on. Chunks from the disk are right then, but for what changes
 * during the scan.
 *
 * Freeze. Between live_freeze() and live_thaw() everything is in its place and stays there. All who
 * write wait; who froze it must not write to it either, not even its own database or log.
 */
#ifndef ANALYZER_SCAN_LIVE_H
#define ANALYZER_SCAN_LIVE_H

#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/log/log.h"
#include "base/err.h"
#include "base/progress.h"

/*
 * Has all changes made so far logged (syncfs) and adds to @changes (initialised) the inodes that
 * the log at @log names. @fd is open on the mounted filesystem. Where the log's head overtakes the
 * reading, it is read again from the new tail on.
 *
 * Returns 0, or an error with a message: -EAGAIN if the head was faster every time, -EUCLEAN if the
 * log makes no sense, others of syncfs(2), of log_range_mounted() and of reading. None of them is
 * the end of the scan: live_wait() or bulkstat are left.
 */
int live_collect(
	int fd, const struct log_source *log, struct log_changes *changes, struct err *err);

/* What live_ask() finds. A negative errno that a function returns ends it and is returned. */
struct live_sink {
	int (*inode)(const struct xfs_inode *inode, void *context);
	int (*failure)(uint64_t ino, int code, void *context); /* this inode could not be read */
	void *context;
};

/*
 * Asks for the inodes in @set from number @first on and below @end, and hands those in use to
 * @sink, in order: calls for parts that do not overlap can go on side by side, each with its own
 * @bulkstat. Reads at most @batch inodes a call, the batch of bulkstat_new(). Returns 0, or an
 * error of @sink.
 */
int live_ask(struct bulkstat *bulkstat, unsigned batch, const struct inode_set *set, uint64_t first,
	uint64_t end, const struct live_sink *sink);

/*
 * Waits until all that was changed before the call is in its place on the device, at most
 * @seconds. @progress (may be NULL) can cancel it. Returns 0; -ETIMEDOUT with a message;
 * -ECANCELED; others of syncfs(2) and log_range_mounted().
 */
int live_wait(int fd, double seconds, struct progress *progress, struct err *err);

struct live_freeze;

/*
 * Freezes the filesystem that @fd is open on, for at most @seconds. A process of its own does it
 * and thaws when it is told to, when the time is up, or when this process is gone, for whatever
 * reason. Returns 0, or an error with a message: -EBUSY if it is frozen already, -EPERM without
 * CAP_SYS_ADMIN, -EOPNOTSUPP, others of fork(2) and pipe(2).
 */
int live_freeze(struct live_freeze **freeze, int fd, unsigned seconds, struct err *err);

/*
 * Thaws and frees @freeze. Returns 0; -ETIMEDOUT with a message if it was thawed before because the
 * time was up: then what was read is not the state of one moment. NULL is fine.
 */
int live_thaw(struct live_freeze *freeze, struct err *err);

#endif
