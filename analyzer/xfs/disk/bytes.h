/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Big-endian fields of a structure in a buffer of any alignment.
 *
 * DISK_FIELD(buffer, struct xfs_agi, agi_root) is the field's value, in the width it has on disk.
 */
#ifndef ANALYZER_XFS_DISK_BYTES_H
#define ANALYZER_XFS_DISK_BYTES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t disk_be16(const void *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static inline uint32_t disk_be32(const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

static inline uint64_t disk_be64(const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return be64toh(value);
}

/* The one checksum format of XFS is little-endian. */
static inline uint32_t disk_le32(const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static inline const void *disk_at(const void *buffer, size_t offset)
{
	return (const char *)buffer + offset;
}

/* @bytes bytes, big-endian; a constant at every call, so one branch is left of it. */
static inline uint64_t disk_be(const void *at, size_t bytes)
{
	switch (bytes) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return disk_be16(at);
	case 4:
		return disk_be32(at);
	default:
		return disk_be64(at);
	}
}

#define DISK_FIELD(buffer, type, field)           \
	((__typeof__(((type *)0)->field))disk_be( \
		disk_at(buffer, offsetof(type, field)), sizeof(((type *)0)->field)))

#endif
