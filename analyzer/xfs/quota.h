/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's quota accounting knows, by quotactl(2). Nothing is ever set. */
#ifndef ANALYZER_XFS_QUOTA_H
#define ANALYZER_XFS_QUOTA_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum xfs_quota_kind { XFS_QUOTA_USERS, XFS_QUOTA_GROUPS, XFS_QUOTA_PROJECTS, XFS_QUOTA_KINDS };

struct xfs_quota_state {
	bool accounted[XFS_QUOTA_KINDS];
	bool enforced[XFS_QUOTA_KINDS];
};

/* Of one owner. Limits of 0 are none. */
struct xfs_quota_usage {
	uint64_t inodes; /* of all kinds */
	uint64_t bytes;  /* allocated on the data section */
	uint64_t inodes_soft;
	uint64_t inodes_hard;
	uint64_t bytes_soft;
	uint64_t bytes_hard;
	uint64_t realtime_bytes_soft;
	uint64_t realtime_bytes_hard;
};

/*
 * That the XFS filesystem with @uuid (text) is mounted at @mount_point from @device; quotactl(2)
 * takes a device, and another one may have its name by now. Returns 0; -ENODEV with a message.
 */
int xfs_quota_check_mount(
	const char *mount_point, const char *device, const char *uuid, struct err *err);

/*
 * Which accounting is on for the filesystem mounted from @device. A kernel without quota, or a
 * mount without it, is no error: nothing is on. Returns 0; another errno with a message, such as
 * -EPERM.
 */
int xfs_quota_state_get(const char *device, struct xfs_quota_state *state, struct err *err);

/*
 * What the kernel accounts for @id. Returns 0; -ENOENT if it knows nothing of it; another errno.
 */
int xfs_quota_usage_get(
	const char *device, enum xfs_quota_kind kind, uint32_t id, struct xfs_quota_usage *usage);

#endif
