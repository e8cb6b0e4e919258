// SPDX-License-Identifier: GPL-2.0-or-later
/* Any block of an extent tree, its root in an inode, and any list of extents. */
#include "tests/fuzz/fuzz_disk.h"

#include "analyzer/xfs/disk/fork.h"

#define BMBT_CRC_AT 64
#define FUZZ_LEVEL  0x20
#define FUZZ_ROOT   0x10
#define FUZZ_LIST   0x08
#define INO         128

static void check_place(const struct disk_super *super, uint32_t agno, uint64_t end)
{
	FUZZ_ASSERT(agno < super->agcount);
	FUZZ_ASSERT(end <= disk_super_ag_blocks(super, agno));
}

static void check_extent(
	const struct disk_super *super, const struct disk_extent *extent, uint64_t *least)
{
	FUZZ_ASSERT(extent->count && extent->agbno);
	FUZZ_ASSERT(extent->offset >= *least);
	check_place(super, extent->agno, (uint64_t)extent->agbno + extent->count);
	*least = extent->offset + extent->count;
}

static void take_tree(const struct disk_super *super, const struct disk_bmbt *tree)
{
	uint64_t least = 0;

	for (unsigned i = 0; i < tree->count; i++) {
		struct disk_bmbt_node child;
		struct disk_extent extent;
		struct err err = {0};

		if (tree->level ? disk_bmbt_child(&child, super, tree, i, &err)
				: disk_bmbt_extent(&extent, super, tree, i, &err)) {
			FUZZ_ASSERT(err.message[0]);
		} else if (tree->level) {
			FUZZ_ASSERT(child.low >= least && child.high > child.low);
			FUZZ_ASSERT(child.level == tree->level - 1 && child.agbno);
			check_place(super, child.agno, child.agbno + 1ULL);
			least = child.high;
		} else {
			check_extent(super, &extent, &least);
		}
	}
}

static void take_list(const struct disk_super *super, struct disk_fork *fork)
{
	uint64_t least = 0;

	for (uint64_t i = 0; i < fork->bytes / 16; i++) {
		struct disk_extent extent;
		struct err err = {0};

		if (disk_fork_extent(&extent, super, fork, i, least, &err))
			FUZZ_ASSERT(err.message[0]);
		else
			check_extent(super, &extent, &least);
	}
}

static void fuzz_inode(const struct disk_super *super, const uint8_t *data, size_t size)
{
	struct disk_fork fork = {.form = DISK_FORK_BTREE, .ino = INO};
	struct disk_bmbt tree;
	struct err err = {0};
	uint8_t *room;

	if (size < 2)
		return;
	fork.bytes = 8 + data[1] % 42 * 8U;
	room = calloc(1, fork.bytes);
	FUZZ_ASSERT(room);
	memcpy(room, data + 2, size - 2 < fork.bytes ? size - 2 : fork.bytes);
	fork.data = room;
	if (data[0] & FUZZ_LIST)
		take_list(super, &fork);
	else if (disk_bmbt_open_root(&tree, &fork, &err))
		FUZZ_ASSERT(err.message[0]);
	else
		take_tree(super, &tree);
	free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disk_bmbt_node node = {.ino = INO, .agbno = 3, .high = DISK_FORK_NO_BOUND};
	struct disk_super super;
	struct disk_bmbt tree;
	struct err err = {0};
	uint8_t *block;

	if (!size)
		return 0;
	super = fuzz_super(data[0]);
	if (data[0] & FUZZ_ROOT) {
		fuzz_inode(&super, data, size);
		return 0;
	}
	node.level = data[0] & FUZZ_LEVEL ? 1 : 0;
	block = fuzz_block(data, size, super.block_bytes, BMBT_CRC_AT);
	if (disk_bmbt_open(&tree, &super, &node, block, &err))
		FUZZ_ASSERT(err.message[0]);
	else
		take_tree(&super, &tree);
	free(block);
	return 0;
}
