// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes in the inode, made by hand, as they should be and not. */
#include "tests/unit/test.h"

#include "analyzer/xfs/disk/attr.h"
#include "analyzer/xfs/disk/inode.h"
#include "tests/unit/disk_image.h"

#include <errno.h>
#include <string.h>

#define INO         128
#define FORKOFF     20
#define FORK_AT     (176 + FORKOFF * 8)
#define EXTENTS_AT  80
#define FORKOFF_AT  82
#define FORM_AT     83
#define FORM_LOCAL  1
#define FORM_BLOCKS 2

struct fixture {
	struct disk_super super;
	char buffer[512];
	size_t end; /* of the attributes */
};

static void begin(struct fixture *fixture, uint8_t form, uint16_t extents)
{
	char super[512];

	memset(fixture, 0, sizeof(*fixture));
	make_super(super, 5);
	assert_int_equal(disk_super_parse(&fixture->super, super, sizeof(super), NULL), 0);
	make_inode(fixture->buffer, 3, INO);
	put16(fixture->buffer, EXTENTS_AT, extents);
	put8(fixture->buffer, FORKOFF_AT, FORKOFF);
	put8(fixture->buffer, FORM_AT, form);
	fixture->end = FORK_AT + 4;
}

static void put_attr(struct fixture *fixture, uint8_t name, uint8_t value, uint8_t flags)
{
	put8(fixture->buffer, fixture->end, name);
	put8(fixture->buffer, fixture->end + 1, value);
	put8(fixture->buffer, fixture->end + 2, flags);
	fixture->end += 3U + name + value;
}

static int open_it(struct fixture *fixture, struct disk_attr_reader *reader)
{
	struct xfs_inode inode;

	put_crc(fixture->buffer, 512, INODE_CRC_AT);
	assert_int_equal(disk_inode_parse(&inode, &fixture->super, INO, fixture->buffer, NULL),
		DISK_INODE_USED);
	return disk_attr_open(reader, &fixture->super, &inode, fixture->buffer);
}

static void end(struct fixture *fixture, uint8_t count)
{
	put16(fixture->buffer, FORK_AT, (uint16_t)(fixture->end - FORK_AT));
	put8(fixture->buffer, FORK_AT + 2, count);
}

static void attributes_are_listed(void **state)
{
	struct disk_attr_reader reader;
	struct fixture fixture;
	struct disk_attr attr;

	(void)state;
	begin(&fixture, FORM_LOCAL, 0);
	put_attr(&fixture, 4, 30, 0);
	put_attr(&fixture, 12, 0, 2);
	put_attr(&fixture, 7, 12, 8);
	end(&fixture, 3);
	assert_int_equal(open_it(&fixture, &reader), DISK_ATTR_LOCAL);
	assert_int_equal(disk_attr_next(&reader, &attr), 1);
	assert_int_equal(attr.name_bytes, 4);
	assert_int_equal(attr.value_bytes, 30);
	assert_false(attr.is_hidden);
	assert_int_equal(disk_attr_next(&reader, &attr), 1);
	assert_int_equal(attr.name_bytes, 12);
	assert_int_equal(attr.value_bytes, 0);
	assert_int_equal(disk_attr_next(&reader, &attr), 1);
	assert_true(attr.is_hidden);
	assert_int_equal(disk_attr_next(&reader, &attr), 0);
}

static void others_are_in_blocks_or_not_there(void **state)
{
	struct disk_attr_reader reader;
	struct fixture fixture;
	struct disk_attr attr;

	(void)state;
	begin(&fixture, FORM_BLOCKS, 0);
	assert_int_equal(open_it(&fixture, &reader), DISK_ATTR_NONE);
	assert_int_equal(disk_attr_next(&reader, &attr), 0);
	begin(&fixture, FORM_BLOCKS, 1);
	assert_int_equal(open_it(&fixture, &reader), DISK_ATTR_BLOCKS);
	assert_int_equal(disk_attr_next(&reader, &attr), 0);
	begin(&fixture, FORM_BLOCKS, 0);
	put8(fixture.buffer, FORKOFF_AT, 0);
	assert_int_equal(open_it(&fixture, &reader), DISK_ATTR_NONE);
}

/* A size beyond the fork or below its head, an attribute beyond the size, more than there are. */
static void nonsense_is_refused(void **state)
{
	struct disk_attr_reader reader;
	struct fixture fixture;
	struct disk_attr attr;

	(void)state;
	begin(&fixture, FORM_LOCAL, 0);
	put16(fixture.buffer, FORK_AT, 512 - FORK_AT + 1);
	assert_int_equal(open_it(&fixture, &reader), -EUCLEAN);
	put16(fixture.buffer, FORK_AT, 3);
	assert_int_equal(open_it(&fixture, &reader), -EUCLEAN);
	begin(&fixture, FORM_LOCAL, 0);
	put_attr(&fixture, 4, 30, 0);
	fixture.end--;
	end(&fixture, 1);
	assert_int_equal(open_it(&fixture, &reader), DISK_ATTR_LOCAL);
	assert_int_equal(disk_attr_next(&reader, &attr), -EUCLEAN);
	fixture.end++;
	end(&fixture, 2);
	assert_int_equal(open_it(&fixture, &reader), DISK_ATTR_LOCAL);
	assert_int_equal(disk_attr_next(&reader, &attr), 1);
	assert_int_equal(disk_attr_next(&reader, &attr), -EUCLEAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_listed),
		cmocka_unit_test(others_are_in_blocks_or_not_there),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
