// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See inobt.h. Short-form B+tree blocks: a header of 16 bytes, 56 with checksums; then in a leaf
 * records of 16 bytes, above it as many keys as would fit and after them the block numbers.
 */
#include "analyzer/xfs/disk/inobt.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk_compat.h"
#include "analyzer/xfs/inode.h"
#include "base/checked.h"

#include <errno.h>

#define HEADER(block, field)  DISK_FIELD(block, struct xfs_btree_block, field)
#define RECORD(record, field) DISK_FIELD(record, struct xfs_inobt_rec, field)
#define KEY_BYTES             sizeof(xfs_inobt_key_t)
#define POINTER_BYTES         sizeof(xfs_inobt_ptr_t)
#define RECORD_BYTES          sizeof(xfs_inobt_rec_t)
#define BASIC_BLOCK_LOG       9 /* bb_blkno counts 512 bytes */

static size_t header_bytes(const struct disk_super *super)
{
	return super->v5 ? XFS_BTREE_SBLOCK_CRC_LEN : XFS_BTREE_SBLOCK_LEN;
}

unsigned disk_inobt_leaf_max(const struct disk_super *super)
{
	return (unsigned)((super->block_bytes - header_bytes(super)) / RECORD_BYTES);
}

unsigned disk_inobt_node_max(const struct disk_super *super)
{
	return (unsigned)((super->block_bytes - header_bytes(super)) / (KEY_BYTES + POINTER_BYTES));
}

struct disk_inobt_node disk_inobt_root(const struct disk_agi *agi, uint32_t agno)
{
	return (struct disk_inobt_node){
		.agno = agno,
		.agbno = agi->root,
		.high = DISK_INOBT_NO_BOUND,
		.level = (uint8_t)(agi->level - 1),
		.root = true,
	};
}

static const void *record_at(const struct disk_super *super, const void *block, unsigned index)
{
	return disk_at(block, header_bytes(super) + index * RECORD_BYTES);
}

static const void *key_at(const struct disk_super *super, const void *block, unsigned index)
{
	return disk_at(block, header_bytes(super) + index * KEY_BYTES);
}

/* The key of record or child @index: both begin with an agino. */
static uint32_t first_ino(const struct disk_super *super, const struct disk_inobt_node *node,
	const void *block, unsigned index)
{
	return disk_be32(
		node->level ? key_at(super, block, index) : record_at(super, block, index));
}

/* What only V5 has: the block knows where it is and whose. */
static int check_v5(const struct disk_super *super, const struct disk_inobt_node *node,
	const void *block, struct err *err)
{
	uint64_t offset = disk_super_block_offset(super, node->agno, node->agbno);

	if (!disk_crc_good(block, super->block_bytes, XFS_BTREE_SBLOCK_CRC_OFF))
		return err_set(
			err, -EBADMSG, "inode tree block %u has a wrong checksum", node->agbno);
	if (memcmp(disk_at(block, offsetof(struct xfs_btree_block, bb_u.s.bb_uuid)),
		    super->meta_uuid, DISK_UUID_BYTES))
		return err_set(
			err, -EUCLEAN, "inode tree block %u is of another filesystem", node->agbno);
	if (HEADER(block, bb_u.s.bb_owner) != node->agno ||
		HEADER(block, bb_u.s.bb_blkno) != offset >> BASIC_BLOCK_LOG)
		return err_set(err, -EUCLEAN, "inode tree block %u is a copy of another block",
			node->agbno);
	return 0;
}

static bool sibling_fits(uint32_t sibling, uint32_t blocks)
{
	return sibling == NULLAGBLOCK || (sibling && sibling < blocks);
}

static int check_header(const struct disk_super *super, const struct disk_inobt_node *node,
	const void *block, struct err *err)
{
	uint32_t blocks = disk_super_ag_blocks(super, node->agno);
	unsigned max = node->level ? disk_inobt_node_max(super) : disk_inobt_leaf_max(super);
	unsigned count = HEADER(block, bb_numrecs);

	if (HEADER(block, bb_level) != node->level)
		return err_set(err, -EUCLEAN, "inode tree block %u is on level %u, not %u",
			node->agbno, HEADER(block, bb_level), node->level);
	if (count > max || (!count && !(node->root && !node->level)))
		return err_set(err, -EUCLEAN, "inode tree block %u holds %u of at most %u entries",
			node->agbno, count, max);
	if (!sibling_fits(HEADER(block, bb_u.s.bb_leftsib), blocks) ||
		!sibling_fits(HEADER(block, bb_u.s.bb_rightsib), blocks))
		return err_set(err, -EUCLEAN,
			"inode tree block %u has neighbours outside its group", node->agbno);
	return (int)count;
}

