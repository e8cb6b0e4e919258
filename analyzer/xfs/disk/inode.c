// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See inode.h. The checks are those that the kernel makes before it lets an inode in, as far as
 * they concern what is counted: an inode that the kernel would refuse is not counted as sound.
 */
#include "analyzer/xfs/disk/inode.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk_compat.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/stat.h>

#define INODE(buffer, field) DISK_FIELD(buffer, struct xfs_dinode, field)

/* Versions 1 and 2 end before the checksum. */
#define OLD_CORE_BYTES offsetof(struct xfs_dinode, di_crc)

#define EXTENT_MAX_BLOCKS     ((1ULL << 21) - 1)
#define NS_PER_SECOND         1000000000ULL
#define BIGTIME_EPOCH_SECONDS (1LL << 31) /* big timestamps count from this long before 1970 */

static const struct {
	uint16_t on_disk;
	uint32_t xflag;
} flag_names[] = {
	{XFS_DIFLAG_REALTIME, FS_XFLAG_REALTIME},
	{XFS_DIFLAG_PREALLOC, FS_XFLAG_PREALLOC},
	{XFS_DIFLAG_IMMUTABLE, FS_XFLAG_IMMUTABLE},
	{XFS_DIFLAG_APPEND, FS_XFLAG_APPEND},
	{XFS_DIFLAG_SYNC, FS_XFLAG_SYNC},
	{XFS_DIFLAG_NOATIME, FS_XFLAG_NOATIME},
	{XFS_DIFLAG_NODUMP, FS_XFLAG_NODUMP},
	{XFS_DIFLAG_RTINHERIT, FS_XFLAG_RTINHERIT},
	{XFS_DIFLAG_PROJINHERIT, FS_XFLAG_PROJINHERIT},
	{XFS_DIFLAG_NOSYMLINKS, FS_XFLAG_NOSYMLINKS},
	{XFS_DIFLAG_EXTSIZE, FS_XFLAG_EXTSIZE},
	{XFS_DIFLAG_EXTSZINHERIT, FS_XFLAG_EXTSZINHERIT},
	{XFS_DIFLAG_NODEFRAG, FS_XFLAG_NODEFRAG},
	{XFS_DIFLAG_FILESTREAM, FS_XFLAG_FILESTREAM},
};

/* Versions 1 and 2 have no second word of flags. */
static uint64_t flags2_of(const void *buffer)
{
	return INODE(buffer, di_version) == 3 ? INODE(buffer, di_flags2) : 0;
}

static uint32_t xflags_of(const void *buffer)
{
	uint16_t flags = INODE(buffer, di_flags);
	uint64_t flags2 = flags2_of(buffer);
	uint32_t xflags = INODE(buffer, di_forkoff) ? FS_XFLAG_HASATTR : 0;

	if (flags2 & XFS_DIFLAG2_DAX)
		xflags |= FS_XFLAG_DAX;
	if (flags2 & XFS_DIFLAG2_COWEXTSIZE)
		xflags |= FS_XFLAG_COWEXTSIZE;
	for (size_t i = 0; flags && i < ARRAY_LENGTH(flag_names); i++) {
		if (flags & flag_names[i].on_disk)
			xflags |= flag_names[i].xflag;
	}
	return xflags;
}

/* A timestamp: 32 bits of seconds and 32 of nanoseconds, or 64 of nanoseconds since 1901. */
static int64_t seconds_at(const void *timestamp, bool bigtime)
{
	if (bigtime)
		return (int64_t)(disk_be64(timestamp) / NS_PER_SECOND) - BIGTIME_EPOCH_SECONDS;
	return (int32_t)disk_be32(timestamp);
}

static void take_extents(struct xfs_inode *inode, const void *buffer, uint64_t flags2)
{
	if (flags2 & XFS_DIFLAG2_NREXT64) {
		inode->extents = disk_be64(disk_at(buffer, DISK_INODE_BIG_NEXTENTS_AT));
		inode->attr_extents = INODE(buffer, di_nextents);
		return;
	}
	inode->extents = INODE(buffer, di_nextents);
	inode->attr_extents = INODE(buffer, di_anextents);
}

/* Version 1 has 16 bits of links, in another place, and no project. */
static void take_owner(struct xfs_inode *inode, const void *buffer)
{
	inode->uid = INODE(buffer, di_uid);
	inode->gid = INODE(buffer, di_gid);
	if (INODE(buffer, di_version) == 1) {
		inode->nlink = INODE(buffer, di_onlink);
		inode->projid = 0;
		return;
	}
	inode->nlink = INODE(buffer, di_nlink);
	inode->projid = (uint32_t)INODE(buffer, di_projid_hi) << 16 | INODE(buffer, di_projid_lo);
}

static void take_fields(
	struct xfs_inode *inode, const struct disk_super *super, uint64_t ino, const void *buffer)
{
	uint64_t flags2 = flags2_of(buffer);
	bool bigtime = flags2 & XFS_DIFLAG2_BIGTIME;

