/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What PATH is: a mounted filesystem, a tree in one, a block device or an image file. */
#ifndef ANALYZER_SCAN_TARGET_H
#define ANALYZER_SCAN_TARGET_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/census/scan_info.h"

enum target_kind {
	TARGET_DIRECTORY, /* a directory (or mount point) of a mounted filesystem */
	TARGET_DEVICE,    /* a block device, mounted or not */
	TARGET_IMAGE,     /* a regular file that holds a filesystem, not mounted */
};

/*
 * The mount point of a directory is that of the mount which shows it. Where that is a bind mount of
 * an XFS filesystem's subdirectory, and another mount that can be reached shows the root, it is
 * that one: what is told of the whole filesystem has its paths from there.
 *
 * Strings are owned; NULL where unknown or not applicable.
 */
struct scan_target {
	enum target_kind kind;
	char *path;        /* absolute, links resolved */
	char *mount_point; /* where it is mounted, see above */
	char *image;  /* what device, a mounted loop device, shows: the PATH; a file or device */
	char *device; /* what is mounted, or path itself for a device or image */
	char *log_device; /* where its log lies, if not inside: as named to mount, or by the user */
	char fs_type[16]; /* "xfs", "ext4", …; "" for an image of something else than XFS */
	char fs_id[FS_ID_BYTES]; /* see scan_info.h; "" for an image of something else than XFS */
	bool is_xfs;
	bool shows_root; /* mount_point is the filesystem's root, not one of its directories */
	bool is_root;    /* path is the whole filesystem: its root directory, a device, an image */
	uint32_t block_bytes; /* 0 if unknown, as for an image of something else than XFS */
	uint64_t capacity_bytes;
	uint64_t inodes;     /* in use as the filesystem tells, about; 0 if unknown */
	dev_t device_number; /* st_dev of what is mounted, st_rdev of a device; 0 for an image */
	int fd; /* read-only, on path; of a mounted device, on mount_point; -1 once closed */
};

/*
 * Finds out what @path is. A block device that is mounted gets its mount point, one where the
 * whole of it is visible if there is such a one. So does an image, or a device that is not mounted
 * itself, that is mounted through a loop device: it is that one, since the file lags behind.
 * Errors, with a message:
 * -ENOENT, -EACCES, -ENOTDIR (neither directory, device nor file), -EUCLEAN (a damaged
 * superblock), -EBUSY (mounted where it cannot be reached or seen), -EIO (it has shut down,
 * probably), -ENOMEM, others of open(2). After an error nothing is left to close.
 */
int target_open(struct scan_target *target, const char *path, struct err *err);

/*
 * Says that the log of @target, which is not mounted, lies at @path: nobody else can know. Returns
 * 0, or with a message -EINVAL if it is mounted, -ENOMEM.
 */
int target_set_log_device(struct scan_target *target, const char *path, struct err *err);

/*
 * Whether the filesystem of @target is mounted and nobody can write to it, not only by way of the
 * mount that shows it. That can change at any time, so it is looked up anew.
 */
bool target_is_read_only(const struct scan_target *target);

void target_close(struct scan_target *target);

#endif
