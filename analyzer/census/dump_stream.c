// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_stream.h. Sizes are those of xfsdump's structures: a file header of 256 bytes, an extent
 * header of 32, and so on. Whole numbers only, so that every engine on every machine agrees.
 */
#include "analyzer/census/dump_stream.h"

#include "base/checked.h"

#define INLINE_HEAD_BYTES          6ULL
#define MEAN_ENTRY_BYTES           32ULL /* of a directory entry whose name has 16 bytes */
#define DIRECTORY_BLOCK_HEAD_BYTES 64ULL
#define ALIGN_NEXT_BYTES           4080ULL /* of one that follows another in its file */
#define MEDIA_HEADER_BYTES         4096ULL
#define INOMAP_RECORD_BYTES        16384ULL
#define INOMAP_RECORD_CHUNKS       511ULL

/*
 * How many of the @extents of a file are so long that they are aligned. One extent is known; of
 * several only the mean is, and their lengths are taken to be spread log-logistically around it:
 * of them, 1 / (1 + (32 KiB / mean)^4) are.
 */
static uint64_t aligned_extents(uint64_t data, uint64_t extents)
{
	const uint64_t from = DUMP_STREAM_ALIGN_FROM_BYTES / DUMP_STREAM_SECTOR_BYTES;
	const uint64_t from4 = from * from * from * from;
	uint64_t mean = min_u64(data / extents / DUMP_STREAM_SECTOR_BYTES, 16 * from);
	uint64_t mean4 = mean * mean * mean * mean;

	if (extents == 1)
		return data >= DUMP_STREAM_ALIGN_FROM_BYTES;
	return sat_add_u64(sat_mul_u64(extents, mean4), (mean4 + from4) / 2) / (mean4 + from4);
}

/*
 * Padding and its header before aligned extents. The first starts anywhere. The next ones start
 * where whole blocks and a few headers of 32 bytes have led from a page's start: where blocks are
 * whole pages, that is just past a page's start, and nearly a page is padded.
 */
static uint64_t alignment_bytes(uint64_t aligned, uint64_t groups, uint32_t block_bytes)
{
	uint64_t anywhere = min_u64(aligned, groups);

	if (block_bytes % DUMP_STREAM_PAGE_BYTES)
		anywhere = aligned;
	return sat_add_u64(
		sat_mul_u64(anywhere, DUMP_STREAM_ALIGN_MEAN_BYTES - DUMP_STREAM_EXTENT_BYTES),
		sat_mul_u64(aligned - anywhere, ALIGN_NEXT_BYTES - DUMP_STREAM_EXTENT_BYTES));
}

/* The data and hole extents of a regular file, cut into @groups. */
static uint64_t extents_bytes(
	const struct inode_record *inode, uint32_t block_bytes, uint64_t groups)
{
	uint64_t end = round_up_u64(inode->size_bytes, DUMP_STREAM_SECTOR_BYTES);
	uint64_t in_blocks = round_up_u64(inode->size_bytes, block_bytes);
	uint64_t data = min_u64(inode->allocated_bytes, end);
	uint64_t extents = max_u64(inode->extents, 1);
	uint64_t holes = inode->allocated_bytes < in_blocks ? extents : 0;
	uint64_t pieces, padding;

	if (!data)
		return 0; /* a file without extents has an empty map */
	pieces = sat_add_u64(extents, groups - 1);
	padding = alignment_bytes(aligned_extents(data, pieces), groups, block_bytes);
	return sat_add_u64(sat_add_u64(data, padding),
		sat_mul_u64(sat_add_u64(pieces, holes), DUMP_STREAM_EXTENT_BYTES));
}

static uint64_t regular_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	uint64_t groups =
		1 + min_u64(inode->allocated_bytes, inode->size_bytes) / DUMP_STREAM_GROUP_BYTES;
	uint64_t around = groups * (DUMP_STREAM_FILE_BYTES + DUMP_STREAM_EXTENT_BYTES);

	if (!inode->size_bytes)
		return around;
	return sat_add_u64(extents_bytes(inode, block_bytes, groups), around);
}

/* An inline directory: a head of 6 bytes and 8 + namelen an entry; names are put at 16 bytes. */
static uint64_t inline_entries_bytes(uint64_t size_bytes, uint64_t subdirectories)
{
	uint64_t body = size_bytes > INLINE_HEAD_BYTES ? size_bytes - INLINE_HEAD_BYTES : 0;
	uint64_t entries = max_u64((body + 12) / 24, subdirectories);

	if (!body)
		return 0;
	if (entries <= 1)
		return round_up_u64(body + 11, 8); /* exact: 19 + namelen */
	/* 8⌈19 + namelen⌉ is 22.5 + namelen on average, inline it is 8 + namelen. */
	return body + entries * 29 / 2;
}

/*
 * A directory in blocks: 8⌈12 + namelen⌉ an entry, which is 7 less on average than in the stream.
 * Of a single block three tenths hold entries: the mean of a filling that is equally likely at any
 * order of magnitude between what just does not fit inline and a full block, without its index.
 * Of more blocks all are full but the last, which is half so.
 */
static uint64_t block_entries_bytes(
	uint64_t size_bytes, uint64_t block_bytes, uint64_t subdirectories)
{
	uint64_t blocks = size_bytes / block_bytes;
	uint64_t usable = block_bytes - min_u64(block_bytes, DIRECTORY_BLOCK_HEAD_BYTES);
	uint64_t filled = blocks > 1 ? sat_mul_u64(blocks, usable) - usable / 2 : usable * 3 / 10;
	uint64_t entries = max_u64(filled / MEAN_ENTRY_BYTES, subdirectories);

	filled = max_u64(filled, sat_mul_u64(entries, MEAN_ENTRY_BYTES));
	return sat_add_u64(filled, sat_mul_u64(entries, 7));
}

static uint64_t directory_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	uint64_t subdirectories = inode->nlink > 2 ? inode->nlink - 2 : 0;
	uint64_t entries =
		inode->size_bytes % block_bytes
			? inline_entries_bytes(inode->size_bytes, subdirectories)
			: block_entries_bytes(inode->size_bytes, block_bytes, subdirectories);

	return sat_add_u64(entries, DUMP_STREAM_DIRECTORY_BYTES);
}

uint64_t dump_stream_inode_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	uint64_t attrs = inode->flags & INODE_ATTR_FORK ? DUMP_STREAM_EMPTY_ATTRS_BYTES : 0;

	if (!inode->nlink)
		return 0;
	switch (inode_kind_of(inode->mode)) {
	case KIND_REGULAR:
		return sat_add_u64(regular_bytes(inode, block_bytes), attrs);
	case KIND_DIRECTORY:
		return sat_add_u64(directory_bytes(inode, block_bytes), attrs);
	case KIND_SYMLINK:
		return DUMP_STREAM_FILE_BYTES + DUMP_STREAM_EXTENT_BYTES +
		       round_up_u64(inode->size_bytes + 1, 8) + attrs;
	default:
		return DUMP_STREAM_FILE_BYTES + attrs;
	}
}

uint64_t dump_stream_overhead_bytes(uint64_t inode_chunks)
{
	return MEDIA_HEADER_BYTES + DUMP_STREAM_END_BYTES +
	       INOMAP_RECORD_BYTES * div_ceil_u64(inode_chunks, INOMAP_RECORD_CHUNKS);
}
