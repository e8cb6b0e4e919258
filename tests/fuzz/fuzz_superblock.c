// SPDX-License-Identifier: GPL-2.0-or-later
/* Any superblock: what is accepted must be safe to compute with. */
#include "tests/fuzz/fuzz_disk.h"

#include "base/err.h"

#define SUPER_CRC_AT 224

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disk_super super;
	struct err err = {0};
	uint8_t *sector;
	size_t bytes = size && data[0] & 1 ? 4096 : 512;

	if (!size)
		return 0;
	sector = fuzz_block(data, size, bytes, SUPER_CRC_AT);
	if (disk_super_parse(&super, sector, bytes, &err)) {
		FUZZ_ASSERT(err.message[0]);
	} else {
		uint32_t last = super.agcount - 1;
		uint64_t end = disk_super_block_offset(
			&super, last, disk_super_ag_blocks(&super, last) - 1);

		FUZZ_ASSERT(super.inode_bytes << super.inopb_log == super.block_bytes);
		FUZZ_ASSERT(super.agblocks <= 1ULL << super.agblk_log);
		FUZZ_ASSERT(end >> super.block_log == super.data_blocks - 1);
		FUZZ_ASSERT(super.agino_log <= 32);
		FUZZ_ASSERT(!disk_super_is_internal(&super, 0));
	}
	free(sector);
	return 0;
}
