// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See crc.h. libisal's crc32_iscsi() is the bare register: it neither starts from all ones nor
 * inverts at the end, which lets it be carried over the checksum field.
 *
 * Its AVX-512 form leaves the upper halves of the vector registers in use, which makes all SSE code
 * after it, ours, wait for them: 300 ns an inode instead of 110. So they are cleared.
 */
#include "analyzer/xfs/disk/crc.h"

#include "analyzer/xfs/disk/bytes.h"

#include <isa-l/crc.h>
#include <string.h>

#define CRC_START 0xffffffffU
#define CRC_BYTES 4

/* Inodes of the usual size, of which there are many, are checked in a copy. */
#define COPY_MAX_BYTES 512

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx"))) static void zero_upper_halves(void)
{
	_mm256_zeroupper();
}

static uint32_t finish(uint32_t crc)
{
	if (__builtin_cpu_supports("avx"))
		zero_upper_halves();
	return ~crc;
}
#else
static uint32_t finish(uint32_t crc)
{
	return ~crc;
}
#endif

/* The library takes a pointer to what it does not write. */
static uint32_t carry(uint32_t crc, const void *buffer, size_t bytes)
{
	return crc32_iscsi((unsigned char *)(uintptr_t)buffer, (int)bytes, crc);
}

uint32_t disk_crc32c(const void *buffer, size_t bytes)
{
	return finish(carry(CRC_START, buffer, bytes));
}

/* In one piece, which costs less than two calls more. */
static uint32_t crc_of_copy(const void *buffer, size_t bytes, size_t crc_offset)
{
	_Alignas(64) unsigned char copy[COPY_MAX_BYTES];

	memcpy(copy, buffer, bytes);
	memset(copy + crc_offset, 0, CRC_BYTES);
	return disk_crc32c(copy, bytes);
}

uint32_t disk_crc_of(const void *buffer, size_t bytes, size_t crc_offset)
{
	static const unsigned char zero[CRC_BYTES];
	size_t after = crc_offset + CRC_BYTES;
	uint32_t crc;

	if (bytes <= COPY_MAX_BYTES)
		return crc_of_copy(buffer, bytes, crc_offset);
	crc = carry(CRC_START, buffer, crc_offset);
	crc = carry(crc, zero, CRC_BYTES);
	return finish(carry(crc, disk_at(buffer, after), bytes - after));
}

bool disk_crc_good(const void *buffer, size_t bytes, size_t crc_offset)
{
	return disk_crc_of(buffer, bytes, crc_offset) == disk_le32(disk_at(buffer, crc_offset));
}
