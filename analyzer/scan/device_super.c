// SPDX-License-Identifier: GPL-2.0-or-later
/* See device_super.h. */
#include "analyzer/scan/device_super.h"

#include "analyzer/xfs/disk/inode.h"
#include "analyzer/xfs/geometry.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* A mounted filesystem may be writing its superblock while it is read. */
#define TRIES 3

int device_super_read(struct disk_super *super, const struct device_source *source, struct err *err)
{
	uint64_t bytes = min_u64(DISK_SECTOR_MAX_BYTES, source->size_bytes);
	autofree void *buffer = malloc(DISK_SECTOR_MAX_BYTES);
	int rc = -EBADMSG;

	if (!buffer)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < TRIES && rc == -EBADMSG; i++) {
		err_clear(err);
		rc = device_source_read(source, 0, bytes, buffer);
		if (rc)
			return err_set_errno(err, rc, "reading the superblock");
		rc = disk_super_parse(super, buffer, bytes, err);
	}
	return rc;
}

/*
 * Whether inode @ino cannot be one of quota: 1, or 0, also where nobody can tell as it cannot be
 * read; or -ENOMEM.
 */
static int is_no_quota(
	const struct disk_super *super, const struct device_source *source, uint64_t ino)
{
	char inode[DISK_INODE_MAX_BYTES];
	uint32_t agno = (uint32_t)(ino >> super->agino_log);
	uint32_t agino = (uint32_t)(ino & ((1ULL << super->agino_log) - 1));
	int rc;

	if (!disk_super_has_place(super, ino))
		return 1;
	rc = device_source_read(
		source, disk_super_inode_offset(super, agno, agino), super->inode_bytes, inode);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return disk_inode_is_no_quota(super, ino, inode);
}

int device_super_check_quota(struct disk_super *super, const struct device_source *source,
	const struct device_sink *sink)
{
	for (unsigned i = DISK_QUOTA_INODES_AT; i < DISK_QUOTA_INODES_END; i++) {
		uint64_t ino = super->internal_inos[i];
		int rc = ino ? is_no_quota(super, source, ino) : 0;
		char what[128];

		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		super->internal_inos[i] = 0;
		snprintf(what, sizeof(what),
			"AG 0, superblock: inode %" PRIu64 " is said to hold quota, and does not",
			ino);
		sink->failure(FAILURE_AG, 0, -EUCLEAN, what, 0, sink->context);
	}
	return 0;
}

bool device_super_follow(struct disk_super *super, int fd)
{
	struct xfs_geometry now;

	if (xfs_geometry_get(fd, &now) || now.agblocks != super->agblocks ||
		(now.agcount == super->agcount && now.data_blocks == super->data_blocks))
		return false;
	super->agcount = now.agcount;
	super->data_blocks = now.data_blocks;
	return true;
}

void device_super_tell(const struct device_scan *scan)
{
	const struct disk_super *super = scan->super;
	char what[160];

	if (!super->first_inos_odd)
		return;
	snprintf(what, sizeof(what),
		"AG 0, superblock: the root directory and the filesystem's own inodes do not lie "
		"side by side; the root is taken to be inode %" PRIu64,
		super->root_ino);
	scan->sink->failure(FAILURE_AG, 0, -EUCLEAN, what, 0, scan->sink->context);
}
