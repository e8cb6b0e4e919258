/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the device of a mounted filesystem cannot tell yet, from its log and from the kernel. */
#ifndef ANALYZER_SCAN_DEVICE_MOUNTED_H
#define ANALYZER_SCAN_DEVICE_MOUNTED_H

#include "analyzer/scan/device_scan.h"

struct device_mounted;

/*
 * The mounted filesystem that @fd is open on, with its device @source and superblock @super; all
 * three must outlive it. Returns 0; or with a message, worded to stand after "not device: ":
 * -EOPNOTSUPP if the device cannot be read past the page cache or the log lies on another device;
 * -EPERM without CAP_SYS_ADMIN; -ENOENT where the kernel does not tell about its log; -ENOMEM.
 */
int device_mounted_new(struct device_mounted **mounted, int fd, const struct device_source *source,
	const struct disk_super *super, struct err *err);
void device_mounted_free(struct device_mounted *mounted);

/*
 * What device_scan_run() needs of it. Inodes go to @sink, which must be the scan's own, as those of
 * worker 0. Valid as long as @mounted.
 */
const struct device_live *device_mounted_live(
	struct device_mounted *mounted, const struct device_sink *sink);

/* Asks the kernel for one inode. Returns as bulkstat_single(). Any thread. */
int device_mounted_ask(const struct device_mounted *mounted, uint64_t ino, struct xfs_inode *inode);

#endif
