// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk/super.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <string.h>

static void crc_is_castagnoli(void **state)
{
	(void)state;
	assert_int_equal(disk_crc32c("123456789", 9), 0xe3069283U);
	assert_int_equal(disk_crc32c("", 0), 0);
}

static void crc_field_counts_as_zero(void **state)
{
	char buffer[512];

	(void)state;
	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = (char)(i * 7);
	put_crc(buffer, sizeof(buffer), 100);
	assert_true(disk_crc_good(buffer, sizeof(buffer), 100));
	for (size_t i = 0; i < sizeof(buffer); i += 3) {
		buffer[i] ^= 0x10;
		assert_false(disk_crc_good(buffer, sizeof(buffer), 100));
		buffer[i] ^= 0x10;
	}
}

static void v5_is_understood(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(super.v5);
	assert_true(super.sparse_inodes);
	assert_false(super.metadir);
	assert_memory_equal(super.uuid, IMAGE_UUID, 16);
	assert_int_equal(super.block_bytes, 4096);
	assert_int_equal(super.inodes_per_block, 8);
	assert_int_equal(super.agblk_log, 10);
	assert_int_equal(super.agino_log, 13);
	assert_int_equal(super.inodes, 640);
	assert_int_equal(super.log_start, 1030);
	assert_int_equal(disk_super_ag_blocks(&super, 0), 1024);
	assert_int_equal(disk_super_ag_blocks(&super, 1), 1000);
	assert_int_equal(disk_super_ino(&super, 1, 64), 8192 + 64);
	assert_int_equal(disk_super_block_offset(&super, 1, 3), (1024 + 3) * 4096);
	assert_int_equal(disk_super_inode_offset(&super, 1, 65), (1024 + 8) * 4096 + 512);
}

static void internal_inodes_are_known(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(disk_super_is_internal(&super, 65));
	assert_true(disk_super_is_internal(&super, 66));
	assert_true(disk_super_is_internal(&super, 67));
	assert_false(disk_super_is_internal(&super, 64));
	assert_false(disk_super_is_internal(&super, 0));
	assert_false(disk_super_is_internal(&super, UINT64_MAX));
	assert_int_equal(disk_super_internal_mask(&super, 64), 0xe);
	assert_int_equal(disk_super_internal_mask(&super, 67), 0x1);
	assert_int_equal(disk_super_internal_mask(&super, 2), 1ULL << 63);
	assert_int_equal(disk_super_internal_mask(&super, 0), 0);
	assert_int_equal(disk_super_internal_count(&super, 0, 1), 3);
	assert_int_equal(disk_super_internal_count(&super, 0, 2), 3);
	assert_int_equal(disk_super_internal_count(&super, 1, 2), 0);
	put16(buffer, 100, 5); /* quota was never on */
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_false(disk_super_is_internal(&super, 67));
}

/* Whoever has it: an inode's place lies in an AG or not. */
static void places_of_inodes(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(disk_super_has_place(&super, 65));
	assert_true(disk_super_has_place(&super, 67));
	assert_false(disk_super_has_place(&super, 0));
	assert_false(disk_super_has_place(&super, (1024 + 1000) * 8));
	assert_false(disk_super_has_place(&super, UINT64_MAX));
}

static void the_log_is_as_old_as_it_says(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	put64(buffer, 240, 7ULL << 32 | 1234);
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_int_equal(super.last_lsn, 7ULL << 32 | 1234);
	put64(buffer, 240, UINT64_MAX); /* written without a log */
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_int_equal(super.last_lsn, 0);
	make_super(buffer, 4);
	put64(buffer, 240, 7);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_int_equal(super.last_lsn, 0);
}

static void the_metadata_directory_is_internal(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	/* where there is one, it has the realtime and quota inodes, and no number counts */
	put32(buffer, 216, 0x103);
	put64(buffer, 264, 65);
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_false(super.first_inos_odd);
	assert_int_equal(disk_super_internal_mask(&super, 64), 0x2);
	put64(buffer, 264, 8192 + 70);
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(super.first_inos_odd);
	assert_true(super.metadir);
	assert_true(disk_super_is_internal(&super, 8192 + 70));
	assert_int_equal(disk_super_internal_mask(&super, 8192 + 64), 1 << 6);
	assert_int_equal(disk_super_internal_count(&super, 0, 1), 0);
	assert_int_equal(disk_super_internal_count(&super, 1, 2), 1);
	put32(buffer, 216, 0x003); /* without the feature there are other things there */
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_false(disk_super_is_internal(&super, 8192 + 70));
}

static void v4_has_no_checksum(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 4);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_false(super.v5);
	assert_false(super.sparse_inodes);
}

static void changed_uuid_leaves_metadata_its_own(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	put32(buffer, 216, 0x7);
	memcpy(buffer + 248, "fedcba9876543210", 16);
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_memory_equal(super.uuid, IMAGE_UUID, 16);
	assert_memory_equal(super.meta_uuid, "fedcba9876543210", 16);
}

