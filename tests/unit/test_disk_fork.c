// SPDX-License-Identifier: GPL-2.0-or-later
/* Extents and extent trees of directories, made by hand, as they should be and not. */
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/fork.h"
#include "analyzer/xfs/disk/inode.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <string.h>

#define INO   128
#define AGBNO 77
#define AG_1  1024 /* first block number of AG 1 */

static struct disk_super super_of(unsigned version)
{
	struct disk_super super;
	char buffer[512];

	make_super(buffer, version);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	return super;
}

static int open_fork(struct disk_fork *fork, const struct disk_super *super, const void *buffer)
{
	struct xfs_inode inode;

	assert_int_equal(disk_inode_parse(&inode, super, INO, buffer, NULL), DISK_INODE_USED);
	return disk_fork_data(fork, super, &inode, buffer, NULL);
}

static void extents_in_the_inode_are_read(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 3; version++) {
		struct disk_super super = super_of(version == 3 ? 5 : 4);
		size_t at = dir_fork_at(version);
		struct disk_extent extent;
		struct disk_fork fork;
		char buffer[512];

		make_dir_inode(buffer, version, INO, 2, 8192, 2);
		put_extent(buffer, at, 0, 50, 3);
		put_extent(buffer, at + 16, (1ULL << 54) - 5, AG_1 + 999, 1);
		if (version == 3)
			put_crc(buffer, 512, INODE_CRC_AT);
		assert_int_equal(open_fork(&fork, &super, buffer), 0);
		assert_int_equal(fork.form, DISK_FORK_EXTENTS);
		assert_int_equal(fork.extents, 2);
		assert_int_equal(fork.bytes, 512 - at);
		assert_int_equal(disk_fork_extent(&extent, &super, &fork, 0, 0, NULL), 0);
		assert_int_equal(extent.offset, 0);
		assert_int_equal(extent.agno, 0);
		assert_int_equal(extent.agbno, 50);
		assert_int_equal(extent.count, 3);
		assert_int_equal(disk_fork_extent(&extent, &super, &fork, 1, 3, NULL), 0);
		assert_int_equal(extent.offset, (1ULL << 54) - 5);
		assert_int_equal(extent.agno, 1);
		assert_int_equal(extent.agbno, 999);
	}
}