	inode->ino = ino;
	inode->mode = INODE(buffer, di_mode);
	inode->size_bytes = INODE(buffer, di_size);
	inode->blocks = INODE(buffer, di_nblocks);
	inode->block_bytes = super->block_bytes;
	inode->generation = INODE(buffer, di_gen);
	inode->attr_fork = INODE(buffer, di_forkoff) != 0;
	inode->xflags = xflags_of(buffer);
	inode->mtime_seconds =
		seconds_at(disk_at(buffer, offsetof(struct xfs_dinode, di_mtime)), bigtime);
	inode->ctime_seconds =
		seconds_at(disk_at(buffer, offsetof(struct xfs_dinode, di_ctime)), bigtime);
	take_owner(inode, buffer);
	take_extents(inode, buffer, flags2);
}

/* Whether the data fork has a form that this type of file can have. */
static bool format_fits(uint16_t mode, uint8_t format)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return format == XFS_DINODE_FMT_EXTENTS || format == XFS_DINODE_FMT_BTREE;
	case S_IFDIR:
	case S_IFLNK:
		return format == XFS_DINODE_FMT_LOCAL || format == XFS_DINODE_FMT_EXTENTS ||
		       format == XFS_DINODE_FMT_BTREE;
	case S_IFIFO:
	case S_IFSOCK:
	case S_IFCHR:
	case S_IFBLK:
		return format == XFS_DINODE_FMT_DEV;
	default:
		return false;
	}
}

/*
 * The most blocks that the inode can have. Shared extents may be mapped any number of times, each
 * with as many blocks as an extent can have.
 */
static uint64_t most_blocks(
	const struct xfs_inode *inode, const struct disk_super *super, uint64_t flags2)
{
	uint64_t shared = sat_mul_u64(inode->extents, EXTENT_MAX_BLOCKS);
	uint64_t blocks = super->data_blocks;

	if (inode->xflags & FS_XFLAG_REALTIME)
		blocks = sat_add_u64(blocks, super->rt_blocks);
	return flags2 & XFS_DIFLAG2_REFLINK ? sat_add_u64(blocks, shared) : blocks;
}

static int check_contents(const struct xfs_inode *inode, const struct disk_super *super,
	const void *buffer, struct err *err)
{
	size_t core_bytes = super->v5 ? sizeof(struct xfs_dinode) : OLD_CORE_BYTES;
	uint64_t extents = inode->extents + inode->attr_extents;

	if (!format_fits(inode->mode, INODE(buffer, di_format)))
		return err_set(err, -EUCLEAN, "mode 0%o with format %u makes no sense", inode->mode,
			INODE(buffer, di_format));
	if (inode->size_bytes > INT64_MAX)
		return err_set(err, -EUCLEAN, "the size is negative");
	if (INODE(buffer, di_forkoff) * 8U >= super->inode_bytes - core_bytes)
		return err_set(err, -EUCLEAN, "the attribute fork begins outside the inode");
	if (extents < inode->extents || extents > inode->blocks)
		return err_set(err, -EUCLEAN, "it has more extents than blocks");
	if (inode->blocks > most_blocks(inode, super, flags2_of(buffer)))
		return err_set(err, -EUCLEAN, "it has more blocks than the filesystem");
	return 0;
}

static int check_version(
	const struct disk_super *super, uint64_t ino, const void *buffer, struct err *err)
{
	uint8_t version = INODE(buffer, di_version);

	if (INODE(buffer, di_magic) != XFS_DINODE_MAGIC)
		return err_set(err, -EUCLEAN, "there is no inode where one should be");
	if (super->v5 ? version != 3 : version != 1 && version != 2)
		return err_set(err, -EUCLEAN, "the inode has version %u", version);
	if (!super->v5)
		return 0;
	if (!disk_crc_good(buffer, super->inode_bytes, offsetof(struct xfs_dinode, di_crc)))
		return err_set(err, -EBADMSG, "the checksum is wrong");
	if (INODE(buffer, di_ino) != ino)
		return err_set(err, -EUCLEAN, "it is inode %llu",
			(unsigned long long)INODE(buffer, di_ino));
	if (memcmp(disk_at(buffer, offsetof(struct xfs_dinode, di_uuid)), super->meta_uuid,
		    DISK_UUID_BYTES))
		return err_set(err, -EUCLEAN, "it belongs to another filesystem");
	return 0;
}

int disk_inode_parse(struct xfs_inode *inode, const struct disk_super *super, uint64_t ino,
	const void *buffer, struct err *err)
{
	int rc = check_version(super, ino, buffer, err);

	if (rc)
		return rc;
	if (!INODE(buffer, di_mode))
		return DISK_INODE_FREE;
	if (disk_super_is_internal(super, ino) ||
		(super->metadir && flags2_of(buffer) & XFS_DIFLAG2_METADATA))
		return DISK_INODE_INTERNAL;
	take_fields(inode, super, ino, buffer);
	rc = check_contents(inode, super, buffer, err);
	return rc ? rc : DISK_INODE_USED;
}

bool disk_inode_is_no_quota(const struct disk_super *super, uint64_t ino, const void *buffer)
{
	struct xfs_inode inode;
	struct err ignored = {0};

	if (check_version(super, ino, buffer, &ignored) || !INODE(buffer, di_mode))
		return false;
	take_fields(&inode, super, ino, buffer);
	return inode.mode != S_IFREG || inode.size_bytes || inode.uid || inode.gid ||
	       inode.nlink > 1;
}
