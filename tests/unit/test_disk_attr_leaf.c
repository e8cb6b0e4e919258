// SPDX-License-Identifier: GPL-2.0-or-later
/* Leaves of attributes, made by hand, as they should be and not. */
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/attr_leaf.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <string.h>

#define INO    128
#define PLACE  (64 * 1024)
#define LOCAL  0x01
#define PARENT 0x08
#define HALF   0x80

struct fixture {
	struct disk_super super;
	char block[65536];
	uint32_t end; /* names and values grow downwards from here */
	unsigned count;
};

static uint32_t entries_at(const struct fixture *fixture)
{
	return fixture->super.v5 ? 80 : 32;
}

static void begin(struct fixture *fixture, unsigned version)
{
	char super[512];

	memset(fixture, 0, sizeof(*fixture));
	make_super(super, version);
	assert_int_equal(disk_super_parse(&fixture->super, super, sizeof(super), NULL), 0);
	fixture->end = fixture->super.block_bytes;
	put16(fixture->block, 8, version == 5 ? 0x3bee : 0xfbee);
	if (version == 5) {
		put64(fixture->block, 16, PLACE >> 9);
		memcpy(fixture->block + 32, fixture->super.meta_uuid, DISK_UUID_BYTES);
		put64(fixture->block, 48, INO);
	}
}

static void put_attr_entry(struct fixture *fixture, uint8_t flags)
{
	uint32_t at = entries_at(fixture) + 8 * fixture->count++;

	put16(fixture->block, at + 4, (uint16_t)fixture->end);
	put8(fixture->block, at + 6, flags);
	put16(fixture->block, fixture->super.v5 ? 56 : 12, (uint16_t)fixture->count);
}

static void put_local(struct fixture *fixture, uint8_t name, uint16_t value, uint8_t flags)
{
	fixture->end -= 3U + name + value;
	put16(fixture->block, fixture->end, value);
	put8(fixture->block, fixture->end + 2, name);
	put_attr_entry(fixture, flags | LOCAL);
}

static void put_remote(struct fixture *fixture, uint8_t name, uint32_t value)
{
	fixture->end -= 9U + name;
	put32(fixture->block, fixture->end, 7);
	put32(fixture->block, fixture->end + 4, value);
	put8(fixture->block, fixture->end + 8, name);
	put_attr_entry(fixture, 0);
}

static int open_it(struct fixture *fixture, struct disk_attr_leaf *leaf)
{
	const struct disk_attr_block block = {.ino = INO, .place = PLACE};

	if (fixture->super.v5)
		put_crc(fixture->block, fixture->super.block_bytes, 12);
	return disk_attr_leaf_open(leaf, &fixture->super, &block, fixture->block, NULL);
}

static void list_both(unsigned version)
{
	struct disk_attr_value value;
	struct disk_attr_leaf leaf;
	struct fixture fixture;

	begin(&fixture, version);
	put_local(&fixture, 4, 300, 0);
	put_remote(&fixture, 12, 60000);
	put_local(&fixture, 7, 12, PARENT);
	put_local(&fixture, 7, 12, HALF);
	assert_int_equal(open_it(&fixture, &leaf), 1);
	assert_int_equal(leaf.count, 4);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), 1);
	assert_int_equal(value.attr.name_bytes, 4);
	assert_int_equal(value.attr.value_bytes, 300);
	assert_false(value.is_remote || value.attr.is_hidden);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), 1);
	assert_int_equal(value.attr.name_bytes, 12);
	assert_int_equal(value.attr.value_bytes, 60000);
	assert_true(value.is_remote);
	assert_int_equal(value.first_block, 7);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), 1);
		assert_true(value.attr.is_hidden);
	}
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), 0);
}

static void attributes_are_listed(void **state)
{
	(void)state;
	list_both(4);
	list_both(5);
}

/* A wrong checksum, owner, place or filesystem; and what is no leaf is none. */
static void others_blocks_are_refused(void **state)
{
	const size_t wrong[] = {16, 32, 48};
	const struct disk_attr_block block = {.ino = INO, .place = PLACE};
	struct disk_attr_leaf leaf;
	struct fixture fixture;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		begin(&fixture, 5);
		fixture.block[wrong[i]] ^= 1;
		assert_int_equal(open_it(&fixture, &leaf), -EUCLEAN);
	}
	begin(&fixture, 5);
	assert_int_equal(open_it(&fixture, &leaf), 1);
	fixture.block[100] ^= 1;
	assert_int_equal(
		disk_attr_leaf_open(&leaf, &fixture.super, &block, fixture.block, NULL), -EBADMSG);
	put16(fixture.block, 8, 0x3ebe);
	assert_int_equal(open_it(&fixture, &leaf), 0);
}

