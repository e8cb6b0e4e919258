/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the device of a mounted filesystem cannot tell yet, from its log and from the kernel. */
#ifndef ANALYZER_SCAN_DEVICE_MOUNTED_H
#define ANALYZER_SCAN_DEVICE_MOUNTED_H

#include "analyzer/census/scan_info.h"
#include "analyzer/scan/device_scan.h"
#include "analyzer/xfs/log/log.h"

struct device_mounted;

/* What it works with; all of it must outlive it. */
struct device_mounted_setup {
	int fd;                   /* open on the mounted filesystem */
	struct disk_super *super; /* follows the filesystem if it grows, between the windows */
	struct log_source *log;   /* its log, read past the page cache; follows too */
	double fresh_seconds;     /* to wait at most, over the whole scan, if the log fails */
	enum device_log_fault fault;
	struct progress *progress; /* may be NULL */
};

/*
 * Returns 0; or with a message, worded to stand after "not device: ": -EPERM without CAP_SYS_ADMIN;
 * -ENOENT where the kernel does not tell about its log; -ENOMEM.
 */
int device_mounted_new(
	struct device_mounted **mounted, const struct device_mounted_setup *setup, struct err *err);
void device_mounted_free(struct device_mounted *mounted);

/*
 * What device_scan_run() needs of it. Inodes go to @sink, which must be the scan's own, as those of
 * worker 0. Valid as long as @mounted.
 *
 * If the log cannot be read, it waits until all that was logged is in its place. If that takes too
 * long, the scan ends with -ETIMEDOUT and a message that says both.
 */
const struct device_live *device_mounted_live(
	struct device_mounted *mounted, const struct device_sink *sink);

/* Says in info->engine_reason what was done after a scan: how much came from the log, the wait. */
void device_mounted_describe(const struct device_mounted *mounted, struct scan_info *info);

/*
 * Asks the kernel for one inode of the filesystem that @fd is open on. Returns as
 * bulkstat_single(). Any thread.
 */
int device_mounted_ask(int fd, uint64_t ino, struct xfs_inode *inode);

#endif
