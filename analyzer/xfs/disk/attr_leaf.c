// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See attr_leaf.h. A leaf has a head, a table of entries of 8 bytes that ascends by hash, and at
 * its end names and values, which entries point to in any order. No two may share bytes there, so
 * what all of them take is counted down from what the block has: a leaf cannot claim more.
 */
#include "analyzer/xfs/disk/attr_leaf.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"

#include <errno.h>

#define MAGIC_AT    8
#define LEAF_V4     0xfbee
#define LEAF_V5     0x3bee
#define NODE_V4     0xfebe
#define NODE_V5     0x3ebe
#define V5_CRC_AT   12
#define V5_PLACE_AT 16
#define V5_UUID_AT  32
#define V5_OWNER_AT 48

#define V4_COUNT_AT       12
#define V4_ENTRIES_AT     32
#define V5_COUNT_AT       56
#define V5_ENTRIES_AT     80
#define NODE_LEVEL_AT     2 /* from the count */
#define NODE_ENTRY_BYTES  8
#define NODE_CHILD_AT     4 /* in an entry */
#define V4_CHILDREN_AT    16
#define V5_CHILDREN_AT    64
#define ENTRY_BYTES       8
#define ENTRY_PLACE_AT    4
#define ENTRY_FLAGS_AT    6
#define LOCAL_HEAD_BYTES  3 /* length of the value in two, of the name in one */
#define REMOTE_HEAD_BYTES 9 /* first block, length of the value in four, of the name in one */

#define FLAG_LOCAL      0x01
#define HIDDEN_FLAGS    (0x08 | 0x80) /* as in the inode: see attr.c */
#define VALUE_MAX_BYTES 65536
#define BASIC_BLOCK_LOG 9

static int check_v5(const struct disk_super *super, const struct disk_attr_block *block,
	const void *data, struct err *err)
{
	if (!disk_crc_good(data, super->block_bytes, V5_CRC_AT))
		return err_set(err, -EBADMSG, "the checksum is wrong");
	if (memcmp(disk_at(data, V5_UUID_AT), super->meta_uuid, DISK_UUID_BYTES) != 0)
		return err_set(err, -EUCLEAN, "it belongs to another filesystem");
	if (disk_be64(disk_at(data, V5_OWNER_AT)) != block->ino)
		return err_set(err, -EUCLEAN, "it belongs to inode %llu",
			(unsigned long long)disk_be64(disk_at(data, V5_OWNER_AT)));
	if (disk_be64(disk_at(data, V5_PLACE_AT)) != block->place >> BASIC_BLOCK_LOG)
		return err_set(err, -EUCLEAN, "it is a copy of another block");
	return 0;
}

/* Whether @data has the magic of its version, and is what and where it should be: 1, 0, error. */
static int check_block(const struct disk_super *super, const struct disk_attr_block *block,
	const void *data, uint16_t magic, struct err *err)
{
	int rc;

	if (disk_be16(disk_at(data, MAGIC_AT)) != magic)
		return 0;
	rc = super->v5 ? check_v5(super, block, data, err) : 0;
	return rc ? rc : 1;
}

int disk_attr_node_open(struct disk_attr_node *node, const struct disk_super *super,
	const struct disk_attr_block *block, const void *data, struct err *err)
{
	const uint8_t *head = disk_at(data, super->v5 ? V5_COUNT_AT : V4_COUNT_AT);
	uint32_t children_at = super->v5 ? V5_CHILDREN_AT : V4_CHILDREN_AT;
	int rc = check_block(super, block, data, super->v5 ? NODE_V5 : NODE_V4, err);

	if (rc <= 0)
		return rc;
	*node = (struct disk_attr_node){
		.level = disk_be16(head + NODE_LEVEL_AT),
		.count = disk_be16(head),
		.children = disk_at(data, children_at),
	};
	if (!node->count || node->count > (super->block_bytes - children_at) / NODE_ENTRY_BYTES ||
		!node->level || node->level > DISK_ATTR_MAX_LEVELS)
		return err_set(
			err, -EUCLEAN, "it has %u children on level %u", node->count, node->level);
	return 1;
}

