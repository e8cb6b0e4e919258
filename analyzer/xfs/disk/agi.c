// SPDX-License-Identifier: GPL-2.0-or-later
/* See agi.h. An AG starts with four sectors: superblock, AGF, AGI, AGFL. */
#include "analyzer/xfs/disk/agi.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk_compat.h"

#include <errno.h>

#define AGI(buffer, field) DISK_FIELD(buffer, struct xfs_agi, field)
#define AGI_SECTOR         2

uint64_t disk_agi_offset(const struct disk_super *super, uint32_t agno)
{
	return disk_super_block_offset(super, agno, 0) + AGI_SECTOR * super->sector_bytes;
}

/* Whose it is: an AGI of another AG or filesystem passes its checksum too. */
static int check_identity(
	const struct disk_super *super, uint32_t agno, const void *sector, struct err *err)
{
	if (AGI(sector, agi_magicnum) != XFS_AGI_MAGIC ||
		AGI(sector, agi_versionnum) != XFS_AGI_VERSION)
		return err_set(err, -EUCLEAN, "there is no inode header (AGI) where it should be");
	if (super->v5 &&
		!disk_crc_good(sector, super->sector_bytes, offsetof(struct xfs_agi, agi_crc)))
		return err_set(err, -EBADMSG, "the inode header (AGI) has a wrong checksum");
	if (super->v5 && memcmp(disk_at(sector, offsetof(struct xfs_agi, agi_uuid)),
				 super->meta_uuid, DISK_UUID_BYTES))
		return err_set(
			err, -EUCLEAN, "the inode header (AGI) belongs to another filesystem");
	if (AGI(sector, agi_seqno) != agno)
		return err_set(err, -EUCLEAN, "the inode header (AGI) is that of group %u",
			AGI(sector, agi_seqno));
	return 0;
}

int disk_agi_parse(struct disk_agi *agi, const struct disk_super *super, uint32_t agno,
	const void *sector, struct err *err)
{
	uint32_t blocks = disk_super_ag_blocks(super, agno);
	int rc = check_identity(super, agno, sector, err);

	if (rc)
		return rc;
	*agi = (struct disk_agi){
		.count = AGI(sector, agi_count),
		.free_count = AGI(sector, agi_freecount),
		.root = AGI(sector, agi_root),
		.level = AGI(sector, agi_level),
	};
	if (AGI(sector, agi_length) != blocks)
		return err_set(err, -EUCLEAN, "the inode header (AGI) counts %u blocks, not %u",
			AGI(sector, agi_length), blocks);
	if (!agi->root || agi->root >= blocks || !agi->level || agi->level > DISK_BTREE_MAX_LEVELS)
		return err_set(err, -EUCLEAN,
			"the inode header (AGI) has a tree of height %u at block %u", agi->level,
			agi->root);
	if (agi->free_count > agi->count || agi->count > (uint64_t)blocks << super->inopb_log)
		return err_set(err, -EUCLEAN, "the inode header (AGI) counts %u of %u inodes free",
			agi->free_count, agi->count);
	return 0;
}
