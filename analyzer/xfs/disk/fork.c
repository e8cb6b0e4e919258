// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See fork.h. An extent is 128 bits: one that says "unwritten", 54 of file offset, 52 of block
 * number and 21 of length. Long-form B+tree blocks: a header of 24 bytes, 72 with checksums; then
 * in a leaf extents, above it as many keys as would fit and after them the block numbers. The root
 * in the inode has a header of 4 bytes and is never a leaf.
 */
#include "analyzer/xfs/disk/fork.h"

#include "analyzer/xfs/disk/agi.h"
#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk_compat.h"
#include "base/checked.h"

#include <errno.h>

#define INODE(buffer, field)  DISK_FIELD(buffer, struct xfs_dinode, field)
#define HEADER(block, field)  DISK_FIELD(block, struct xfs_btree_block, field)
#define EXTENT_BYTES          DISK_FORK_EXTENT_BYTES
#define KEY_BYTES             8
#define POINTER_BYTES         8
#define ROOT_HEADER_BYTES     sizeof(struct xfs_bmdr_block)
#define BASIC_BLOCK_LOG       9 /* bb_blkno counts 512 bytes */
#define EXTENT_UNWRITTEN      (1ULL << 63)
#define EXTENT_OFFSET_SHIFT   9
#define EXTENT_BLOCK_LOW_BITS 43

static enum disk_fork_form form_of(uint8_t format)
{
	if (format == XFS_DINODE_FMT_LOCAL)
		return DISK_FORK_LOCAL;
	return format == XFS_DINODE_FMT_BTREE ? DISK_FORK_BTREE : DISK_FORK_EXTENTS;
}

/* Where forks begin in an inode. */
static size_t core_bytes(const struct disk_super *super)
{
	return super->v5 ? sizeof(struct xfs_dinode) : offsetof(struct xfs_dinode, di_crc);
}

static int check_extents(const struct disk_fork *fork, struct err *err)
{
	if (fork->form != DISK_FORK_EXTENTS || fork->extents <= fork->bytes / EXTENT_BYTES)
		return 0;
	return err_set(err, -EUCLEAN, "it has %llu extents, more than fit into the inode",
		(unsigned long long)fork->extents);
}

int disk_fork_data(struct disk_fork *fork, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct err *err)
{
	size_t core = core_bytes(super);
	uint32_t room = INODE(buffer, di_forkoff) * 8U;

	*fork = (struct disk_fork){
		.form = form_of(INODE(buffer, di_format)),
		.data = disk_at(buffer, core),
		.bytes = room ? room : (uint32_t)(super->inode_bytes - core),
		.ino = inode->ino,
		.size_bytes = inode->size_bytes,
		.extents = inode->extents,
	};
	return check_extents(fork, err);
}

int disk_fork_attr(struct disk_fork *fork, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct err *err)
{
	size_t start = core_bytes(super) + INODE(buffer, di_forkoff) * 8U;

	if (start >= super->inode_bytes)
		return err_set(err, -EUCLEAN, "the inode has no room for attributes");
	*fork = (struct disk_fork){
		.form = form_of(INODE(buffer, di_aformat)),
		.data = disk_at(buffer, start),
		.bytes = (uint32_t)(super->inode_bytes - start),
		.ino = inode->ino,
		.extents = inode->attr_extents,
	};
	return check_extents(fork, err);
}

/* Splits the number of a block into its AG and its place there; whether it has one. */
static bool find_block(
	const struct disk_super *super, uint64_t number, uint32_t *agno, uint32_t *agbno)
{
	uint64_t ag = number >> super->agblk_log;

	if (ag >= super->agcount)
		return false;
	*agno = (uint32_t)ag;
	*agbno = (uint32_t)(number & ((1ULL << super->agblk_log) - 1));
	return *agbno && *agbno < disk_super_ag_blocks(super, *agno);
}