static void the_form_of_directories_is_known(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	put8(buffer, 192, 4);
	put64(buffer, 56, 64);
	put_crc(buffer, 512, SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_int_equal(super.dir_block_log, 16);
	assert_true(super.ftype);
	assert_false(super.dir_v1);
	assert_int_equal(super.root_ino, 64);
	put8(buffer, 192, 5);
	put_crc(buffer, 512, SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), -EUCLEAN);
	make_super(buffer, 4);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(super.dir_v1);
	put16(buffer, 100, 4 | 0x2000 | 0x8000);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_false(super.dir_v1);
	assert_false(super.ftype);
	put32(buffer, 200, 0x200);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(super.ftype);
}

static void inode_numbers_have_their_places(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	assert_true(disk_super_has_ino(&super, 8));
	assert_true(disk_super_has_ino(&super, 1023 * 8 + 7));
	assert_true(disk_super_has_ino(&super, (1024 + 999) * 8 + 7));
	assert_false(disk_super_has_ino(&super, 0));
	assert_false(disk_super_has_ino(&super, 7));
	assert_false(disk_super_has_ino(&super, 65));
	assert_false(disk_super_has_ino(&super, (1024 + 1000) * 8));
	assert_false(disk_super_has_ino(&super, 2048 * 8 + 8));
	assert_false(disk_super_has_ino(&super, UINT64_MAX));
}

/* What is known of the first inodes when the superblock has these. */
static struct disk_super with_first_inos(uint64_t root, uint64_t bitmap, uint64_t summary)
{
	struct disk_super super;
	char buffer[512];

	make_super(buffer, 5);
	put64(buffer, 56, root);
	put64(buffer, 64, bitmap);
	put64(buffer, 72, summary);
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	return super;
}

static void the_one_that_lies_is_put_right(void **state)
{
	static const uint64_t lies[] = {0, 1, 67, 1000, 8192 + 64, UINT64_MAX - 1, UINT64_MAX};
	struct disk_super super = with_first_inos(64, 65, 66);

	(void)state;
	assert_false(super.first_inos_odd);
	for (size_t i = 0; i < 3 * sizeof(lies) / sizeof(lies[0]); i++) {
		uint64_t inos[] = {64, 65, 66};

		inos[i % 3] = lies[i / 3];
		super = with_first_inos(inos[0], inos[1], inos[2]);
		assert_true(super.first_inos_odd);
		assert_int_equal(super.root_ino, 64);
		assert_int_equal(disk_super_internal_mask(&super, 64), 0xe);
		assert_int_equal(disk_super_internal_count(&super, 0, 2), 3);
	}
}

static void when_all_differ_nothing_is_put_right(void **state)
{
	struct disk_super super = with_first_inos(64, 1000, 2000);

	(void)state;
	assert_true(super.first_inos_odd);
	assert_int_equal(super.root_ino, 64);
	assert_true(disk_super_is_internal(&super, 1000));
	assert_true(disk_super_is_internal(&super, 2000));
	super = with_first_inos(16384, 16385, 16386); /* side by side, but in no AG */
	assert_true(super.first_inos_odd);
}

static void unknown_feature_is_refused_by_number(void **state)
{
	struct disk_super super;
	struct err err = {0};
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	put32(buffer, 216, 1U << 20 | 0x3);
	put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.message, "bit 20"));
}

