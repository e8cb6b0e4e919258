// SPDX-License-Identifier: GPL-2.0-or-later
/* See device_super.h. */
#include "analyzer/scan/device_super.h"

#include "analyzer/xfs/disk/inode.h"
#include "analyzer/xfs/geometry.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* A mounted filesystem may be writing its superblock while it is read. */
#define TRIES 3

/* A copy of it begins each AG; so many are tried. */
#define COPIES 3

/* As mkfs.xfs makes them. */
#define USUAL_BLOCK_BYTES 4096
#define MAX_AG_BLOCKS     (TIB / USUAL_BLOCK_BYTES - 1)

static int read_superblock(
	struct disk_super *super, const struct device_source *source, void *buffer, struct err *err)
{
	size_t bytes = min_u64(DISK_SECTOR_MAX_BYTES, source->size_bytes);
	int rc = device_source_read(source, 0, bytes, buffer);

	if (rc)
		return err_set_errno(err, rc, "reading the superblock");
	return disk_super_parse(super, buffer, bytes, err);
}

/*
 * The length of an AG: as the damaged superblock says if @parts is 0, else as mkfs.xfs divides a
 * device of this size, in blocks of 4096 bytes. An AG ends a block before a TiB, and those of a
 * device of 4 TiB or more are of that length.
 */
static uint64_t ag_bytes_of(const struct device_source *source, const void *damaged, unsigned parts)
{
	if (!parts)
		return disk_super_said_ag_bytes(damaged);
	return min_u64(div_ceil_u64(source->size_bytes / USUAL_BLOCK_BYTES, parts), MAX_AG_BLOCKS) *
	       USUAL_BLOCK_BYTES;
}

static int try_copy(struct disk_super *super, const struct device_source *source,
	const void *damaged, uint64_t offset, void *buffer)
{
	struct err ignored = {0};
	size_t bytes;
	int rc;

	if (offset >= source->size_bytes)
		return -ENOENT;
	bytes = min_u64(DISK_SECTOR_MAX_BYTES, source->size_bytes - offset);
	rc = device_source_read(source, offset, bytes, buffer);
	return rc ? rc : disk_super_restore(super, damaged, buffer, bytes, offset, &ignored);
}

/* Puts a copy in the place of the superblock @damaged. Returns 0, -ENOMEM, or -ENOENT. */
static int find_copy(
	struct disk_super *super, const struct device_source *source, const void *damaged)
{
	static const unsigned parts[] = {0, 4, 8, 16, 32, 2};
	autofree void *buffer = malloc(DISK_SECTOR_MAX_BYTES);

	if (!buffer)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
		uint64_t ag_bytes = ag_bytes_of(source, damaged, parts[i]);

		for (unsigned agno = 1; agno <= COPIES && ag_bytes < source->size_bytes; agno++) {
			if (!try_copy(super, source, damaged, agno * ag_bytes, buffer))
				return 0;
		}
	}
	return -ENOENT;
}

int device_super_read(
	struct disk_super *super, const struct device_source *source, bool at_rest, struct err *err)
{
	autofree void *buffer = malloc(DISK_SECTOR_MAX_BYTES);
	struct err damage;
	int rc = -EBADMSG;

	if (!buffer)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < TRIES && rc == -EBADMSG; i++) {
		err_clear(err);
		rc = read_superblock(super, source, buffer, err);
	}
	if ((rc != -EBADMSG && rc != -EUCLEAN) || !at_rest)
		return rc;
	damage = *err;
	err_clear(err);
	if (!find_copy(super, source, buffer))
		return 0;
	return err_set(
		err, rc, "%s, and no copy of it is found; try xfs_repair -n", damage.message);
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

static void tell(const struct device_sink *sink, const char *what)
{
	sink->failure(FAILURE_AG, 0, -EUCLEAN, what, 0, sink->context);
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
		tell(sink, what);
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

	if (super->copy_agno) {
		snprintf(what, sizeof(what),
			"AG 0, superblock: it is damaged; its copy in AG %u is taken instead",
			super->copy_agno);
		tell(scan->sink, what);
	}
	if (!super->first_inos_odd)
		return;
	snprintf(what, sizeof(what),
		"AG 0, superblock: the root directory and the filesystem's own inodes do not lie "
		"side by side; the root is taken to be inode %" PRIu64,
		super->root_ino);
	tell(scan->sink, what);
}