/* Too many, outside of the block, longer than it, sharing bytes, a value no attribute can have. */
static void nonsense_is_refused(void **state)
{
	struct disk_attr_value value;
	struct disk_attr_leaf leaf;
	struct fixture fixture;

	(void)state;
	begin(&fixture, 4);
	put16(fixture.block, 12, (uint16_t)((fixture.super.block_bytes - 32) / 8 + 1));
	assert_int_equal(open_it(&fixture, &leaf), -EUCLEAN);
	begin(&fixture, 4);
	put_local(&fixture, 4, 30, 0);
	put16(fixture.block, 36, 39);
	assert_int_equal(open_it(&fixture, &leaf), 1);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), -EUCLEAN);
	put16(fixture.block, 36, (uint16_t)(fixture.super.block_bytes - 2));
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), -EUCLEAN);
	begin(&fixture, 4);
	put_local(&fixture, 4, 30, 0);
	put16(fixture.block, fixture.end, 31);
	assert_int_equal(open_it(&fixture, &leaf), 1);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), -EUCLEAN);
	begin(&fixture, 4);
	put_local(&fixture, 200, (uint16_t)(fixture.super.block_bytes / 2), 0);
	put_attr_entry(&fixture, LOCAL);
	assert_int_equal(open_it(&fixture, &leaf), 1);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), 1);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), -EUCLEAN);
	begin(&fixture, 4);
	put_remote(&fixture, 4, 65537);
	assert_int_equal(open_it(&fixture, &leaf), 1);
	assert_int_equal(disk_attr_leaf_next(&leaf, &value, NULL), -EUCLEAN);
}

static int open_node(struct fixture *fixture, struct disk_attr_node *node)
{
	const struct disk_attr_block block = {.ino = INO, .place = PLACE};

	if (fixture->super.v5)
		put_crc(fixture->block, fixture->super.block_bytes, 12);
	return disk_attr_node_open(node, &fixture->super, &block, fixture->block, NULL);
}

static void make_node(struct fixture *fixture, unsigned version, uint16_t count, uint16_t level)
{
	begin(fixture, version);
	put16(fixture->block, 8, version == 5 ? 0x3ebe : 0xfebe);
	put16(fixture->block, version == 5 ? 56 : 12, count);
	put16(fixture->block, version == 5 ? 58 : 14, level);
}

/* Nodes lead to all their children, and are not taken for leaves, nor leaves for nodes. */
static void nodes_lead_to_their_children(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		size_t at = version == 5 ? 64 : 16;
		struct disk_attr_node node;
		struct disk_attr_leaf leaf;
		struct fixture fixture;

		make_node(&fixture, version, 3, 2);
		for (unsigned i = 0; i < 3; i++)
			put32(fixture.block, at + i * 8 + 4, 70 + i);
		assert_int_equal(open_node(&fixture, &node), 1);
		assert_int_equal(node.level, 2);
		assert_int_equal(node.count, 3);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(disk_attr_node_child(&node, i), 70 + i);
		assert_int_equal(open_it(&fixture, &leaf), 0);
		assert_false(disk_attr_is_leaf(&fixture.super, fixture.block));
		begin(&fixture, version);
		assert_int_equal(open_node(&fixture, &node), 0);
		assert_true(disk_attr_is_leaf(&fixture.super, fixture.block));
	}
}

/* No children, more than fit, on the level of leaves, on one that no tree has. */
static void nodes_that_cannot_be_are_refused(void **state)
{
	struct disk_attr_node node;
	struct fixture fixture;

	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		uint16_t most;

		begin(&fixture, version);
		most = (uint16_t)((fixture.super.block_bytes - (version == 5 ? 64 : 16)) / 8);
		make_node(&fixture, version, most, 1);
		assert_int_equal(open_node(&fixture, &node), 1);
		make_node(&fixture, version, (uint16_t)(most + 1), 1);
		assert_int_equal(open_node(&fixture, &node), -EUCLEAN);
		make_node(&fixture, version, 0, 1);
		assert_int_equal(open_node(&fixture, &node), -EUCLEAN);
		make_node(&fixture, version, 1, 0);
		assert_int_equal(open_node(&fixture, &node), -EUCLEAN);
		make_node(&fixture, version, 1, DISK_ATTR_MAX_LEVELS + 1);
		assert_int_equal(open_node(&fixture, &node), -EUCLEAN);
	}
	make_node(&fixture, 5, 1, 1);
	put64(fixture.block, 48, INO + 1);
	assert_int_equal(open_node(&fixture, &node), -EUCLEAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_listed),
		cmocka_unit_test(others_blocks_are_refused),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(nodes_lead_to_their_children),
		cmocka_unit_test(nodes_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
