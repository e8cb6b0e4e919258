// SPDX-License-Identifier: GPL-2.0-or-later
/* Any directory block, and any directory in an inode: what comes out are names that can be. */
#include "tests/fuzz/fuzz_disk.h"

#include "analyzer/xfs/disk/dir.h"

#define DIR_CRC_AT 4
#define FUZZ_LOCAL 0x20
#define FUZZ_FTYPE 0x10
#define FUZZ_LATER 0x08 /* not the directory's first block */
#define INO        128

static void take_entries(
	struct disk_dir_reader *reader, const struct disk_super *super, size_t bytes)
{
	size_t entries = 0;

	for (;;) {
		struct disk_dir_entry entry;
		struct err err = {0};
		int found = disk_dir_next(reader, &entry, &err);

		if (!found)
			break;
		FUZZ_ASSERT(entries++ <= bytes / 7 + 2);
		if (found < 0) {
			FUZZ_ASSERT(err.message[0]);
			continue;
		}
		FUZZ_ASSERT(entry.directory == INO && entry.name_bytes);
		FUZZ_ASSERT(disk_super_has_ino(super, entry.ino));
		FUZZ_ASSERT(entry.is_parent || entry.ino != INO);
		FUZZ_ASSERT(!memchr(entry.name, '/', entry.name_bytes));
		FUZZ_ASSERT(!memchr(entry.name, 0, entry.name_bytes));
	}
}

static void fuzz_local(const struct disk_super *super, const uint8_t *data, size_t size)
{
	struct disk_fork fork = {.form = DISK_FORK_LOCAL, .ino = INO};
	struct disk_dir_reader reader;
	struct err err = {0};
	uint8_t *room;

	if (size < 2)
		return;
	fork.bytes = 8 + data[1] % 42 * 8U;
	fork.size_bytes = size - 2;
	room = calloc(1, fork.bytes);
	FUZZ_ASSERT(room);
	memcpy(room, data + 2, size - 2 < fork.bytes ? size - 2 : fork.bytes);
	fork.data = room;
	if (disk_dir_open_local(&reader, super, &fork, &err))
		FUZZ_ASSERT(err.message[0]);
	else
		take_entries(&reader, super, fork.bytes);
	free(room);
}

static void fuzz_block_of(const struct disk_super *super, const uint8_t *data, size_t size)
{
	struct disk_dir_block where = {
		.ino = INO, .offset = data[0] & FUZZ_LATER ? 65536 : 0, .place = 4096};
	size_t bytes = 1U << super->dir_block_log;
	uint8_t *block = fuzz_block(data, size, bytes, DIR_CRC_AT);
	struct disk_dir_reader reader;
	struct err err = {0};

	if (disk_dir_open_block(&reader, super, &where, block, &err))
		FUZZ_ASSERT(err.message[0]);
	else
		take_entries(&reader, super, bytes);
	free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disk_super super;

	if (!size)
		return 0;
	super = fuzz_super(data[0]);
	super.dir_block_log = super.block_log;
	super.ftype = data[0] & FUZZ_FTYPE;
	super.metadir = false;
	if (data[0] & FUZZ_LOCAL)
		fuzz_local(&super, data, size);
	else
		fuzz_block_of(&super, data, size);
	return 0;
}
