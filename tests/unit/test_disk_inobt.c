// SPDX-License-Identifier: GPL-2.0-or-later
/* The AGI and the blocks of the inode B+tree. */
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/inobt.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <string.h>

static struct disk_super super_of(unsigned version)
{
	struct disk_super super;
	char buffer[512];

	make_super(buffer, version);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	return super;
}

static const struct disk_inobt_node root_leaf = {
	.agno = 1, .agbno = 3, .high = DISK_INOBT_NO_BOUND, .root = true};
static const struct disk_inobt_node root_node = {
	.agno = 1, .agbno = 3, .high = DISK_INOBT_NO_BOUND, .root = true, .level = 1};

static void agi_is_understood(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		struct disk_super super = super_of(version);
		struct disk_agi agi;
		char sector[512];

		make_agi(sector, version, 1);
		assert_int_equal(disk_agi_parse(&agi, &super, 1, sector, NULL), 0);
		assert_int_equal(agi.count, 128);
		assert_int_equal(agi.free_count, 28);
		assert_int_equal(agi.root, 3);
		assert_int_equal(agi.level, 1);
		assert_int_equal(disk_agi_offset(&super, 1), 1024 * 4096 + 1024);
		assert_int_equal(disk_agi_parse(&agi, &super, 0, sector, NULL), -EUCLEAN);
	}
}

static void hostile_agi_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
	} damages[] = {{0, 0}, {4, 2}, {8, 0}, {12, 1024}, {12, 0}, {16, 8001}, {16, UINT32_MAX},
		{16, 27}, {20, 0}, {20, 1000}, {20, UINT32_MAX}, {24, 0}, {24, 10},
		{24, UINT32_MAX}, {28, 129}, {296, 0}};
	struct disk_super super = super_of(5);

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct disk_agi agi;
		struct err err = {0};
		char sector[512];

		make_agi(sector, 5, 1);
		put32(sector, damages[i].at, damages[i].value);
		assert_int_not_equal(disk_agi_parse(&agi, &super, 1, sector, NULL), 0);
		put_crc(sector, sizeof(sector), AGI_CRC_AT);
		assert_int_equal(disk_agi_parse(&agi, &super, 1, sector, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

static void agi_checksum_is_checked(void **state)
{
	struct disk_super super = super_of(5);
	struct disk_agi agi;
	char sector[512];

	(void)state;
	make_agi(sector, 5, 1);
	sector[500] = 1;
	assert_int_equal(disk_agi_parse(&agi, &super, 1, sector, NULL), -EBADMSG);
}

static void leaf_gives_its_records(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		struct disk_super super = super_of(version);
		struct disk_inobt_record record;
		char block[4096];

		make_inobt(block, version, 1, 3, 0, 2);
		put_record(block, version, 0, 64, 0, 64, 1, 1ULL << 63);
		put_record(block, version, 1, 128, 0, 64, 64, UINT64_MAX);
		put_crc(block, sizeof(block), INOBT_CRC_AT);
		if (version == 4) /* there the checksum's place is the third record's */
			put32(block, INOBT_CRC_AT, 0);
		assert_int_equal(disk_inobt_check(&super, &root_leaf, block, NULL), 2);
		assert_int_equal(disk_inobt_record(&record, &super, &root_leaf, block, 0, NULL), 0);
		assert_int_equal(record.first, 64);
		assert_int_equal(record.used, UINT64_MAX >> 1);
		assert_int_equal(record.count, 64);
		assert_int_equal(record.free_count, 1);
		assert_int_equal(disk_inobt_record(&record, &super, &root_leaf, block, 1, NULL), 0);
		assert_int_equal(record.used, 0);
	}
}

static void sparse_chunk_has_no_inodes_in_its_holes(void **state)
{
	struct disk_super super = super_of(5);
	struct disk_inobt_record record;
	char block[4096];

	(void)state;
	make_inobt(block, 5, 1, 3, 0, 1);
	put_record(block, 5, 0, 64, 0xff00, 32, 2, 0xffffffff00000003ULL);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_record(&record, &super, &root_leaf, block, 0, NULL), 0);
	assert_int_equal(record.used, 0xfffffffcULL);
	assert_int_equal(record.count, 32);
	/* the end of the AG: 1000 blocks of 8 inodes, the second half would lie outside */
	put_record(block, 5, 0, 7968, 0xff00, 32, 2, 0xffffffff00000003ULL);
	assert_int_equal(disk_inobt_record(&record, &super, &root_leaf, block, 0, NULL), 0);
	put_record(block, 5, 0, 7968, 0xfe00, 36, 2, 0xfffffff000000003ULL);
	assert_int_equal(disk_inobt_record(&record, &super, &root_leaf, block, 0, NULL), -EUCLEAN);
}

static void record_that_contradicts_itself_is_refused(void **state)
{
	static const struct {
		uint32_t first;
		uint16_t holes;
		uint8_t count, free_count;
		uint64_t free_mask;
	} damages[] = {
		{65, 0, 64, 0, 0},              /* in the middle of a block */
		{7944, 0, 64, 0, 0},            /* reaches over the end of the AG */
		{8000, 0, 64, 0, 0},            /* begins there */
		{UINT32_MAX - 7, 0, 64, 0, 0},  /* would wrap */
		{64, 0, 63, 0, 0},              /* counts too few */
		{64, 0, 64, 1, 0},              /* free ones that the mask does not show */
		{64, 0, 64, 0, 1},              /* the other way round */
		{64, 0xffff, 0, 0, UINT64_MAX}, /* nothing exists */
		{64, 0, 64, 65, UINT64_MAX},    /* more free than there are */
	};
	struct disk_super super = super_of(5);

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct disk_inobt_record record;
		struct err err = {0};
		char block[4096];

		make_inobt(block, 5, 1, 3, 0, 1);
		put_record(block, 5, 0, damages[i].first, damages[i].holes, damages[i].count,
			damages[i].free_count, damages[i].free_mask);
		assert_int_equal(
			disk_inobt_record(&record, &super, &root_leaf, block, 0, &err), -EUCLEAN);
		assert_non_null(strstr(err.message, "block 3"));
	}
}

