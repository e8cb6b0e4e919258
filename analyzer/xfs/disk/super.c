// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See super.h. A superblock is checked in the order in which its fields can be trusted: magic,
 * version, sizes with their logarithms, checksum (which needs the sector size), features, and at
 * last the geometry that follows from the sizes.
 */
#include "analyzer/xfs/disk/super.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk_compat.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>

#define SB(buffer, field) DISK_FIELD(buffer, struct xfs_dsb, field)

/* The kernel asks for 64 blocks at least; an AG is 1 TiB at most. */
#define MIN_AG_BLOCKS    64
#define MAX_AG_BYTES_LOG 40

#define MAX_DIR_BLOCK_LOG 16

static const struct {
	uint32_t bit;
	const char *name;
} known_incompat[] = {
	{XFS_SB_FEAT_INCOMPAT_FTYPE, "ftype"},
	{XFS_SB_FEAT_INCOMPAT_SPINODES, "sparse inodes"},
	{XFS_SB_FEAT_INCOMPAT_META_UUID, "meta_uuid"},
	{XFS_SB_FEAT_INCOMPAT_BIGTIME, "bigtime"},
	{XFS_SB_FEAT_INCOMPAT_NEEDSREPAIR, "needsrepair"},
	{XFS_SB_FEAT_INCOMPAT_NREXT64, "nrext64"},
	{XFS_SB_FEAT_INCOMPAT_EXCHRANGE, "exchange range"},
	{XFS_SB_FEAT_INCOMPAT_PARENT, "parent pointers"},
	{XFS_SB_FEAT_INCOMPAT_METADIR, "metadata directory"},
	{XFS_SB_FEAT_INCOMPAT_ZONED, "zoned"},
	{XFS_SB_FEAT_INCOMPAT_ZONE_GAPS, "zone gaps"},
};

static bool power_of_two(uint32_t value, uint32_t low, uint32_t high)
{
	return value >= low && value <= high && (value & (value - 1)) == 0;
}

static uint8_t log2_of(uint32_t power)
{
	return (uint8_t)(31 - __builtin_clz(power));
}

/* The sizes, each with the logarithm that the superblock keeps beside it. */
static int take_sizes(struct disk_super *super, const void *buffer, struct err *err)
{
	super->block_bytes = SB(buffer, sb_blocksize);
	super->sector_bytes = SB(buffer, sb_sectsize);
	super->inode_bytes = SB(buffer, sb_inodesize);
	super->inodes_per_block = SB(buffer, sb_inopblock);
	if (!power_of_two(super->block_bytes, 512, 65536) ||
		SB(buffer, sb_blocklog) != log2_of(super->block_bytes))
		return err_set(
			err, -EUCLEAN, "the superblock has block size %u", super->block_bytes);
	if (!power_of_two(super->sector_bytes, DISK_SECTOR_MIN_BYTES, DISK_SECTOR_MAX_BYTES) ||
		SB(buffer, sb_sectlog) != log2_of(super->sector_bytes))
		return err_set(
			err, -EUCLEAN, "the superblock has sector size %u", super->sector_bytes);
	if (!power_of_two(super->inode_bytes, 256, min_u64(2048, super->block_bytes)) ||
		SB(buffer, sb_inodelog) != log2_of(super->inode_bytes))
		return err_set(
			err, -EUCLEAN, "the superblock has inode size %u", super->inode_bytes);
	if (super->inodes_per_block != super->block_bytes / super->inode_bytes ||
		SB(buffer, sb_inopblog) != log2_of(super->inodes_per_block))
		return err_set(err, -EUCLEAN,
			"the superblock has %u for the inodes of size %u in a block",
			super->inodes_per_block, super->inode_bytes);
	super->block_log = log2_of(super->block_bytes);
	super->inode_log = log2_of(super->inode_bytes);
	super->inopb_log = log2_of(super->inodes_per_block);
	if (SB(buffer, sb_dirblklog) > MAX_DIR_BLOCK_LOG - super->block_log)
		return err_set(err, -EUCLEAN,
			"the superblock has directories of 2^%u blocks of %u bytes",
			SB(buffer, sb_dirblklog), super->block_bytes);
	super->dir_block_log = (uint8_t)(super->block_log + SB(buffer, sb_dirblklog));
	return 0;
}

