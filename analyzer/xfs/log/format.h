/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log's bytes as numbers. Fields are named by the structures of <xfs/xfs_log_format.h> and read
 * at their offsets, since regions lie at any address and in either byte order.
 */
#ifndef ANALYZER_XFS_LOG_FORMAT_H
#define ANALYZER_XFS_LOG_FORMAT_H

#include "analyzer/xfs/disk/bytes.h"

// clang-format off
#include <xfs/xfs.h>
#include <xfs/xfs_types.h>
#include <xfs/xfs_arch.h>
#include <xfs/xfs_format.h>
#include <xfs/xfs_log_format.h>
// clang-format on

#include <endian.h>
#include <stddef.h>
#include <string.h>

/* The big-endian field @member of struct @type at @bytes. */
#define LOG_BE32(bytes, type, member) \
	disk_be32((const char *)(bytes) + offsetof(struct type, member))
#define LOG_BE64(bytes, type, member) \
	disk_be64((const char *)(bytes) + offsetof(struct type, member))

/* Numbers in the byte order of the host that wrote the log (h_fmt). */
static inline uint16_t log_host16(const void *bytes, bool big_endian)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return big_endian ? be16toh(value) : le16toh(value);
}

static inline uint32_t log_host32(const void *bytes, bool big_endian)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return big_endian ? be32toh(value) : le32toh(value);
}

static inline uint64_t log_host64(const void *bytes, bool big_endian)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return big_endian ? be64toh(value) : le64toh(value);
}

/* The cycle that a block was written in: its first word, the second in a record's header. */
static inline uint32_t log_block_cycle(const void *block)
{
	uint32_t first = disk_be32(block);

	return first == XLOG_HEADER_MAGIC_NUM ? disk_be32((const char *)block + 4) : first;
}

/* The cycle after @cycle, which is never the magic number of a header. */
static inline uint32_t log_next_cycle(uint32_t cycle)
{
	return cycle + 1 == XLOG_HEADER_MAGIC_NUM ? cycle + 2 : cycle + 1;
}

#endif
