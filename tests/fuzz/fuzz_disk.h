/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz targets of disk structures share. An input starts with a byte of choices, the rest
 * is the structure. It is copied, so that a read past its end is seen, and with FUZZ_FIX_CRC its
 * checksum is made right: otherwise nothing would get past the first check.
 */
#ifndef TESTS_FUZZ_FUZZ_DISK_H
#define TESTS_FUZZ_FUZZ_DISK_H

#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk/super.h"
#include "tests/fuzz/fuzz.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_FIX_CRC 0x80
#define FUZZ_V5      0x40

/* @bytes from the input after the byte of choices, filled up with zeros; to be freed. */
static inline uint8_t *fuzz_block(const uint8_t *data, size_t size, size_t bytes, size_t crc_at)
{
	uint8_t *block = calloc(1, bytes);
	size_t given = size - 1 < bytes ? size - 1 : bytes;

	FUZZ_ASSERT(block);
	memcpy(block, data + 1, given);
	if (data[0] & FUZZ_FIX_CRC) {
		uint32_t crc = htole32(disk_crc_of(block, bytes, crc_at));

		memcpy(block + crc_at, &crc, sizeof(crc));
	}
	return block;
}

/* A filesystem of two AGs whose block and inode sizes follow from the byte of choices. */
static inline struct disk_super fuzz_super(uint8_t choices)
{
	static const uint8_t block_logs[] = {9, 10, 12, 16};
	uint8_t block_log = block_logs[choices & 3];
	uint8_t inode_log = choices & 4 ? 9 : 8;
	uint8_t inopb_log = (uint8_t)(block_log - inode_log);

	return (struct disk_super){
		.v5 = choices & FUZZ_V5,
		.sparse_inodes = choices & FUZZ_V5 && choices & 8,
		.metadir = choices & 16,
		.block_bytes = 1U << block_log,
		.sector_bytes = 512,
		.inode_bytes = 1U << inode_log,
		.inodes_per_block = 1U << inopb_log,
		.agcount = 2,
		.agblocks = 1024,
		.data_blocks = 2024,
		.block_log = block_log,
		.inode_log = inode_log,
		.inopb_log = inopb_log,
		.agblk_log = 10,
		.agino_log = (uint8_t)(10 + inopb_log),
		.internal_inos = {65, 66},
	};
}

#endif
