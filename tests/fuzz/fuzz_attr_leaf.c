// SPDX-License-Identifier: GPL-2.0-or-later
/* Any block of attributes: what it says fits into it, and values are no longer than they can be. */
#include "tests/fuzz/fuzz_disk.h"

#include "analyzer/xfs/disk/attr_leaf.h"

#define ATTR_CRC_AT     12
#define LOCAL_LEAST     3 /* what an attribute takes beside name and value */
#define VALUE_MAX_BYTES 65536
#define INO             128
#define PLACE           4096

static void take_leaf(struct disk_attr_leaf *leaf, uint32_t block_bytes)
{
	struct disk_attr_value value;
	struct err err = {0};
	uint64_t bytes = 0;
	unsigned count = 0;
	int rc;

	while ((rc = disk_attr_leaf_next(leaf, &value, &err)) > 0) {
		FUZZ_ASSERT(count++ < leaf->count);
		FUZZ_ASSERT(value.attr.value_bytes <= VALUE_MAX_BYTES);
		bytes += LOCAL_LEAST + value.attr.name_bytes;
		bytes += value.is_remote ? 0 : value.attr.value_bytes;
		FUZZ_ASSERT(bytes <= block_bytes);
	}
	FUZZ_ASSERT(rc ? err.message[0] : count == leaf->count);
}

static void take_node(const struct disk_attr_node *node, uint32_t block_bytes)
{
	uint64_t sum = 0;

	FUZZ_ASSERT(node->level && node->level <= DISK_ATTR_MAX_LEVELS);
	FUZZ_ASSERT(node->count && node->count <= block_bytes / 8);
	for (unsigned i = 0; i < node->count; i++)
		sum += disk_attr_node_child(node, i);
	FUZZ_ASSERT(sum <= (uint64_t)node->count * UINT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct disk_attr_block where = {.ino = INO, .place = PLACE};
	struct disk_attr_leaf leaf;
	struct disk_attr_node node;
	struct disk_super super;
	struct err err = {0};
	uint8_t *block;
	int rc;

	if (!size)
		return 0;
	super = fuzz_super(data[0]);
	block = fuzz_block(data, size, super.block_bytes, ATTR_CRC_AT);
	rc = disk_attr_leaf_open(&leaf, &super, &where, block, &err);
	FUZZ_ASSERT(rc >= 0 || err.message[0]);
	if (rc > 0)
		take_leaf(&leaf, super.block_bytes);
	err_clear(&err);
	rc = disk_attr_node_open(&node, &super, &where, block, &err);
	FUZZ_ASSERT(rc >= 0 || err.message[0]);
	if (rc > 0)
		take_node(&node, super.block_bytes);
	free(block);
	return 0;
}