static void keys_ascend_by_whole_chunks(void **state)
{
	struct disk_super super = super_of(5);
	struct disk_inobt_node leaf = {.agno = 1, .agbno = 3, .low = 64, .high = 192};
	char block[4096];

	(void)state;
	make_inobt(block, 5, 1, 3, 0, 2);
	put_record(block, 5, 0, 64, 0, 64, 0, 0);
	put_record(block, 5, 1, 128, 0, 64, 0, 0);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_check(&super, &leaf, block, NULL), 2);
	leaf.high = 191; /* the second chunk reaches into the next leaf's */
	assert_int_equal(disk_inobt_check(&super, &leaf, block, NULL), -EUCLEAN);
	leaf.high = 192;
	leaf.low = 0; /* the parent says another first key: a block met a second time */
	assert_int_equal(disk_inobt_check(&super, &leaf, block, NULL), -EUCLEAN);
	leaf.low = 64;
	put_record(block, 5, 1, 120, 0, 64, 0, 0);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_check(&super, &leaf, block, NULL), -EUCLEAN);
	put_record(block, 5, 1, 64, 0, 64, 0, 0);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_check(&super, &leaf, block, NULL), -EUCLEAN);
}

static void node_gives_its_children_with_their_ranges(void **state)
{
	struct disk_super super = super_of(5);
	size_t keys = 56, pointers = 56 + 505 * 4;
	struct disk_inobt_node child;
	char block[4096];

	(void)state;
	assert_int_equal(disk_inobt_node_max(&super), 505);
	assert_int_equal(disk_inobt_leaf_max(&super), 252);
	make_inobt(block, 5, 1, 3, 1, 2);
	put32(block, keys, 64);
	put32(block, keys + 4, 640);
	put32(block, pointers, 10);
	put32(block, pointers + 4, 1000);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_check(&super, &root_node, block, NULL), 2);
	assert_int_equal(disk_inobt_child(&child, &super, &root_node, block, 0, 2, NULL), 0);
	assert_int_equal(child.agno, 1);
	assert_int_equal(child.agbno, 10);
	assert_int_equal(child.low, 64);
	assert_int_equal(child.high, 640);
	assert_int_equal(child.level, 0);
	assert_false(child.root);
	assert_int_equal(disk_inobt_child(&child, &super, &root_node, block, 1, 2, NULL), -EUCLEAN);
	put32(block, pointers + 4, 0);
	assert_int_equal(disk_inobt_child(&child, &super, &root_node, block, 1, 2, NULL), -EUCLEAN);
	put32(block, pointers + 4, 999);
	assert_int_equal(disk_inobt_child(&child, &super, &root_node, block, 1, 2, NULL), 0);
	assert_int_equal(child.high, DISK_INOBT_NO_BOUND);
}

static void hostile_block_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
	} damages[] = {{0, 0}, {0, 0x46494233 /* the tree of free inodes */}, {4, 0x00010001},
		{4, 253}, {4, 0x0000ffff}, {8, 1000}, {8, 0}, {12, 5000}, {16, 1}, {20, 1}, {32, 0},
		{48, 0}, {48, 2}};
	struct disk_super super = super_of(5);

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct err err = {0};
		char block[4096];

		make_inobt(block, 5, 1, 3, 0, 1);
		put_record(block, 5, 0, 64, 0, 64, 0, 0);
		put_crc(block, sizeof(block), INOBT_CRC_AT);
		assert_int_equal(disk_inobt_check(&super, &root_leaf, block, NULL), 1);
		put32(block, damages[i].at, damages[i].value);
		assert_true(disk_inobt_check(&super, &root_leaf, block, NULL) < 0);
		put_crc(block, sizeof(block), INOBT_CRC_AT);
		assert_int_equal(disk_inobt_check(&super, &root_leaf, block, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

static void only_a_root_may_be_empty(void **state)
{
	struct disk_super super = super_of(5);
	struct disk_inobt_node leaf = {.agno = 1, .agbno = 3, .high = DISK_INOBT_NO_BOUND};
	char block[4096];

	(void)state;
	make_inobt(block, 5, 1, 3, 0, 0);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_check(&super, &root_leaf, block, NULL), 0);
	assert_int_equal(disk_inobt_check(&super, &leaf, block, NULL), -EUCLEAN);
	make_inobt(block, 5, 1, 3, 1, 0);
	put_crc(block, sizeof(block), INOBT_CRC_AT);
	assert_int_equal(disk_inobt_check(&super, &root_node, block, NULL), -EUCLEAN);
	block[4000] = 1;
	assert_int_equal(disk_inobt_check(&super, &root_node, block, NULL), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agi_is_understood),
		cmocka_unit_test(hostile_agi_is_refused),
		cmocka_unit_test(agi_checksum_is_checked),
		cmocka_unit_test(leaf_gives_its_records),
		cmocka_unit_test(sparse_chunk_has_no_inodes_in_its_holes),
		cmocka_unit_test(record_that_contradicts_itself_is_refused),
		cmocka_unit_test(keys_ascend_by_whole_chunks),
		cmocka_unit_test(node_gives_its_children_with_their_ranges),
		cmocka_unit_test(hostile_block_is_refused),
		cmocka_unit_test(only_a_root_may_be_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
