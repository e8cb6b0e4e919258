// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/inode.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <linux/fs.h>
#include <string.h>

#define INO 8300

static struct disk_super super_of(unsigned version)
{
	struct disk_super super;
	char buffer[512];

	make_super(buffer, version);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	return super;
}

static void put_inode_crc(void *buffer)
{
	put_crc(buffer, 512, INODE_CRC_AT);
}

static void all_versions_are_understood(void **state)
{
	(void)state;
	for (unsigned version = 1; version <= 3; version++) {
		struct disk_super super = super_of(version == 3 ? 5 : 4);
		struct xfs_inode inode;
		char buffer[512];

		make_inode(buffer, version, INO);
		assert_int_equal(
			disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_USED);
		assert_int_equal(inode.ino, INO);
		assert_int_equal(inode.mode, 0100640);
		assert_int_equal(inode.uid, 1000);
		assert_int_equal(inode.gid, 2000);
		assert_int_equal(inode.nlink, version == 1 ? 7 : 70000);
		assert_int_equal(inode.projid, version == 1 ? 0 : 0x21111);
		assert_int_equal(inode.mtime_seconds, 1111);
		assert_int_equal(inode.ctime_seconds, 2222);
		assert_int_equal(inode.size_bytes, 12345);
		assert_int_equal(inode.blocks, 4);
		assert_int_equal(inode.block_bytes, 4096);
		assert_int_equal(inode.extents, 2);
		assert_int_equal(inode.attr_extents, 1);
		assert_true(inode.attr_fork);
		assert_int_equal(inode.generation, 99);
		assert_int_equal(inode.xflags, FS_XFLAG_NODUMP | FS_XFLAG_HASATTR);
	}
}

/* What the kernel makes for quota, and each way in which an inode cannot be that. */
static void quota_is_told_from_files(void **state)
{
	static const struct {
		size_t at;
		size_t bytes;
		uint32_t value;
	} differences[] = {
		{2, 2, 0100600},   /* permissions */
		{2, 2, 0040000},   /* a directory */
		{8, 4, 1000},      /* an owner */
		{12, 4, 1000},     /* a group */
		{16, 4, 2},        /* a second link */
		{56 + 4, 4, 12345} /* a size */
	};
	struct disk_super super = super_of(5);
	char buffer[512];

	(void)state;
	for (size_t i = 0; i <= sizeof(differences) / sizeof(differences[0]); i++) {
		make_inode(buffer, 3, INO);
		put16(buffer, 2, 0100000);
		put32(buffer, 8, 0);
		put32(buffer, 12, 0);
		put32(buffer, 16, 1);
		put64(buffer, 56, 0);
		if (i && differences[i - 1].bytes == 2)
			put16(buffer, differences[i - 1].at, (uint16_t)differences[i - 1].value);
		else if (i)
			put32(buffer, differences[i - 1].at, differences[i - 1].value);
		put_inode_crc(buffer);
		assert_int_equal(disk_inode_is_no_quota(&super, INO, buffer), i > 0);
		put16(buffer, 2, 0); /* not in use: nothing is hidden */
		put_inode_crc(buffer);
		assert_false(disk_inode_is_no_quota(&super, INO, buffer));
		buffer[300] ^= 1; /* damaged: nobody knows */
		put16(buffer, 2, 0100600);
		assert_false(disk_inode_is_no_quota(&super, INO, buffer));
	}
}

static void big_timestamps_reach_from_1901_to_2486(void **state)
{
	struct disk_super super = super_of(5);
	struct xfs_inode inode;
	char buffer[512];

	(void)state;
	make_inode(buffer, 3, INO);
	put64(buffer, 120, 1 << 3);
	put64(buffer, 40, 0);
	put64(buffer, 48, UINT64_MAX);
	put_inode_crc(buffer);
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_USED);
	assert_int_equal(inode.mtime_seconds, -2147483648LL);
	assert_int_equal(inode.ctime_seconds, 16299260425LL);
	put64(buffer, 120, 0);
	put32(buffer, 40, 0x80000000U);
	put_inode_crc(buffer);
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_USED);
	assert_int_equal(inode.mtime_seconds, -2147483648LL);
}

static void large_extent_counters_lie_elsewhere(void **state)
{
	struct disk_super super = super_of(5);
	struct xfs_inode inode;
	char buffer[512];

	(void)state;
	super.data_blocks = 1ULL << 40;
	make_inode(buffer, 3, INO);
	put64(buffer, 120, 1 << 4);
	put64(buffer, 24, 0x100000000ULL);
	put32(buffer, 76, 70000);
	put64(buffer, 64, 0x200000000ULL);
	put_inode_crc(buffer);
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_USED);
	assert_int_equal(inode.extents, 0x100000000ULL);
	assert_int_equal(inode.attr_extents, 70000);
}

static void what_is_no_users_is_left_out(void **state)
{
	struct disk_super super = super_of(5);
	struct xfs_inode inode;
	char buffer[512];

	(void)state;
	make_inode(buffer, 3, INO);
	put16(buffer, 2, 0);
	put_inode_crc(buffer);
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_FREE);
	make_inode(buffer, 3, 65);
	assert_int_equal(disk_inode_parse(&inode, &super, 65, buffer, NULL), DISK_INODE_INTERNAL);
	make_inode(buffer, 3, INO);
	put64(buffer, 120, 1 << 5);
	put_inode_crc(buffer);
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_USED);
	super.metadir = true;
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_INTERNAL);
}

