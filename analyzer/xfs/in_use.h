/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which block devices the kernel has mounted as XFS, whoever can see the mount. */
#ifndef ANALYZER_XFS_IN_USE_H
#define ANALYZER_XFS_IN_USE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * The folder in sysfs of the XFS filesystem on block device @device (of the data section), whether
 * it is mounted or not: "/sys/fs/xfs/NAME". Returns 0, or a negative errno if there is no such
 * device or no sysfs.
 */
int xfs_sysfs_folder(dev_t device, char folder[static PATH_MAX]);

/*
 * Whether the kernel has an XFS filesystem of @device at work: mounted in any mount namespace, or
 * unmounted lazily and still held by somebody. So is one on a device that lies on @device, as a
 * mirror on its half; @name gets the name of the device that is mounted ("sda1", "dm-3"). False
 * where there is no sysfs.
 */
bool xfs_is_in_use(dev_t device, char name[static NAME_MAX + 1]);

#endif