static void extents_that_cannot_be_are_refused(void **state)
{
	static const struct {
		uint64_t offset, block;
		uint32_t count;
	} wrong[] = {{5, 50, 0}, {4, 50, 1}, {5, 0, 1}, {5, 1023, 2}, {5, AG_1 + 999, 2},
		{5, AG_1 + 1000, 1}, {5, 2 * AG_1 + 5, 1}, {5, (1ULL << 52) - 1, 1},
		{5, 50, (1U << 21) - 1}};
	struct disk_super super = super_of(4);
	char record[16];
	struct disk_fork fork = {.data = record};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct disk_extent extent;
		struct err err = {0};

		put_extent(record, 0, wrong[i].offset, wrong[i].block, wrong[i].count);
		assert_int_equal(disk_fork_extent(&extent, &super, &fork, 0, 5, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

static void more_extents_than_fit_are_refused(void **state)
{
	struct disk_super super = super_of(5);
	struct disk_fork fork;
	char buffer[512];

	(void)state;
	make_dir_inode(buffer, 3, INO, 2, 8192, 21);
	assert_int_equal(open_fork(&fork, &super, buffer), 0);
	make_dir_inode(buffer, 3, INO, 2, 8192, 22);
	assert_int_equal(open_fork(&fork, &super, buffer), -EUCLEAN);
	make_dir_inode(buffer, 3, INO, 2, 8192, 3);
	put8(buffer, 82, 5); /* attributes begin after 40 bytes */
	put_crc(buffer, 512, INODE_CRC_AT);
	assert_int_equal(open_fork(&fork, &super, buffer), -EUCLEAN);
}

/* The fork of attributes lies behind the other one. */
static void attributes_have_a_fork_of_their_own(void **state)
{
	struct disk_super super = super_of(5);
	struct xfs_inode inode = {.ino = INO, .attr_fork = true, .attr_extents = 2};
	struct disk_extent extent;
	struct disk_fork fork;
	char buffer[512];

	(void)state;
	make_dir_inode(buffer, 3, INO, 2, 8192, 1);
	put8(buffer, 82, 5); /* attributes begin after 40 bytes */
	put8(buffer, 83, 2); /* in extents */
	put_extent(buffer, 176 + 40, 0, 50, 1);
	put_extent(buffer, 176 + 56, 1, AG_1 + 60, 4);
	assert_int_equal(disk_fork_attr(&fork, &super, &inode, buffer, NULL), 0);
	assert_int_equal(fork.form, DISK_FORK_EXTENTS);
	assert_int_equal(fork.bytes, 512 - 176 - 40);
	assert_int_equal(fork.extents, 2);
	assert_int_equal(fork.ino, INO);
	assert_int_equal(disk_fork_extent(&extent, &super, &fork, 1, 1, NULL), 0);
	assert_int_equal(extent.offset, 1);
	assert_int_equal(extent.agno, 1);
	assert_int_equal(extent.agbno, 60);
	inode.attr_extents = (512 - 176 - 40) / 16 + 1;
	assert_int_equal(disk_fork_attr(&fork, &super, &inode, buffer, NULL), -EUCLEAN);
	put8(buffer, 83, 3); /* in a tree */
	assert_int_equal(disk_fork_attr(&fork, &super, &inode, buffer, NULL), 0);
	assert_int_equal(fork.form, DISK_FORK_BTREE);
	put8(buffer, 82, 42); /* where the inode ends */
	assert_int_equal(disk_fork_attr(&fork, &super, &inode, buffer, NULL), -EUCLEAN);
}

/* --- The tree --- */

/* A root with children for blocks from 0 and from 100 on. */
static void make_root(char buffer[static 512], unsigned version, uint16_t level, uint16_t count)
{
	size_t at = dir_fork_at(version);
	size_t pointers = at + 4 + (512 - at - 4) / 16 * 8;

	make_dir_inode(buffer, version, INO, 3, 1 << 20, 500);
	put16(buffer, at, level);
	put16(buffer, at + 2, count);
	put64(buffer, at + 4, 0);
	put64(buffer, at + 12, 100);
	put64(buffer, pointers, AGBNO);
	put64(buffer, pointers + 8, AG_1 + 5);
	if (version == 3)
		put_crc(buffer, 512, INODE_CRC_AT);
}

static void the_root_leads_to_its_children(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 3; version++) {
		struct disk_super super = super_of(version == 3 ? 5 : 4);
		struct disk_bmbt_node child;
		struct disk_bmbt tree;
		struct disk_fork fork;
		char buffer[512];

		make_root(buffer, version, 2, 2);
		assert_int_equal(open_fork(&fork, &super, buffer), 0);
		assert_int_equal(fork.form, DISK_FORK_BTREE);
		assert_int_equal(disk_bmbt_open_root(&tree, &fork, NULL), 0);
		assert_int_equal(tree.count, 2);
		assert_int_equal(disk_bmbt_child(&child, &super, &tree, 0, NULL), 0);
		assert_int_equal(child.ino, INO);
		assert_int_equal(child.agbno, AGBNO);
		assert_int_equal(child.high, 100);
		assert_int_equal(child.level, 1);
		assert_int_equal(disk_bmbt_child(&child, &super, &tree, 1, NULL), 0);
		assert_int_equal(child.agno, 1);
		assert_int_equal(child.agbno, 5);
		assert_int_equal(child.low, 100);
		assert_true(child.high == DISK_FORK_NO_BOUND);
	}
}

static void roots_that_cannot_be_are_refused(void **state)
{
	static const struct {
		uint16_t level, count;
	} wrong[] = {{0, 2}, {9, 2}, {65535, 2}, {1, 0}, {1, 26}, {1, 65535}, {1, 3}};
	struct disk_super super = super_of(4);
	struct disk_bmbt tree;
	struct disk_fork fork;
	char buffer[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};

		make_root(buffer, 2, wrong[i].level, wrong[i].count);
		assert_int_equal(open_fork(&fork, &super, buffer), 0);
		assert_int_equal(disk_bmbt_open_root(&tree, &fork, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
	fork.bytes = 8;
	assert_int_equal(disk_bmbt_open_root(&tree, &fork, NULL), -EUCLEAN);
}

static const struct disk_bmbt_node leaf_node = {
	.ino = INO, .low = 10, .high = 40, .agno = 1, .agbno = AGBNO};

static void make_leaf(char block[static 4096], unsigned version)
{
	size_t at = bmbt_entries_at(version);

	make_bmbt(block, version, INO, 1, AGBNO, 0, 3);
	put_extent(block, at, 10, 50, 5);
	put_extent(block, at + 16, 15, AG_1 + 60, 2);
	put_extent(block, at + 32, 30, 70, 10);
	if (version == 5)
		put_crc(block, 4096, BMBT_CRC_AT);
}

static void leaves_hold_extents(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		struct disk_super super = super_of(version);
		struct disk_extent extent;
		struct disk_bmbt tree;
		char block[4096];

		make_leaf(block, version);
		assert_int_equal(disk_bmbt_open(&tree, &super, &leaf_node, block, NULL), 0);
		assert_int_equal(tree.count, 3);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(disk_bmbt_extent(&extent, &super, &tree, i, NULL), 0);
		assert_int_equal(extent.offset, 30);
		assert_int_equal(extent.agbno, 70);
		assert_int_equal(extent.count, 10);
		put_extent(block, bmbt_entries_at(version) + 16, 15, AG_1 + 60, 16);
		put_extent(block, bmbt_entries_at(version) + 32, 30, 70, 11);
		assert_int_equal(disk_bmbt_extent(&extent, &super, &tree, 1, NULL), -EUCLEAN);
		assert_int_equal(disk_bmbt_extent(&extent, &super, &tree, 2, NULL), -EUCLEAN);
	}
}

static void blocks_that_cannot_be_are_refused(void **state)
{
	static const struct {
		size_t at, bytes;
		uint64_t value;
	} damages[] = {{0, 4, 0}, {4, 2, 1}, {6, 2, 0}, {6, 2, 255}, {6, 2, 65535}, {6, 2, 4},
		{24, 8, 1}, {40, 8, 1}, {56, 8, INO + 1}, {72, 8, 11 << 9}, {88, 8, 10 << 9},
		{104, 8, 40 << 9}};
	struct disk_super super = super_of(5);
	struct disk_bmbt tree;
	char block[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct err err = {0};

		make_leaf(block, 5);
		for (size_t b = 0; b < damages[i].bytes; b++)
			put8(block, damages[i].at + b,
				(uint8_t)(damages[i].value >> 8 * (damages[i].bytes - 1 - b)));
		assert_true(disk_bmbt_open(&tree, &super, &leaf_node, block, NULL) < 0);
		put_crc(block, 4096, BMBT_CRC_AT);
		assert_int_equal(disk_bmbt_open(&tree, &super, &leaf_node, block, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

static void any_flipped_bit_of_a_block_is_noticed(void **state)
{
	struct disk_super super = super_of(5);
	struct disk_bmbt tree;
	char block[4096];

	(void)state;
	make_leaf(block, 5);
	for (size_t bit = 0; bit < sizeof(block) * 8; bit++) {
		block[bit / 8] ^= (char)(1 << bit % 8);
		assert_true(disk_bmbt_open(&tree, &super, &leaf_node, block, NULL) < 0);
		block[bit / 8] ^= (char)(1 << bit % 8);
	}
}

static void children_outside_the_filesystem_are_refused(void **state)
{
	struct disk_super super = super_of(4);
	struct disk_bmbt_node node = leaf_node, child;
	size_t pointers = 24 + (4096 - 24) / 16 * 8;
	struct disk_bmbt tree;
	char block[4096];

	(void)state;
	node.level = 1;
	make_bmbt(block, 4, INO, 1, AGBNO, 1, 2);
	put64(block, 24, 10);
	put64(block, 32, 20);
	put64(block, pointers, AGBNO);
	put64(block, pointers + 8, 2 * AG_1 + 4);
	assert_int_equal(disk_bmbt_open(&tree, &super, &node, block, NULL), 0);
	assert_int_equal(disk_bmbt_child(&child, &super, &tree, 0, NULL), 0);
	assert_int_equal(child.high, 20);
	assert_int_equal(disk_bmbt_child(&child, &super, &tree, 1, NULL), -EUCLEAN);
	assert_int_equal(child.high, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extents_in_the_inode_are_read),
		cmocka_unit_test(extents_that_cannot_be_are_refused),
		cmocka_unit_test(more_extents_than_fit_are_refused),
		cmocka_unit_test(attributes_have_a_fork_of_their_own),
		cmocka_unit_test(the_root_leads_to_its_children),
		cmocka_unit_test(roots_that_cannot_be_are_refused),
		cmocka_unit_test(leaves_hold_extents),
		cmocka_unit_test(blocks_that_cannot_be_are_refused),
		cmocka_unit_test(any_flipped_bit_of_a_block_is_noticed),
		cmocka_unit_test(children_outside_the_filesystem_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