/* One damaged field each, checksum right, so that the field itself must be what is refused. */
static void hostile_fields_are_refused(void **state)
{
	static const struct {
		size_t at;
		size_t bytes;
		uint64_t value;
		int code;
	} damages[] = {
		{0, 4, 0x58465342 + 1, -EMEDIUMTYPE},
		{4, 4, 0, -EUCLEAN},
		{4, 4, 4097, -EUCLEAN},
		{4, 4, 1U << 31, -EUCLEAN},
		{8, 8, 0, -EUCLEAN},
		{8, 8, 1024, -EUCLEAN},
		{8, 8, 2049, -EUCLEAN},
		{8, 8, UINT64_MAX, -EUCLEAN},
		{84, 4, 0, -EUCLEAN},
		{84, 4, 63, -EUCLEAN},
		{84, 4, UINT32_MAX, -EUCLEAN},
		{88, 4, 0, -EUCLEAN},
		{88, 4, 1, -EUCLEAN},
		{88, 4, UINT32_MAX, -EUCLEAN},
		{100, 2, 3, -EOPNOTSUPP},
		{100, 2, 6, -EOPNOTSUPP},
		{102, 2, 0, -EUCLEAN},
		{102, 2, 511, -EUCLEAN},
		{104, 2, 0, -EUCLEAN},
		{104, 2, 128, -EUCLEAN},
		{104, 2, 4096, -EUCLEAN},
		{106, 2, 7, -EUCLEAN},
		{120, 1, 13, -EUCLEAN},
		{121, 1, 200, -EUCLEAN},
		{122, 1, 8, -EUCLEAN},
		{123, 1, 255, -EUCLEAN},
		{124, 1, 11, -EUCLEAN},
		{126, 1, 1, -EINPROGRESS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct disk_super super;
		struct err err = {0};
		char buffer[512];

		make_super(buffer, 5);
		for (size_t b = 0; b < damages[i].bytes; b++)
			put8(buffer, damages[i].at + b,
				(uint8_t)(damages[i].value >> 8 * (damages[i].bytes - 1 - b)));
		put_crc(buffer, sizeof(buffer), SUPER_CRC_AT);
		assert_int_equal(
			disk_super_parse(&super, buffer, sizeof(buffer), &err), damages[i].code);
		assert_true(err.message[0]);
	}
}

/* A copy as mkfs.xfs leaves it: no inode numbers, not finished. */
static void make_copy(char copy[static 512])
{
	make_super(copy, 5);
	for (size_t at = 56; at < 80; at += 8)
		put64(copy, at, UINT64_MAX);
	put16(copy, 100, 5);
	put8(copy, 126, 1);
	put64(copy, 160, UINT64_MAX);
	put64(copy, 240, 7ULL << 32);
	put_crc(copy, 512, SUPER_CRC_AT);
}

static void a_copy_takes_the_place(void **state)
{
	struct disk_super super;
	char damaged[512], copy[512];
	struct err err = {0};

	(void)state;
	make_super(damaged, 5);
	put32(damaged, 4, 2048);
	put32(damaged, 84, 7);
	put16(damaged, 100, 5); /* the flag of quota is lost */
	make_copy(copy);
	assert_int_equal(disk_super_parse(&super, damaged, 512, NULL), -EUCLEAN);
	assert_int_equal(disk_super_said_ag_bytes(damaged), 7 * 2048);
	assert_int_equal(disk_super_restore(&super, damaged, copy, 512, 1024 * 4096, &err), 0);
	assert_int_equal(super.copy_agno, 1);
	assert_int_equal(super.block_bytes, 4096);
	assert_int_equal(super.agblocks, 1024);
	assert_int_equal(super.root_ino, 64);
	assert_false(super.first_inos_odd);
	assert_true(disk_super_is_internal(&super, 65));
	assert_true(disk_super_is_internal(&super, 66));
	assert_true(disk_super_is_internal(&super, 67));
	assert_int_equal(super.inodes, 0);
	assert_int_equal(super.last_lsn, 0);

	put64(damaged, 56, 1000); /* two of three are wrong, but this copy knows the root */
	put64(damaged, 64, 2000);
	put64(copy, 56, 64);
	put_crc(copy, 512, SUPER_CRC_AT);
	assert_int_equal(disk_super_restore(&super, damaged, copy, 512, 1024 * 4096, &err), 0);
	assert_int_equal(super.root_ino, 64);
	assert_false(super.first_inos_odd);
	assert_true(disk_super_is_internal(&super, 65));
	assert_true(disk_super_is_internal(&super, 66));
}

static void what_is_no_copy_takes_no_place(void **state)
{
	static const uint64_t elsewhere[] = {
		0, 4096, 1023 * 4096, 1024 * 4096 + 512, 2 * 1024 * 4096, UINT64_MAX};
	struct disk_super super;
	char damaged[512], copy[512];

	(void)state;
	make_super(damaged, 5);
	make_copy(copy);
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		assert_int_equal(disk_super_restore(&super, damaged, copy, 512, elsewhere[i], NULL),
			-EUCLEAN);
	copy[300] = 1;
	assert_int_equal(
		disk_super_restore(&super, damaged, copy, 512, 1024 * 4096, NULL), -EBADMSG);
	copy[0] = 0;
	assert_int_equal(
		disk_super_restore(&super, damaged, copy, 512, 1024 * 4096, NULL), -EMEDIUMTYPE);
}

static void wrong_checksum_is_refused(void **state)
{
	struct disk_super super;
	char buffer[512];

	(void)state;
	make_super(buffer, 5);
	buffer[300] = 1;
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), -EBADMSG);
	assert_int_equal(disk_super_parse(&super, buffer, 511, NULL), -EMEDIUMTYPE);
	assert_int_equal(disk_super_parse(&super, buffer, 0, NULL), -EMEDIUMTYPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_is_castagnoli),
		cmocka_unit_test(crc_field_counts_as_zero),
		cmocka_unit_test(v5_is_understood),
		cmocka_unit_test(internal_inodes_are_known),
		cmocka_unit_test(places_of_inodes),
		cmocka_unit_test(the_log_is_as_old_as_it_says),
		cmocka_unit_test(the_metadata_directory_is_internal),
		cmocka_unit_test(v4_has_no_checksum),
		cmocka_unit_test(changed_uuid_leaves_metadata_its_own),
		cmocka_unit_test(the_form_of_directories_is_known),
		cmocka_unit_test(inode_numbers_have_their_places),
		cmocka_unit_test(the_one_that_lies_is_put_right),
		cmocka_unit_test(when_all_differ_nothing_is_put_right),
		cmocka_unit_test(unknown_feature_is_refused_by_number),
		cmocka_unit_test(hostile_fields_are_refused),
		cmocka_unit_test(a_copy_takes_the_place),
		cmocka_unit_test(what_is_no_copy_takes_no_place),
		cmocka_unit_test(wrong_checksum_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