/* An extent that lies in one AG and, in the file, at or after @least and before @high. */
static int decode_extent(struct disk_extent *extent, const struct disk_super *super,
	const void *record, uint64_t least, uint64_t high, struct err *err)
{
	uint64_t first = disk_be64(record), second = disk_be64(disk_at(record, 8));
	uint64_t block = (first & ((1ULL << EXTENT_OFFSET_SHIFT) - 1)) << EXTENT_BLOCK_LOW_BITS |
			 second >> BMBT_BLOCKCOUNT_BITLEN;

	extent->offset = (first & ~EXTENT_UNWRITTEN) >> EXTENT_OFFSET_SHIFT;
	extent->count = (uint32_t)(second & BMBT_BLOCKCOUNT_MASK);
	if (!extent->count || extent->offset < least || extent->offset + extent->count > high)
		return err_set(err, -EUCLEAN,
			"its extent of length %u at block %llu is out of order", extent->count,
			(unsigned long long)extent->offset);
	if (!find_block(super, block, &extent->agno, &extent->agbno) ||
		extent->count > disk_super_ag_blocks(super, extent->agno) - extent->agbno)
		return err_set(err, -EUCLEAN,
			"its extent of length %u at block %llu points to block %llu, outside of "
			"all "
			"groups",
			extent->count, (unsigned long long)extent->offset,
			(unsigned long long)block);
	return 0;
}

int disk_fork_extent(struct disk_extent *extent, const struct disk_super *super,
	const struct disk_fork *fork, uint64_t index, uint64_t least, struct err *err)
{
	return decode_extent(extent, super, disk_at(fork->data, index * EXTENT_BYTES), least,
		DISK_FORK_NO_BOUND, err);
}

/* --- The tree --- */

/* The file offset of entry @index: that of an extent, or a key. */
static uint64_t offset_of(const struct disk_bmbt *tree, unsigned index)
{
	if (tree->level)
		return disk_be64(disk_at(tree->entries, (size_t)index * KEY_BYTES));
	return (disk_be64(disk_at(tree->entries, (size_t)index * EXTENT_BYTES)) &
		       ~EXTENT_UNWRITTEN) >>
	       EXTENT_OFFSET_SHIFT;
}

/* Offsets must ascend from @low on and stay below the bound. */
static int check_order(const struct disk_bmbt *tree, uint64_t low, struct err *err)
{
	uint64_t least = low;

	for (unsigned i = 0; i < tree->count; i++) {
		uint64_t offset = offset_of(tree, i);

		if (offset < least || offset >= tree->high || (!i && offset != low))
			return err_set(err, -EUCLEAN,
				"an entry of its extent tree, block %llu, is out of order",
				(unsigned long long)offset);
		least = offset + 1;
	}
	return 0;
}

/* Above the leaves, keys take the first part of the room and pointers the second. */
static void set_parts(struct disk_bmbt *tree, const void *entries, size_t room)
{
	tree->entries = entries;
	if (tree->level)
		tree->children = disk_at(entries, room / (KEY_BYTES + POINTER_BYTES) * KEY_BYTES);
}

int disk_bmbt_open_root(struct disk_bmbt *tree, const struct disk_fork *fork, struct err *err)
{
	size_t room = fork->bytes < ROOT_HEADER_BYTES ? 0 : fork->bytes - ROOT_HEADER_BYTES;
	unsigned level, count;

	if (room < KEY_BYTES + POINTER_BYTES)
		return err_set(err, -EUCLEAN, "the inode has no room for an extent tree");
	level = DISK_FIELD(fork->data, struct xfs_bmdr_block, bb_level);
	count = DISK_FIELD(fork->data, struct xfs_bmdr_block, bb_numrecs);
	if (!level || level >= DISK_BTREE_MAX_LEVELS || !count ||
		count > room / (KEY_BYTES + POINTER_BYTES))
		return err_set(err, -EUCLEAN,
			"the root of its extent tree has %u entr%s on level %u", count,
			count == 1 ? "y" : "ies", level);
	*tree = (struct disk_bmbt){
		.ino = fork->ino,
		.high = DISK_FORK_NO_BOUND,
		.count = count,
		.level = (uint8_t)level,
	};
	set_parts(tree, disk_at(fork->data, ROOT_HEADER_BYTES), room);
	return check_order(tree, offset_of(tree, 0), err);
}

