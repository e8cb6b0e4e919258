/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CRC32C of V5 metadata. */
#ifndef ANALYZER_XFS_DISK_CRC_H
#define ANALYZER_XFS_DISK_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC32C (Castagnoli) of @bytes: 0xe3069283 for "123456789". */
uint32_t disk_crc32c(const void *buffer, size_t bytes);

/*
 * The checksum of a structure of @bytes whose own checksum field, four bytes at @crc_offset, counts
 * as zero. @crc_offset + 4 ≤ @bytes.
 */
uint32_t disk_crc_of(const void *buffer, size_t bytes, size_t crc_offset);

/* Whether the structure carries the checksum of its contents. */
bool disk_crc_good(const void *buffer, size_t bytes, size_t crc_offset);

#endif
