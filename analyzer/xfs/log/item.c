// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See item.h. Every format structure begins with its type and the number of regions of the item,
 * 16 bits each, in the order of the host that wrote them. Three types are looked into; of the
 * others, of which kernels make new ones now and then, only the number of regions matters.
 */
#include "analyzer/xfs/log/item.h"

#include "analyzer/xfs/log/format.h"
#include "analyzer/xfs/log/transactions.h"

#include <errno.h>
#include <inttypes.h>

/* All types of items so far, and room for those to come. */
#define FIRST_TYPE 0x1236
#define LAST_TYPE  0x12ff

/* A 64 KiB buffer has 512 chunks of 128 bytes; at most every other one is a region of its own. */
#define REGIONS_MAX (XFS_MAX_BLOCKSIZE / XFS_BLF_CHUNK / 2 + 1)

/* Old 32-bit kernels wrote inode items without padding before the inode number. */
#define INODE_BYTES    sizeof(struct xfs_inode_log_format)
#define INODE_BYTES_32 sizeof(struct xfs_inode_log_format_32)

_Static_assert(INODE_BYTES == 56 && INODE_BYTES_32 == 52, "fixed by the disk format");
_Static_assert(INODE_BYTES <= LOG_REGION_HEAD_BYTES, "inode items are kept whole");

static int unsound(struct err *err, const char *what, uint64_t value)
{
	return err_set(err, -EUCLEAN, "log item %s %" PRIu64, what, value);
}

static bool is_inode_number(const struct log_source *source, uint64_t ino)
{
	uint64_t block = ino >> source->inodes_per_block_log;
	uint64_t agbno = block & ((1ULL << source->agblock_log) - 1);

	return ino != 0 && block >> source->agblock_log < source->agcount &&
	       agbno < source->agblocks;
}

static int note_inode(const struct log_source *source, const struct log_item_format *format,
	struct log_changes *changes, struct err *err)
{
	size_t at = offsetof(struct xfs_inode_log_format, ilf_ino);
	uint64_t ino;
	int rc;

	if (format->length == INODE_BYTES_32)
		at = offsetof(struct xfs_inode_log_format_32, ilf_ino);
	else if (format->length != INODE_BYTES)
		return unsound(err, "of an inode has a format of bytes", format->length);
	ino = log_host64(format->bytes + at, format->big_endian);
	if (!is_inode_number(source, ino))
		return unsound(err, "of an inode has the impossible number", ino);
	changes->inode_items++;
	rc = inode_set_add(&changes->logged, ino);
	return rc == -EFBIG ? err_set(err, rc, "more inodes are named than a log can hold") : rc;
}

static int note_chunk(const struct log_source *source, const struct log_item_format *format,
	struct log_changes *changes, struct err *err)
{
	const char *bytes = format->bytes;
	uint32_t agno, agbno, count, length;

	if (format->length != sizeof(struct xfs_icreate_log))
		return unsound(err, "of an inode chunk has a format of bytes", format->length);
	agno = LOG_BE32(bytes, xfs_icreate_log, icl_ag);
	agbno = LOG_BE32(bytes, xfs_icreate_log, icl_agbno);
	count = LOG_BE32(bytes, xfs_icreate_log, icl_count);
	length = LOG_BE32(bytes, xfs_icreate_log, icl_length);
	if (agno >= source->agcount || agbno >= source->agblocks ||
		length > source->agblocks - agbno)
		return unsound(err, "of an inode chunk lies outside the filesystem, in AG", agno);
	if (count != (uint64_t)length << source->inodes_per_block_log)
		return unsound(err, "of an inode chunk has the wrong number of inodes", count);
	changes->chunk_items++;
	return 0;
}

static int note_buffer(
	const struct log_item_format *format, struct log_changes *changes, struct err *err)
{
	size_t flags_at = offsetof(struct xfs_buf_log_format, blf_flags);

	if (format->length < offsetof(struct xfs_buf_log_format, blf_data_map))
		return unsound(err, "of a buffer has a format of bytes", format->length);
	if (log_host16(format->bytes + flags_at, format->big_endian) & XFS_BLF_CANCEL)
		changes->cancelled_buffers++;
	return 0;
}

int log_item_note(const struct log_source *source, const struct log_item_format *format,
	struct log_changes *changes, uint32_t *regions, struct err *err)
{
	uint16_t type;

	if (format->length < 4)
		return unsound(err, "begins with a region of bytes", format->length);
	type = log_host16(format->bytes, format->big_endian);
	*regions = log_host16(format->bytes + 2, format->big_endian);
	if (type < FIRST_TYPE || type > LAST_TYPE)
		return unsound(err, "has no known type", type);
	if (*regions == 0 || *regions > REGIONS_MAX)
		return unsound(err, "has a number of regions of", *regions);
	changes->items++;
	switch (type) {
	case XFS_LI_INODE:
		return note_inode(source, format, changes, err);
	case XFS_LI_ICREATE:
		return note_chunk(source, format, changes, err);
	case XFS_LI_BUF:
		return note_buffer(format, changes, err);
	default:
		return 0;
	}
}
