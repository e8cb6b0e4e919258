// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories in inodes and in blocks, made by hand, as they should be and not. */
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/dir.h"
#include "analyzer/xfs/disk/inode.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define INO    128
#define PARENT 130
#define PLACE  (50 * 4096)

static struct disk_super super_of(unsigned version, bool ftype)
{
	struct disk_super super;
	char buffer[512];

	make_super(buffer, version);
	assert_int_equal(disk_super_parse(&super, buffer, sizeof(buffer), NULL), 0);
	super.ftype = ftype;
	return super;
}

/* Entries as text, "name=ino/type ", complaints as "! ". */
static void list(struct disk_dir_reader *reader, char text[static 1024])
{
	struct disk_dir_entry entry;
	struct err err = {0};
	size_t at = 0;
	int found;

	text[0] = '\0';
	while ((found = disk_dir_next(reader, &entry, &err)) != 0) {
		if (found < 0) {
			assert_true(err.message[0]);
			err_clear(&err);
			at += (size_t)snprintf(text + at, 1024 - at, "! ");
			continue;
		}
		assert_int_equal(entry.directory, INO);
		at += (size_t)snprintf(text + at, 1024 - at, "%.*s%s=%llu/%o ", entry.name_bytes,
			entry.name, entry.is_parent ? "(parent)" : "",
			(unsigned long long)entry.ino, entry.type);
	}
}

/* --- Blocks --- */

static const struct disk_dir_block first_block = {.ino = INO, .offset = 0, .place = PLACE};

/* A block with both dots and three names in gaps of free space. */
static void make_first(char block[static 4096], unsigned version, bool single, bool ftype)
{
	size_t at = make_dir_block(block, version, single, INO, PLACE);
	size_t end = single ? 4096 - 8 - 5 * 8 : 4096;

	at = put_entry(block, at, INO, ".", 1, ftype ? 2 : -1);
	at = put_entry(block, at, PARENT, "..", 2, ftype ? 2 : -1);
	put_free(block, at, at + 24);
	at = put_entry(block, at + 24, 200, "one", 3, ftype ? 1 : -1);
	at = put_entry(block, at, 201, "a-longer-name", 13, ftype ? 7 : -1);
	put_free(block, at, at + 8);
	at = put_entry(block, at + 8, 1024 * 8 + 80, "in AG 1", 7, ftype ? 2 : -1);
	put_free(block, at, end);
	if (single)
		put32(block, 4096 - 8, 5);
	put_crc(block, 4096, DIR_CRC_AT);
	if (version == 4)
		put32(block, DIR_CRC_AT, 0);
}

static void blocks_of_all_kinds_are_read(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 8; kind++) {
		unsigned version = kind & 1 ? 5 : 4;
		bool single = kind & 2, ftype = kind & 4;
		struct disk_super super = super_of(version, ftype);
		struct disk_dir_reader reader;
		char block[4096], text[1024];

		make_first(block, version, single, ftype);
		assert_int_equal(
			disk_dir_open_block(&reader, &super, &first_block, block, NULL), 0);
		list(&reader, text);
		assert_string_equal(text, ftype ? "..(parent)=130/40000 one=200/100000 "
						  "a-longer-name=201/120000 in AG 1=8272/40000 "
						: "..(parent)=130/0 one=200/0 a-longer-name=201/0 "
						  "in AG 1=8272/0 ");
	}
}

static void names_may_be_as_long_as_255_bytes(void **state)
{
	struct disk_super super = super_of(5, true);
	struct disk_dir_block later = {.ino = INO, .offset = 65536, .place = PLACE};
	struct disk_dir_reader reader;
	struct disk_dir_entry entry;
	char block[4096], name[255];
	size_t at = make_dir_block(block, 5, false, INO, PLACE);

	(void)state;
	memset(name, 0xff, sizeof(name));
	at = put_entry(block, at, 200, name, 255, 1);
	put_free(block, at, 4096);
	put_crc(block, 4096, DIR_CRC_AT);
	assert_int_equal(disk_dir_open_block(&reader, &super, &later, block, NULL), 0);
	assert_int_equal(disk_dir_next(&reader, &entry, NULL), 1);
	assert_int_equal(entry.name_bytes, 255);
	assert_memory_equal(entry.name, name, 255);
	assert_int_equal(disk_dir_next(&reader, &entry, NULL), 0);
}

