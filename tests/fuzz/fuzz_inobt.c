// SPDX-License-Identifier: GPL-2.0-or-later
/* Any block of an inode B+tree: records and children lie in the AG and in the block's range. */
#include "tests/fuzz/fuzz_disk.h"

#include "analyzer/xfs/disk/inobt.h"

#define INOBT_CRC_AT 52

static void take_records(const struct disk_super *super, const struct disk_inobt_node *node,
	const uint8_t *block, int count)
{
	uint64_t least = 0;

	for (int i = 0; i < count; i++) {
		struct disk_inobt_record record;
		struct err err = {0};

		if (disk_inobt_record(&record, super, node, block, (unsigned)i, &err)) {
			FUZZ_ASSERT(err.message[0]);
			continue;
		}
		FUZZ_ASSERT(record.first >= least);
		FUZZ_ASSERT(record.count <= 64 && record.free_count <= record.count);
		for (unsigned bit = 0; bit < 64; bit++)
			FUZZ_ASSERT(!(record.used >> bit & 1) ||
				    record.first + bit <
					    (uint64_t)disk_super_ag_blocks(super, node->agno)
						    << super->inopb_log);
		least = record.first + 64ULL;
	}
}

static void take_children(const struct disk_super *super, const struct disk_inobt_node *node,
	const uint8_t *block, int count)
{
	uint64_t least = 0;

	for (int i = 0; i < count; i++) {
		struct disk_inobt_node child;
		struct err err = {0};

		if (disk_inobt_child(
			    &child, super, node, block, (unsigned)i, (unsigned)count, &err)) {
			FUZZ_ASSERT(err.message[0]);
			continue;
		}
		FUZZ_ASSERT(child.agbno && child.agbno < disk_super_ag_blocks(super, node->agno));
		FUZZ_ASSERT(child.low >= least && child.high > child.low);
		FUZZ_ASSERT(child.level == node->level - 1);
		least = child.high;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disk_inobt_node node = {.agbno = 3, .high = DISK_INOBT_NO_BOUND, .root = true};
	struct disk_super super;
	struct err err = {0};
	uint8_t *block;
	int count;

	if (!size)
		return 0;
	super = fuzz_super(data[0]);
	node.level = data[0] >> 5 & 1;
	block = fuzz_block(data, size, super.block_bytes, INOBT_CRC_AT);
	count = disk_inobt_check(&super, &node, block, &err);
	FUZZ_ASSERT(count >= 0 || err.message[0]);
	if (node.level)
		take_children(&super, &node, block, count);
	else
		take_records(&super, &node, block, count);
	free(block);
	return 0;
}