static void deleted_but_open_counts(void **state)
{
	struct disk_super super = super_of(5);
	struct xfs_inode inode;
	char buffer[512];

	(void)state;
	make_inode(buffer, 3, INO);
	put32(buffer, 16, 0);
	put_inode_crc(buffer);
	assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), DISK_INODE_USED);
	assert_int_equal(inode.nlink, 0);
}

static void each_type_has_its_forms(void **state)
{
	static const struct {
		uint16_t mode;
		uint8_t format;
		bool good;
	} forms[] = {{0100644, 1, false}, {0100644, 2, true}, {0100644, 3, true},
		{0040755, 1, true}, {0120777, 1, true}, {0120777, 0, false}, {0010644, 0, true},
		{0010644, 2, false}, {0020644, 0, true}, {0060644, 0, true}, {0140644, 0, true},
		{0100644, 4, false}, {0000644, 2, false}, {0170644, 0, false},
		{0100644, 255, false}};
	struct disk_super super = super_of(5);

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct xfs_inode inode;
		char buffer[512];
		int expected = forms[i].good ? DISK_INODE_USED : -EUCLEAN;

		make_inode(buffer, 3, INO);
		put16(buffer, 2, forms[i].mode);
		put8(buffer, 5, forms[i].format);
		put_inode_crc(buffer);
		assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, NULL), expected);
	}
}

static void hostile_fields_are_refused(void **state)
{
	static const struct {
		size_t at;
		size_t bytes;
		uint64_t value;
	} damages[] = {{0, 2, 0}, {4, 1, 2}, {4, 1, 0}, {4, 1, 4}, {56, 8, 1ULL << 63}, {64, 8, 2},
		{76, 4, UINT32_MAX}, {82, 1, 42}, {82, 1, 255}, {152, 8, INO + 1}, {160, 4, 0}};
	struct disk_super super = super_of(5);

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct xfs_inode inode;
		struct err err = {0};
		char buffer[512];

		make_inode(buffer, 3, INO);
		for (size_t b = 0; b < damages[i].bytes; b++)
			put8(buffer, damages[i].at + b,
				(uint8_t)(damages[i].value >> 8 * (damages[i].bytes - 1 - b)));
		assert_true(disk_inode_parse(&inode, &super, INO, buffer, NULL) < 0);
		put_inode_crc(buffer);
		assert_int_equal(disk_inode_parse(&inode, &super, INO, buffer, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

/* What is made of an inode with so many blocks, which it has in two extents. */
static int state_of(const struct disk_super *super, unsigned version, uint64_t blocks,
	uint16_t flags, uint64_t flags2)
{
	struct xfs_inode inode;
	char buffer[512];

	make_inode(buffer, version, INO);
	put64(buffer, 64, blocks);
	put16(buffer, 90, flags);
	if (version == 3) {
		put64(buffer, 120, flags2);
		put_inode_crc(buffer);
	}
	return disk_inode_parse(&inode, super, INO, buffer, NULL);
}

static void nothing_has_more_blocks_than_there_are(void **state)
{
	static const uint16_t realtime = 1;
	static const uint64_t reflink = 2;
	const uint64_t shared = 2024 + 2 * ((1ULL << 21) - 1);

	(void)state;
	for (unsigned version = 1; version <= 3; version++) {
		struct disk_super super = super_of(version == 3 ? 5 : 4);

		assert_int_equal(state_of(&super, version, 2024, 0, 0), DISK_INODE_USED);
		assert_int_equal(state_of(&super, version, 2025, 0, 0), -EUCLEAN);
		assert_int_equal(state_of(&super, version, UINT64_MAX, 0, 0), -EUCLEAN);
		assert_int_equal(state_of(&super, version, 2025, realtime, 0), -EUCLEAN);
		super.rt_blocks = 100;
		assert_int_equal(state_of(&super, version, 2025, 0, 0), -EUCLEAN);
		assert_int_equal(state_of(&super, version, 2124, realtime, 0), DISK_INODE_USED);
		assert_int_equal(state_of(&super, version, 2125, realtime, 0), -EUCLEAN);
		if (version < 3)
			continue;
		assert_int_equal(state_of(&super, 3, shared, 0, reflink), DISK_INODE_USED);
		assert_int_equal(state_of(&super, 3, shared + 1, 0, reflink), -EUCLEAN);
	}
}

static void any_flipped_bit_is_noticed(void **state)
{
	struct disk_super super = super_of(5);
	char buffer[512];

	(void)state;
	make_inode(buffer, 3, INO);
	for (size_t bit = 0; bit < 512 * 8; bit++) {
		struct xfs_inode inode;

		buffer[bit / 8] ^= (char)(1 << bit % 8);
		assert_true(disk_inode_parse(&inode, &super, INO, buffer, NULL) < 0);
		buffer[bit / 8] ^= (char)(1 << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_versions_are_understood),
		cmocka_unit_test(quota_is_told_from_files),
		cmocka_unit_test(big_timestamps_reach_from_1901_to_2486),
		cmocka_unit_test(large_extent_counters_lie_elsewhere),
		cmocka_unit_test(what_is_no_users_is_left_out),
		cmocka_unit_test(deleted_but_open_counts),
		cmocka_unit_test(each_type_has_its_forms),
		cmocka_unit_test(hostile_fields_are_refused),
		cmocka_unit_test(nothing_has_more_blocks_than_there_are),
		cmocka_unit_test(any_flipped_bit_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