static void any_flipped_bit_of_a_block_is_noticed(void **state)
{
	struct disk_super super = super_of(5, true);
	struct disk_dir_reader reader;
	char block[4096];

	(void)state;
	make_first(block, 5, true, true);
	for (size_t bit = 0; bit < sizeof(block) * 8; bit++) {
		block[bit / 8] ^= (char)(1 << bit % 8);
		assert_true(disk_dir_open_block(&reader, &super, &first_block, block, NULL) < 0);
		block[bit / 8] ^= (char)(1 << bit % 8);
	}
}

static void blocks_out_of_place_are_refused(void **state)
{
	static const struct disk_dir_block wrong[] = {
		{.ino = INO + 1, .place = PLACE},
		{.ino = INO, .place = PLACE + 4096},
		{.ino = INO, .offset = 4096, .place = PLACE},
	};
	struct disk_super super = super_of(5, true);
	struct disk_dir_reader reader;
	struct err err = {0};
	char block[4096];

	(void)state;
	make_first(block, 5, true, true);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err_clear(&err);
		assert_int_equal(
			disk_dir_open_block(&reader, &super, &wrong[i], block, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
	super.meta_uuid[3]++;
	assert_int_equal(disk_dir_open_block(&reader, &super, &first_block, block, NULL), -EUCLEAN);
}

static void lengths_that_lie_are_refused(void **state)
{
	/* in a block of version 4 without types: dots at 16 and 32, free at 48, "one" at 72 */
	static const struct {
		size_t at;
		uint16_t value;
	} damages[] = {{0, 0}, {24, 0}, {24, 0xff00}, {30, 17}, {50, 0}, {50, 16}, {50, 23},
		{50, 0xfff8}, {70, 0}, {80, 0x0461}, {86, 0}, {4088, 0xffff}, {4090, 600}};
	struct disk_super super = super_of(4, false);
	struct disk_dir_reader reader;
	char block[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct err err = {0};

		make_first(block, 4, true, false);
		put16(block, damages[i].at, damages[i].value);
		if (damages[i].at == 80)
			put8(block, 80, 40);
		assert_int_equal(
			disk_dir_open_block(&reader, &super, &first_block, block, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

static void entries_that_cannot_be_are_told_and_left_out(void **state)
{
	struct disk_super super = super_of(4, true);
	struct disk_dir_reader reader;
	char block[4096], text[1024];
	size_t at = make_dir_block(block, 4, false, INO, PLACE);

	(void)state;
	at = put_entry(block, at, 999, ".", 1, 2);         /* lies */
	at = put_entry(block, at, 1ULL << 60, "..", 2, 2); /* is nowhere */
	at = put_entry(block, at, 200, "a/b", 3, 1);
	at = put_entry(block, at, 200, "a\0b", 3, 1);
	at = put_entry(block, at, 200, "fine", 4, 1);
	at = put_entry(block, at, 0, "zero", 4, 1);
	at = put_entry(block, at, 65, "quota", 5, 1);
	at = put_entry(block, at, 2000 * 8 * 2, "outside", 7, 1);
	at = put_entry(block, at, 1ULL << 63, "far", 3, 1);
	at = put_entry(block, at, INO, "itself", 6, 2);
	at = put_entry(block, at, INO, ".", 1, 2);
	at = put_entry(block, at, PARENT, "..", 2, 2);
	at = put_entry(block, at, 201, "...", 3, 99);
	put_free(block, at, 4096);
	assert_int_equal(disk_dir_open_block(&reader, &super, &first_block, block, NULL), 0);
	list(&reader, text);
	assert_string_equal(text, "! ! ! ! fine=200/100000 ! ! ! ! ! ! ! ...=201/0 ");
}

static void a_first_block_without_dots_is_told(void **state)
{
	struct disk_super super = super_of(4, true);
	struct disk_dir_reader reader;
	char block[4096], text[1024];
	size_t at = make_dir_block(block, 4, false, INO, PLACE);

	(void)state;
	put_free(block, at, 4096);
	assert_int_equal(disk_dir_open_block(&reader, &super, &first_block, block, NULL), 0);
	list(&reader, text);
	assert_string_equal(text, "! ");
}

/* --- In the inode --- */

/* Two entries; returns the bytes that they take. */
static size_t make_local(char *buffer, unsigned version, bool ftype, bool wide)
{
	size_t at = dir_fork_at(version), start = at;

	put8(buffer, at, 2);
	put8(buffer, at + 1, wide);
	at += 2;
	wide ? put64(buffer, at, PARENT) : put32(buffer, at, PARENT);
	at += wide ? 8 : 4;
	for (unsigned i = 0; i < 2; i++) {
		put8(buffer, at, 3);
		put16(buffer, at + 1, (uint16_t)(96 + 16 * i));
		memcpy(buffer + at + 3, i ? "two" : "one", 3);
		at += 6;
		if (ftype)
			put8(buffer, at++, i ? 2 : 1);
		wide ? put64(buffer, at, 200 + i) : put32(buffer, at, 200 + i);
		at += wide ? 8 : 4;
	}
	return at - start;
}

static int open_local(struct disk_dir_reader *reader, const struct disk_super *super,
	const void *buffer, struct err *err)
{
	struct xfs_inode inode;
	struct disk_fork fork;

	assert_int_equal(disk_inode_parse(&inode, super, INO, buffer, NULL), DISK_INODE_USED);
	assert_int_equal(disk_fork_data(&fork, super, &inode, buffer, NULL), 0);
	assert_int_equal(fork.form, DISK_FORK_LOCAL);
	return disk_dir_open_local(reader, super, &fork, err);
}

static void local_directories_of_all_kinds_are_read(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 8; kind++) {
		unsigned version = kind & 1 ? 3 : 2;
		bool ftype = kind & 2, wide = kind & 4;
		struct disk_super super = super_of(version == 3 ? 5 : 4, ftype);
		struct disk_dir_reader reader;
		char buffer[512], text[1024];
		size_t bytes;

		make_dir_inode(buffer, version, INO, 1, 0, 0);
		bytes = make_local(buffer, version, ftype, wide);
		put64(buffer, 56, bytes);
		put_crc(buffer, 512, INODE_CRC_AT);
		if (version == 2)
			make_local(buffer, version, ftype, wide);
		assert_int_equal(open_local(&reader, &super, buffer, NULL), 0);
		list(&reader, text);
		assert_string_equal(
			text, ftype ? "..(parent)=130/40000 one=200/100000 two=201/40000 "
				    : "..(parent)=130/40000 one=200/0 two=201/0 ");
	}
}

static void local_lengths_that_lie_are_refused(void **state)
{
	/* of version 2 without types: the fork begins at 100, entries at 106 and 116 */
	static const struct {
		size_t at;
		uint8_t value;
	} damages[] = {{63, 25}, {63, 27}, {63, 5}, {63, 0}, {62, 2}, {100, 1}, {100, 3},
		{100, 255}, {101, 1}, {106, 0}, {106, 4}, {106, 255}, {116, 0}, {116, 2}};
	struct disk_super super = super_of(4, false);
	struct disk_dir_reader reader;
	char buffer[512];

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct err err = {0};

		make_dir_inode(buffer, 2, INO, 1, 26, 0);
		assert_int_equal(make_local(buffer, 2, false, false), 26);
		put8(buffer, damages[i].at, damages[i].value);
		assert_int_equal(open_local(&reader, &super, buffer, &err), -EUCLEAN);
		assert_true(err.message[0]);
	}
}

static void a_local_parent_that_cannot_be_is_told(void **state)
{
	struct disk_super super = super_of(4, false);
	struct disk_dir_reader reader;
	char buffer[512], text[1024];

	(void)state;
	make_dir_inode(buffer, 2, INO, 1, 26, 0);
	make_local(buffer, 2, false, false);
	put32(buffer, 102, 7);
	memcpy(buffer + 109, "a/b", 3);
	assert_int_equal(open_local(&reader, &super, buffer, NULL), 0);
	list(&reader, text);
	assert_string_equal(text, "! ! two=201/0 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_all_kinds_are_read),
		cmocka_unit_test(names_may_be_as_long_as_255_bytes),
		cmocka_unit_test(any_flipped_bit_of_a_block_is_noticed),
		cmocka_unit_test(blocks_out_of_place_are_refused),
		cmocka_unit_test(lengths_that_lie_are_refused),
		cmocka_unit_test(entries_that_cannot_be_are_told_and_left_out),
		cmocka_unit_test(a_first_block_without_dots_is_told),
		cmocka_unit_test(local_directories_of_all_kinds_are_read),
		cmocka_unit_test(local_lengths_that_lie_are_refused),
		cmocka_unit_test(a_local_parent_that_cannot_be_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