uint32_t disk_attr_node_child(const struct disk_attr_node *node, unsigned index)
{
	return disk_be32(node->children + (size_t)index * NODE_ENTRY_BYTES + NODE_CHILD_AT);
}

bool disk_attr_is_leaf(const struct disk_super *super, const void *data)
{
	return disk_be16(disk_at(data, MAGIC_AT)) == (super->v5 ? LEAF_V5 : LEAF_V4);
}

int disk_attr_leaf_open(struct disk_attr_leaf *leaf, const struct disk_super *super,
	const struct disk_attr_block *block, const void *data, struct err *err)
{
	uint32_t entries_at = super->v5 ? V5_ENTRIES_AT : V4_ENTRIES_AT;
	int rc = check_block(super, block, data, super->v5 ? LEAF_V5 : LEAF_V4, err);

	if (rc <= 0)
		return rc;
	*leaf = (struct disk_attr_leaf){
		.count = disk_be16(disk_at(data, super->v5 ? V5_COUNT_AT : V4_COUNT_AT)),
		.block = data,
		.block_bytes = super->block_bytes,
		.entries_at = entries_at,
	};
	if (leaf->count > (super->block_bytes - entries_at) / ENTRY_BYTES)
		return err_set(err, -EUCLEAN, "it has %u attributes, more than fit", leaf->count);
	leaf->bytes_left = super->block_bytes - entries_at - leaf->count * ENTRY_BYTES;
	return 1;
}

/* Reads lengths at @at, which has room for them; returns the bytes that the attribute takes. */
static uint32_t read_lengths(struct disk_attr_value *value, const uint8_t *at)
{
	if (!value->is_remote) {
		value->attr.value_bytes = disk_be16(at);
		value->attr.name_bytes = at[2];
		return LOCAL_HEAD_BYTES + value->attr.name_bytes + value->attr.value_bytes;
	}
	value->first_block = disk_be32(at);
	value->attr.value_bytes = disk_be32(at + 4);
	value->attr.name_bytes = at[8];
	return REMOTE_HEAD_BYTES + (uint32_t)value->attr.name_bytes;
}

int disk_attr_leaf_next(struct disk_attr_leaf *leaf, struct disk_attr_value *value, struct err *err)
{
	const uint8_t *entry = leaf->block + leaf->entries_at + (size_t)leaf->index * ENTRY_BYTES;
	uint32_t least = leaf->entries_at + leaf->count * ENTRY_BYTES, at, head, bytes;

	if (leaf->index >= leaf->count)
		return 0;
	*value = (struct disk_attr_value){
		.attr.is_hidden = entry[ENTRY_FLAGS_AT] & HIDDEN_FLAGS,
		.is_remote = !(entry[ENTRY_FLAGS_AT] & FLAG_LOCAL),
	};
	at = disk_be16(entry + ENTRY_PLACE_AT);
	head = value->is_remote ? REMOTE_HEAD_BYTES : LOCAL_HEAD_BYTES;
	if (at < least || at > leaf->block_bytes - head)
		return err_set(err, -EUCLEAN, "attribute %u lies outside of it", leaf->index);
	bytes = read_lengths(value, leaf->block + at);
	if (bytes > leaf->block_bytes - at || bytes > leaf->bytes_left)
		return err_set(err, -EUCLEAN, "attribute %u does not fit into it", leaf->index);
	if (value->attr.value_bytes > VALUE_MAX_BYTES)
		return err_set(err, -EUCLEAN, "attribute %u has a value of %u bytes", leaf->index,
			value->attr.value_bytes);
	leaf->bytes_left -= bytes;
	leaf->index++;
	return 1;
}