/* Names the lowest bit that is not known here, by its number: it has no name yet. */
static int check_incompat(uint32_t features, struct err *err)
{
	uint32_t unknown = features;

	for (size_t i = 0; i < ARRAY_LENGTH(known_incompat); i++)
		unknown &= ~known_incompat[i].bit;
	if (!unknown)
		return 0;
	return err_set(err, -EOPNOTSUPP,
		"the filesystem has an incompatible feature unknown here (bit %d of 0x%x); a newer "
		"xfscensus may know it",
		__builtin_ctz(unknown), features);
}

static int take_v5(struct disk_super *super, const void *buffer, size_t bytes, struct err *err)
{
	uint32_t incompat = SB(buffer, sb_features_incompat);
	size_t uuid_at = incompat & XFS_SB_FEAT_INCOMPAT_META_UUID
				 ? offsetof(struct xfs_dsb, sb_meta_uuid)
				 : offsetof(struct xfs_dsb, sb_uuid);

	if (bytes >= super->sector_bytes &&
		!disk_crc_good(buffer, super->sector_bytes, offsetof(struct xfs_dsb, sb_crc)))
		return err_set(err, -EBADMSG, "the superblock's checksum is wrong");
	super->sparse_inodes = incompat & XFS_SB_FEAT_INCOMPAT_SPINODES;
	super->metadir = incompat & XFS_SB_FEAT_INCOMPAT_METADIR;
	super->ftype = incompat & XFS_SB_FEAT_INCOMPAT_FTYPE;
	super->last_lsn = SB(buffer, sb_lsn);
	if (super->last_lsn == UINT64_MAX)
		super->last_lsn = 0;
	memcpy(super->meta_uuid, disk_at(buffer, uuid_at), DISK_UUID_BYTES);
	return check_incompat(incompat, err);
}

static void take_v4(struct disk_super *super, const void *buffer)
{
	uint16_t version = SB(buffer, sb_versionnum);

	super->ftype = version & XFS_SB_VERSION_MOREBITSBIT &&
		       SB(buffer, sb_features2) & XFS_SB_VERSION2_FTYPE;
	super->dir_v1 = !(version & XFS_SB_VERSION_DIRV2BIT);
}

static int take_version(struct disk_super *super, const void *buffer, size_t bytes, struct err *err)
{
	unsigned version = SB(buffer, sb_versionnum) & XFS_SB_VERSION_NUMBITS;

	memcpy(super->uuid, disk_at(buffer, offsetof(struct xfs_dsb, sb_uuid)), DISK_UUID_BYTES);
	memcpy(super->meta_uuid, super->uuid, DISK_UUID_BYTES);
	if (version != XFS_SB_VERSION_4 && version != XFS_SB_VERSION_5)
		return err_set(err, -EOPNOTSUPP,
			"the filesystem has format version %u; 4 and 5 are known", version);
	super->v5 = version == XFS_SB_VERSION_5;
	if (super->v5)
		return take_v5(super, buffer, bytes, err);
	take_v4(super, buffer);
	return 0;
}

static bool geometry_fits(const struct disk_super *super)
{
	uint64_t before_last, all;

	if (super->agblocks < MIN_AG_BLOCKS ||
		super->agblocks > 1ULL << (MAX_AG_BYTES_LOG - super->block_log) || !super->agcount)
		return false;
	before_last = (uint64_t)(super->agcount - 1) * super->agblocks;
	all = before_last + super->agblocks;
	return super->data_blocks > before_last && super->data_blocks <= all &&
	       super->data_blocks <= UINT64_MAX >> super->block_log;
}

/* The AGs: they must cover the data section, and inode numbers must have room for them. */
static int take_geometry(struct disk_super *super, const void *buffer, struct err *err)
{
	super->agcount = SB(buffer, sb_agcount);
	super->agblocks = SB(buffer, sb_agblocks);
	super->data_blocks = SB(buffer, sb_dblocks);
	super->rt_blocks = SB(buffer, sb_rblocks);
	super->inodes = SB(buffer, sb_icount);
	super->free_inodes = SB(buffer, sb_ifree);
	super->root_ino = SB(buffer, sb_rootino);
	super->log_start = SB(buffer, sb_logstart);
	super->log_blocks = SB(buffer, sb_logblocks);
	if (!geometry_fits(super))
		return err_set(err, -EUCLEAN,
			"the superblock's allocation groups, %u of length %u, do not make %llu "
			"blocks",
			super->agcount, super->agblocks, (unsigned long long)super->data_blocks);
	super->agblk_log = (uint8_t)(log2_of(super->agblocks - 1) + 1);
	super->agino_log = (uint8_t)(super->agblk_log + super->inopb_log);
	if (SB(buffer, sb_agblklog) != super->agblk_log || super->agino_log > 32)
		return err_set(err, -EUCLEAN,
			"the superblock's allocation groups of length %u do not agree with its "
			"logarithm %u",
			super->agblocks, SB(buffer, sb_agblklog));
	return 0;
}

