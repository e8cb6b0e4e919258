// SPDX-License-Identifier: GPL-2.0-or-later
/* Any AGI: what is accepted leads into the AG. */
#include "tests/fuzz/fuzz_disk.h"

#include "analyzer/xfs/disk/agi.h"

#define AGI_CRC_AT 312

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disk_super super;
	struct disk_agi agi;
	struct err err = {0};
	uint8_t *sector;
	uint32_t agno;

	if (!size)
		return 0;
	super = fuzz_super(data[0]);
	agno = data[0] >> 5 & 1;
	sector = fuzz_block(data, size, super.sector_bytes, AGI_CRC_AT);
	if (disk_agi_parse(&agi, &super, agno, sector, &err)) {
		FUZZ_ASSERT(err.message[0]);
	} else {
		FUZZ_ASSERT(agi.root && agi.root < disk_super_ag_blocks(&super, agno));
		FUZZ_ASSERT(agi.level >= 1 && agi.level <= DISK_BTREE_MAX_LEVELS);
		FUZZ_ASSERT(agi.free_count <= agi.count);
	}
	free(sector);
	return 0;
}