/* What only V5 has: the block knows where it is and whose. */
static int check_v5(const struct disk_super *super, const struct disk_bmbt_node *node,
	const void *block, struct err *err)
{
	uint64_t place = disk_super_block_offset(super, node->agno, node->agbno);

	if (!disk_crc_good(block, super->block_bytes, XFS_BTREE_LBLOCK_CRC_OFF))
		return err_set(err, -EBADMSG, "extent tree block %u of AG %u has a wrong checksum",
			node->agbno, node->agno);
	if (memcmp(disk_at(block, offsetof(struct xfs_btree_block, bb_u.l.bb_uuid)),
		    super->meta_uuid, DISK_UUID_BYTES))
		return err_set(err, -EUCLEAN,
			"extent tree block %u of AG %u is of another filesystem", node->agbno,
			node->agno);
	if (HEADER(block, bb_u.l.bb_owner) != node->ino ||
		HEADER(block, bb_u.l.bb_blkno) != place >> BASIC_BLOCK_LOG)
		return err_set(err, -EUCLEAN,
			"extent tree block %u of AG %u is of inode %llu, or a copy", node->agbno,
			node->agno, (unsigned long long)HEADER(block, bb_u.l.bb_owner));
	return 0;
}

int disk_bmbt_open(struct disk_bmbt *tree, const struct disk_super *super,
	const struct disk_bmbt_node *node, const void *block, struct err *err)
{
	size_t header = super->v5 ? XFS_BTREE_LBLOCK_CRC_LEN : XFS_BTREE_LBLOCK_LEN;
	size_t room = super->block_bytes - header;
	unsigned count = HEADER(block, bb_numrecs), level = HEADER(block, bb_level);
	int rc = 0;

	if (HEADER(block, bb_magic) != (super->v5 ? XFS_BMAP_CRC_MAGIC : XFS_BMAP_MAGIC))
		return err_set(err, -EUCLEAN, "block %u of AG %u is no block of an extent tree",
			node->agbno, node->agno);
	if (super->v5)
		rc = check_v5(super, node, block, err);
	if (rc)
		return rc;
	if (level != node->level || !count || count > room / EXTENT_BYTES)
		return err_set(err, -EUCLEAN,
			"extent tree block %u of AG %u has %u entr%s on level %u, not %u",
			node->agbno, node->agno, count, count == 1 ? "y" : "ies", level,
			node->level);
	*tree = (struct disk_bmbt){
		.ino = node->ino, .high = node->high, .count = count, .level = node->level};
	set_parts(tree, disk_at(block, header), room);
	return check_order(tree, node->low, err);
}

/* Where what entry @index is about ends: at the next one. */
static uint64_t end_of(const struct disk_bmbt *tree, unsigned index)
{
	return index + 1 < tree->count ? offset_of(tree, index + 1) : tree->high;
}

int disk_bmbt_child(struct disk_bmbt_node *child, const struct disk_super *super,
	const struct disk_bmbt *tree, unsigned index, struct err *err)
{
	uint64_t block = disk_be64(disk_at(tree->children, (size_t)index * POINTER_BYTES));

	*child = (struct disk_bmbt_node){
		.ino = tree->ino,
		.low = offset_of(tree, index),
		.high = end_of(tree, index),
		.level = (uint8_t)(tree->level - 1),
	};
	if (find_block(super, block, &child->agno, &child->agbno))
		return 0;
	return err_set(err, -EUCLEAN, "its extent tree points to block %llu, which is not there",
		(unsigned long long)block);
}

int disk_bmbt_extent(struct disk_extent *extent, const struct disk_super *super,
	const struct disk_bmbt *tree, unsigned index, struct err *err)
{
	return decode_extent(extent, super, disk_at(tree->entries, (size_t)index * EXTENT_BYTES),
		offset_of(tree, index), end_of(tree, index), err);
}
