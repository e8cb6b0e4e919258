// SPDX-License-Identifier: GPL-2.0-or-later
/* Superblocks, sane and hostile, as files. */
#include "tests/unit/test.h"

#include "analyzer/xfs/geometry.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char sb[512];

static void put16(size_t at, uint16_t value)
{
	value = htobe16(value);
	memcpy(sb + at, &value, sizeof(value));
}

static void put32(size_t at, uint32_t value)
{
	value = htobe32(value);
	memcpy(sb + at, &value, sizeof(value));
}

static void put64(size_t at, uint64_t value)
{
	value = htobe64(value);
	memcpy(sb + at, &value, sizeof(value));
}

/* A version 5 superblock: 4 AGs of 65536 blocks of 4096 bytes, inodes of 512. */
static void make_superblock(void)
{
	memset(sb, 0, sizeof(sb));
	memcpy(sb, "XFSB", 4);
	put32(4, 4096);
	put64(8, 262144);
	for (size_t i = 0; i < XFS_UUID_BYTES; i++)
		sb[32 + i] = (unsigned char)(0x10 + i);
	put64(48, 131078);
	put32(84, 65536);
	put32(88, 4);
	put32(96, 16384);
	put16(100, 0xb4a5);
	put16(104, 512);
	put64(128, 1280);
	put64(136, 80);
	put32(200, 0x18a);
	put32(216, 0x28);
}

/* What xfs_geometry_read() says of the first @length bytes of sb. */
static int read_back(size_t length, struct xfs_geometry *geometry, uint64_t *inodes)
{
	FILE *file = tmpfile();
	int rc;

	assert_non_null(file);
	assert_int_equal(write(fileno(file), sb, length), length);
	rc = xfs_geometry_read(fileno(file), geometry, inodes);
	fclose(file);
	return rc;
}

static void superblock_is_decoded(void **state)
{
	struct xfs_geometry geometry;
	uint64_t inodes = 0;

	(void)state;
	make_superblock();
	assert_int_equal(read_back(sizeof(sb), &geometry, &inodes), 0);
	assert_string_equal(geometry.uuid, "10111213-1415-1617-1819-1a1b1c1d1e1f");
	assert_int_equal(geometry.block_bytes, 4096);
	assert_int_equal(geometry.inode_bytes, 512);
	assert_int_equal(geometry.agcount, 4);
	assert_int_equal(geometry.agblocks, 65536);
	assert_int_equal(geometry.data_blocks, 262144);
	assert_int_equal(geometry.log_blocks, 16384);
	assert_true(geometry.log_internal);
	assert_false(geometry.has_realtime);
	assert_true(geometry.has_projid32);
	assert_true(geometry.has_bigtime);
	assert_true(geometry.has_nrext64);
	assert_int_equal(inodes, 1200);
}

static void version_4_has_features2_only_if_it_says_so(void **state)
{
	struct xfs_geometry geometry;

	(void)state;
	make_superblock();
	put16(100, 0xb4a4);
	assert_int_equal(read_back(sizeof(sb), &geometry, NULL), 0);
	assert_true(geometry.has_projid32);
	assert_false(geometry.has_bigtime);
	assert_false(geometry.has_nrext64);
	put16(100, 0x34a4);
	assert_int_equal(read_back(sizeof(sb), &geometry, NULL), 0);
	assert_false(geometry.has_projid32);
}

static void what_is_not_xfs_is_told(void **state)
{
	struct xfs_geometry geometry;

	(void)state;
	make_superblock();
	assert_int_equal(read_back(0, &geometry, NULL), -ENOTTY);
	assert_int_equal(read_back(4, &geometry, NULL), -ENOTTY);
	assert_int_equal(read_back(sizeof(sb) - 1, &geometry, NULL), -ENOTTY);
	sb[0] = 'x';
	assert_int_equal(read_back(sizeof(sb), &geometry, NULL), -ENOTTY);
	assert_int_equal(xfs_geometry_read(-1, &geometry, NULL), -EBADF);
}

static void impossible_numbers_are_damage(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
	} damages[] = {
		{4, 0}, {4, 256}, {4, 4095}, {4, 131072}, {4, 0xffffffff}, /* block size */
		{84, 0}, {84, 63},                                         /* blocks of an AG */
		{88, 0},                                                   /* AGs */
		{104, 0}, {104, 128U << 16}, {104, 513U << 16}, {104, 4096U << 16}, /* inode size */
	};
	struct xfs_geometry geometry;

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		make_superblock();
		put32(damages[i].at, damages[i].value);
		assert_int_equal(read_back(sizeof(sb), &geometry, NULL), -EUCLEAN);
	}
	make_superblock();
	put32(4, 512);
	put16(104, 1024);
	assert_int_equal(read_back(sizeof(sb), &geometry, NULL), -EUCLEAN);
}

static void more_free_than_allocated_is_none_in_use(void **state)
{
	struct xfs_geometry geometry;
	uint64_t inodes = 1;

	(void)state;
	make_superblock();
	put64(136, 2000);
	assert_int_equal(read_back(sizeof(sb), &geometry, &inodes), 0);
	assert_int_equal(inodes, 0);
}

static void inode_numbers_split_into_ag_and_rest(void **state)
{
	/* 65536 blocks need 16 bits, 8 inodes a block another 3 */
	struct xfs_geometry geometry = {.block_bytes = 4096, .inode_bytes = 512, .agblocks = 65536};

	(void)state;
	assert_int_equal(xfs_agno_of_inode(&geometry, 128), 0);
	assert_int_equal(xfs_agno_of_inode(&geometry, (1 << 19) - 1), 0);
	assert_int_equal(xfs_agno_of_inode(&geometry, 1 << 19), 1);
	assert_int_equal(xfs_first_inode_of_ag(&geometry, 3), 3 << 19);
	geometry.agblocks = 65537;
	assert_int_equal(xfs_first_inode_of_ag(&geometry, 1), 1 << 20);
	geometry = (struct xfs_geometry){
		.block_bytes = 512, .inode_bytes = 256, .agblocks = 0x80000000};
	assert_true(xfs_first_inode_of_ag(&geometry, 0x7fffffff) == 0x7fffffffULL << 32);
}

static void other_filesystems_have_no_geometry(void **state)
{
	struct xfs_geometry geometry;
	uint64_t inodes;
	int fd = open("/proc", O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(xfs_geometry_get(fd, &geometry), -ENOTTY);
	assert_int_equal(xfs_inodes_in_use(fd, &inodes), -ENOTTY);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(superblock_is_decoded),
		cmocka_unit_test(version_4_has_features2_only_if_it_says_so),
		cmocka_unit_test(what_is_not_xfs_is_told),
		cmocka_unit_test(impossible_numbers_are_damage),
		cmocka_unit_test(more_free_than_allocated_is_none_in_use),
		cmocka_unit_test(inode_numbers_split_into_ag_and_rest),
		cmocka_unit_test(other_filesystems_have_no_geometry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
