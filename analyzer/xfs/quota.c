// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See quota.h. Q_XGETQSTAT tells all kinds at once, whichever is asked for; the older of the two
 * such calls, which every kernel has. Blocks are of 512 bytes throughout.
 */
#include "analyzer/xfs/quota.h"

#include "analyzer/xfs/compat.h"
#include "analyzer/xfs/geometry.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/quota.h>
#include <sys/stat.h>
#include <xfs/xqm.h>

#define BASIC_BLOCK_BYTES 512
#define PROJECT_QUOTA     2 /* PRJQUOTA, which <sys/quota.h> of older C libraries lacks */

static const int types[XFS_QUOTA_KINDS] = {
	[XFS_QUOTA_USERS] = USRQUOTA,
	[XFS_QUOTA_GROUPS] = GRPQUOTA,
	[XFS_QUOTA_PROJECTS] = PROJECT_QUOTA,
};

int xfs_quota_check_mount(
	const char *mount_point, const char *device, const char *uuid, struct err *err)
{
	autoclose int fd = open(mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct xfs_geometry geometry;
	struct stat mount_stat, device_stat;

	if (fd < 0 || fstat(fd, &mount_stat) || xfs_geometry_get(fd, &geometry) ||
		strcmp(geometry.uuid, uuid) != 0)
		return err_set(
			err, -ENODEV, "the filesystem is not mounted at %s now", mount_point);
	if (stat(device, &device_stat) || !S_ISBLK(device_stat.st_mode) ||
		device_stat.st_rdev != mount_stat.st_dev)
		return err_set(err, -ENODEV, "%s is not mounted from %s now", mount_point, device);
	return 0;
}

int xfs_quota_state_get(const char *device, struct xfs_quota_state *state, struct err *err)
{
	struct fs_quota_stat stat = {.qs_version = FS_QSTAT_VERSION};

	*state = (struct xfs_quota_state){0};
	if (quotactl(QCMD(Q_XGETQSTAT, USRQUOTA), device, 0, (void *)&stat)) {
		if (errno == ENOSYS || errno == ESRCH || errno == EINVAL)
			return 0;
		return err_set_errno(
			err, -errno, "cannot ask for the state of quota on %s", device);
	}
	state->accounted[XFS_QUOTA_USERS] = stat.qs_flags & XFS_QUOTA_UDQ_ACCT;
	state->accounted[XFS_QUOTA_GROUPS] = stat.qs_flags & XFS_QUOTA_GDQ_ACCT;
	state->accounted[XFS_QUOTA_PROJECTS] = stat.qs_flags & XFS_QUOTA_PDQ_ACCT;
	state->enforced[XFS_QUOTA_USERS] = stat.qs_flags & XFS_QUOTA_UDQ_ENFD;
	state->enforced[XFS_QUOTA_GROUPS] = stat.qs_flags & XFS_QUOTA_GDQ_ENFD;
	state->enforced[XFS_QUOTA_PROJECTS] = stat.qs_flags & XFS_QUOTA_PDQ_ENFD;
	return 0;
}

static uint64_t block_bytes(uint64_t blocks)
{
	return sat_mul_u64(blocks, BASIC_BLOCK_BYTES);
}

int xfs_quota_usage_get(
	const char *device, enum xfs_quota_kind kind, uint32_t id, struct xfs_quota_usage *usage)
{
	struct fs_disk_quota quota = {.d_version = FS_DQUOT_VERSION};

	if (quotactl(QCMD(Q_XGETQUOTA, types[kind]), device, (int)id, (void *)&quota))
		return -errno;
	*usage = (struct xfs_quota_usage){
		.inodes = quota.d_icount,
		.bytes = block_bytes(quota.d_bcount),
		.inodes_soft = quota.d_ino_softlimit,
		.inodes_hard = quota.d_ino_hardlimit,
		.bytes_soft = block_bytes(quota.d_blk_softlimit),
		.bytes_hard = block_bytes(quota.d_blk_hardlimit),
		.realtime_bytes_soft = block_bytes(quota.d_rtb_softlimit),
		.realtime_bytes_hard = block_bytes(quota.d_rtb_hardlimit),
	};
	return 0;
}
