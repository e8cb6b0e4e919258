// SPDX-License-Identifier: GPL-2.0-or-later
/* Any inode: what is accepted is something that a census can count. */
#include "tests/fuzz/fuzz_disk.h"

#include "analyzer/xfs/disk/inode.h"

#include <sys/stat.h>

#define INODE_CRC_AT 100
#define INO          128

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disk_super super;
	struct xfs_inode inode;
	struct err err = {0};
	uint8_t *buffer;
	int state;

	if (!size)
		return 0;
	super = fuzz_super(data[0]);
	buffer = fuzz_block(data, size, super.inode_bytes, INODE_CRC_AT);
	state = disk_inode_parse(&inode, &super, INO, buffer, &err);
	FUZZ_ASSERT(state >= 0 || err.message[0]);
	if (state == DISK_INODE_USED) {
		FUZZ_ASSERT(inode.ino == INO);
		FUZZ_ASSERT(inode.mode & S_IFMT);
		FUZZ_ASSERT(inode.size_bytes <= INT64_MAX);
		FUZZ_ASSERT(inode.extents <= inode.blocks);
	}
	free(buffer);
	return 0;
}
