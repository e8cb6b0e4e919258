/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device with XFS, looked at past the page cache by code that shares nothing with the program,
 * so that a mistake there cannot hide one here. Every failure ends the program with status 2.
 */
#ifndef TESTS_INTEGRATION_RAW_DEVICE_H
#define TESTS_INTEGRATION_RAW_DEVICE_H

#include "analyzer/xfs/inode.h"
#include "analyzer/xfs/log/log.h"

struct raw_device {
	int fd;
	int log_fd; /* of the external log; -1: internal */
	struct log_source log;
	uint32_t inode_bytes;
};

/* @log_path may be NULL. */
void raw_open(struct raw_device *raw, const char *path, const char *log_path);
void raw_close(struct raw_device *raw);

/* Inode @ino as it lies on the device; mode 0 if there is none. Times are whole seconds. */
void raw_inode(const struct raw_device *raw, uint64_t ino, struct xfs_inode *inode);

#endif