/* An inode number of the superblock: all ones and, before quota was ever on, 0 mean none. */
static uint64_t internal_ino(uint64_t ino)
{
	return ino == UINT64_MAX ? 0 : ino;
}

/*
 * Quota has inodes from when it was first on, whether it is now (sb_qflags) or not. Where there is
 * a metadata directory the inodes themselves tell, and nothing else counts.
 */
static void take_internal(struct disk_super *super, const void *buffer)
{
	if (super->metadir) {
		super->internal_inos[5] =
			internal_ino(disk_be64(disk_at(buffer, DISK_SUPER_METADIRINO_AT)));
		return;
	}
	super->internal_inos[0] = internal_ino(SB(buffer, sb_rbmino));
	super->internal_inos[1] = internal_ino(SB(buffer, sb_rsumino));
	if (!(SB(buffer, sb_versionnum) & XFS_SB_VERSION_QUOTABIT))
		return;
	super->internal_inos[2] = internal_ino(SB(buffer, sb_uquotino));
	super->internal_inos[3] = internal_ino(SB(buffer, sb_gquotino));
	if (super->v5)
		super->internal_inos[4] = internal_ino(SB(buffer, sb_pquotino));
}

/* Root, bitmap and summary: what two of them say, the third is taken to be wrong about. */
static void line_up(struct disk_super *super)
{
	uint64_t by_root = super->root_ino;
	uint64_t by_bitmap = super->internal_inos[0] - 1;
	uint64_t by_summary = super->internal_inos[1] - 2;
	uint64_t first = by_bitmap == by_summary ? by_bitmap : by_root;

	super->first_inos_odd = by_root != by_bitmap || by_root != by_summary;
	if (by_root != by_bitmap && by_root != by_summary && by_bitmap != by_summary)
		return;
	super->root_ino = first;
	super->internal_inos[0] = first + 1;
	super->internal_inos[1] = first + 2;
}

static void check_first_inos(struct disk_super *super)
{
	if (super->metadir)
		super->first_inos_odd = super->internal_inos[5] != super->root_ino + 1;
	else
		line_up(super);
	if (!disk_super_has_place(super, super->root_ino))
		super->first_inos_odd = true;
}

/* All but the numbers of inodes. */
static int parse(struct disk_super *super, const void *buffer, size_t bytes, struct err *err)
{
	int rc;

	memset(super, 0, sizeof(*super));
	if (bytes < DISK_SECTOR_MIN_BYTES || SB(buffer, sb_magicnum) != XFS_SB_MAGIC)
		return err_set(err, -EMEDIUMTYPE, "holds no XFS filesystem");
	rc = take_sizes(super, buffer, err);
	if (!rc)
		rc = take_version(super, buffer, bytes, err);
	return rc ? rc : take_geometry(super, buffer, err);
}

int disk_super_parse(struct disk_super *super, const void *buffer, size_t bytes, struct err *err)
{
	int rc = parse(super, buffer, bytes, err);

	if (!rc && SB(buffer, sb_inprogress))
		rc = err_set(err, -EINPROGRESS, "the filesystem was never finished by mkfs.xfs");
	if (rc)
		return rc;
	take_internal(super, buffer);
	check_first_inos(super);
	return 0;
}

uint64_t disk_super_said_ag_bytes(const void *buffer)
{
	return (uint64_t)SB(buffer, sb_agblocks) * SB(buffer, sb_blocksize);
}

/* Where the superblock has numbers of inodes that its copies lack. */
static const struct {
	size_t at;
	size_t count;
} inode_numbers[] = {
	{offsetof(struct xfs_dsb, sb_rootino), 3},  /* bitmap and summary too */
	{offsetof(struct xfs_dsb, sb_uquotino), 2}, /* that of groups too */
	{offsetof(struct xfs_dsb, sb_pquotino), 1},
	{DISK_SUPER_METADIRINO_AT, 1},
};