/* The keys must ascend, records by a whole chunk, and lie in the node's range. */
static int check_keys(const struct disk_super *super, const struct disk_inobt_node *node,
	const void *block, int count, struct err *err)
{
	uint64_t step = node->level ? 1 : XFS_CHUNK_INODES;
	uint64_t least = node->low;

	for (int i = 0; i < count; i++) {
		uint32_t key = first_ino(super, node, block, (unsigned)i);

		if (key < least || key + step > node->high ||
			(!i && !node->root && key != node->low))
			return err_set(err, -EUCLEAN,
				"inode tree block %u: entry %d, inode %u, is out of order",
				node->agbno, i, key);
		least = key + step;
	}
	return count;
}

int disk_inobt_check(const struct disk_super *super, const struct disk_inobt_node *node,
	const void *block, struct err *err)
{
	int count;

	if (HEADER(block, bb_magic) != (super->v5 ? XFS_IBT_CRC_MAGIC : XFS_IBT_MAGIC))
		return err_set(
			err, -EUCLEAN, "block %u is no block of the inode tree", node->agbno);
	if (super->v5) {
		int rc = check_v5(super, node, block, err);

		if (rc)
			return rc;
	}
	count = check_header(super, node, block, err);
	return count < 0 ? count : check_keys(super, node, block, count, err);
}

/* Each bit of a hole mask stands for four inodes that do not exist. */
static uint64_t existing_inodes(uint16_t holemask)
{
	uint64_t holes = 0;

	for (unsigned bit = 0; bit < XFS_INOBT_HOLEMASK_BITS; bit++) {
		if (holemask & 1U << bit)
			holes |= 0xfULL << bit * XFS_INODES_PER_HOLEMASK_BIT;
	}
	return ~holes;
}

/* Splits a record into the inodes that exist and those that are free among them. */
static void decode(struct disk_inobt_record *out, const struct disk_super *super,
	const void *record, uint64_t *existing, uint32_t *free_count)
{
	*existing = UINT64_MAX;
	out->first = RECORD(record, ir_startino);
	out->count = XFS_INODES_PER_CHUNK;
	*free_count = RECORD(record, ir_u.f.ir_freecount);
	if (super->sparse_inodes) {
		*existing = existing_inodes(RECORD(record, ir_u.sp.ir_holemask));
		out->count = RECORD(record, ir_u.sp.ir_count);
		*free_count = RECORD(record, ir_u.sp.ir_freecount);
	}
	out->used = ~RECORD(record, ir_free) & *existing;
}

/* Whether the inodes of a record lie in the AG and its counts agree with its masks. */
static bool record_fits(const struct disk_super *super, const struct disk_inobt_node *node,
	const struct disk_inobt_record *record, uint64_t existing, uint32_t free_count)
{
	uint64_t limit = (uint64_t)disk_super_ag_blocks(super, node->agno) << super->inopb_log;
	uint32_t unit = (uint32_t)min_u64(super->inodes_per_block, XFS_CHUNK_INODES);

	return existing && record->first % unit == 0 &&
	       record->first + 63ULL - (unsigned)__builtin_clzll(existing) < limit &&
	       record->count == __builtin_popcountll(existing) && free_count <= record->count &&
	       record->count - free_count == (uint32_t)__builtin_popcountll(record->used);
}

int disk_inobt_record(struct disk_inobt_record *out, const struct disk_super *super,
	const struct disk_inobt_node *node, const void *block, unsigned index, struct err *err)
{
	uint32_t free_count;
	uint64_t existing;

	decode(out, super, record_at(super, block, index), &existing, &free_count);
	if (!record_fits(super, node, out, existing, free_count))
		return err_set(err, -EUCLEAN,
			"inode tree block %u: entry %u, inode %u, contradicts itself", node->agbno,
			index, out->first);
	out->free_count = (uint8_t)free_count;
	return 0;
}

int disk_inobt_child(struct disk_inobt_node *child, const struct disk_super *super,
	const struct disk_inobt_node *node, const void *block, unsigned index, unsigned count,
	struct err *err)
{
	const void *pointers = key_at(super, block, disk_inobt_node_max(super));
	bool last = index + 1 == count;

	*child = (struct disk_inobt_node){
		.agno = node->agno,
		.agbno = disk_be32(disk_at(pointers, index * POINTER_BYTES)),
		.low = first_ino(super, node, block, index),
		.high = last ? node->high : first_ino(super, node, block, index + 1),
		.level = (uint8_t)(node->level - 1),
	};
	if (child->agbno && child->agbno < disk_super_ag_blocks(super, node->agno))
		return 0;
	return err_set(err, -EUCLEAN, "inode tree block %u points to block %u, outside its group",
		node->agbno, child->agbno);
}