static void put_number(char *super, size_t at, uint64_t number)
{
	number = htobe64(number);
	memcpy(super + at, &number, sizeof(number));
}

/* Some copies have the root directory, by which the first inodes are known. */
static void put_first_inos(char *super, uint64_t root_ino)
{
	put_number(super, offsetof(struct xfs_dsb, sb_rootino), root_ino);
	put_number(super, offsetof(struct xfs_dsb, sb_rbmino), root_ino + 1);
	put_number(super, offsetof(struct xfs_dsb, sb_rsumino), root_ino + 2);
	put_number(super, DISK_SUPER_METADIRINO_AT, root_ino + 1);
}

/* Quota numbers are taken whether or not a damaged flag says that there are any. */
static void take_inode_numbers(struct disk_super *super, const void *damaged, const void *copy)
{
	char merged[DISK_SECTOR_MIN_BYTES];
	uint16_t version = htobe16(SB(copy, sb_versionnum) | XFS_SB_VERSION_QUOTABIT);

	memcpy(merged, copy, sizeof(merged));
	memcpy(merged + offsetof(struct xfs_dsb, sb_versionnum), &version, sizeof(version));
	for (size_t i = 0; i < ARRAY_LENGTH(inode_numbers); i++)
		memcpy(merged + inode_numbers[i].at, disk_at(damaged, inode_numbers[i].at),
			inode_numbers[i].count * sizeof(uint64_t));
	if (disk_super_has_place(super, super->root_ino))
		put_first_inos(merged, super->root_ino);
	super->root_ino = SB(merged, sb_rootino);
	take_internal(super, merged);
	check_first_inos(super);
}

int disk_super_restore(struct disk_super *super, const void *damaged, const void *copy,
	size_t bytes, uint64_t offset, struct err *err)
{
	uint64_t ag_bytes;
	int rc = parse(super, copy, bytes, err);

	if (rc)
		return rc;
	ag_bytes = (uint64_t)super->agblocks << super->block_log;
	if (!offset || offset % ag_bytes || offset / ag_bytes >= super->agcount)
		return err_set(err, -EUCLEAN, "the copy of the superblock is that of another");
	super->inodes = super->free_inodes = super->last_lsn = 0;
	super->copy_agno = (uint32_t)(offset / ag_bytes);
	take_inode_numbers(super, damaged, copy);
	return 0;
}

bool disk_super_is_internal(const struct disk_super *super, uint64_t ino)
{
	for (size_t i = 0; i < DISK_INTERNAL_INODES; i++) {
		if (super->internal_inos[i] == ino)
			return ino != 0;
	}
	return false;
}

uint64_t disk_super_internal_mask(const struct disk_super *super, uint64_t first_ino)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < DISK_INTERNAL_INODES; i++) {
		uint64_t index = super->internal_inos[i] - first_ino;

		if (super->internal_inos[i] && index < 64)
			mask |= 1ULL << index;
	}
	return mask;
}

unsigned disk_super_internal_count(
	const struct disk_super *super, uint32_t first_agno, uint32_t end_agno)
{
	unsigned count = 0;

	for (size_t i = 0; i < DISK_INTERNAL_INODES; i++) {
		uint64_t agno = super->internal_inos[i] >> super->agino_log;

		count += super->internal_inos[i] && agno >= first_agno && agno < end_agno;
	}
	return count;
}

/* The first block of an AG is its headers' at any geometry. */
bool disk_super_has_place(const struct disk_super *super, uint64_t ino)
{
	uint64_t agno = ino >> super->agino_log;
	uint64_t agbno = (ino & ((1ULL << super->agino_log) - 1)) >> super->inopb_log;

	return agno < super->agcount && agbno &&
	       agbno < disk_super_ag_blocks(super, (uint32_t)agno);
}

bool disk_super_has_ino(const struct disk_super *super, uint64_t ino)
{
	return disk_super_has_place(super, ino) && !disk_super_is_internal(super, ino);
}

uint32_t disk_super_ag_blocks(const struct disk_super *super, uint32_t agno)
{
	if (agno + 1 < super->agcount)
		return super->agblocks;
	return (uint32_t)(super->data_blocks - (uint64_t)agno * super->agblocks);
}
