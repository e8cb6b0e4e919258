// SPDX-License-Identifier: GPL-2.0-or-later
/* See dump_stream.h. Sizes are those of xfsdump's structures: a file header of 256 bytes, an
 * extent header of 32, and so on; docs/dump-model.md has the table. */
#include "analyzer/census/dump_stream.h"

#include "base/checked.h"

#define FILE_HEADER_BYTES    256ULL
#define EXTENT_HEADER_BYTES  32ULL
#define DIRENT_END_BYTES     24ULL
#define SECTOR_BYTES         512ULL
#define ALIGN_FROM_BYTES     32768ULL      /* data from here on starts on a page */
#define ALIGN_MEAN_BYTES     2108ULL       /* header and padding of such an extent */
#define GROUP_BYTES          (16ULL << 20) /* a file is cut into groups of this */
#define EMPTY_ATTRS_BYTES    (FILE_HEADER_BYTES + 16)
#define MEDIA_HEADER_BYTES   4096ULL
#define INOMAP_RECORD_BYTES  16384ULL
#define INOMAP_RECORD_CHUNKS 511ULL
#define STREAM_END_BYTES     256ULL

/* The data and hole extents of a regular file. */
static uint64_t extents_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	uint64_t end = round_up_u64(inode->size_bytes, SECTOR_BYTES);
	uint64_t in_blocks = round_up_u64(inode->size_bytes, block_bytes);
	uint64_t data = min_u64(inode->allocated_bytes, end);
	uint64_t extents = max_u64(inode->extents, data > 0);
	uint64_t holes = inode->allocated_bytes < in_blocks ? extents + (extents == 0) : 0;
	uint64_t cuts = extents ? data / GROUP_BYTES : 0;
	uint64_t mean = extents ? data / extents : 0;
	uint64_t header = mean >= ALIGN_FROM_BYTES ? ALIGN_MEAN_BYTES : EXTENT_HEADER_BYTES;

	return sat_add_u64(data, sat_mul_u64(extents + cuts, header) + holes * EXTENT_HEADER_BYTES);
}

static uint64_t regular_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	uint64_t data, groups;

	if (!inode->size_bytes)
		return FILE_HEADER_BYTES + EXTENT_HEADER_BYTES;
	data = extents_bytes(inode, block_bytes);
	groups = 1 + min_u64(inode->allocated_bytes, inode->size_bytes) / GROUP_BYTES;
	return sat_add_u64(data, groups * (FILE_HEADER_BYTES + EXTENT_HEADER_BYTES));
}

/*
 * Entries from the size: in a directory's blocks an entry takes 8⌈12 + namelen⌉, in the stream
 * 8⌈19 + namelen⌉; inline it takes 8 + namelen. A name is put at 16 bytes.
 */
static uint64_t directory_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	bool is_inline = inode->size_bytes % block_bytes != 0;
	uint64_t entry_bytes = is_inline ? 24 : 32;
	uint64_t entries = inode->size_bytes / entry_bytes;

	return FILE_HEADER_BYTES + DIRENT_END_BYTES + sat_mul_u64(entries, 40);
}

uint64_t dump_stream_inode_bytes(const struct inode_record *inode, uint32_t block_bytes)
{
	uint64_t attrs = inode->flags & INODE_ATTR_FORK ? EMPTY_ATTRS_BYTES : 0;

	if (!inode->nlink)
		return 0;
	switch (inode_kind_of(inode->mode)) {
	case KIND_REGULAR:
		return sat_add_u64(regular_bytes(inode, block_bytes), attrs);
	case KIND_DIRECTORY:
		return sat_add_u64(directory_bytes(inode, block_bytes), attrs);
	case KIND_SYMLINK:
		return FILE_HEADER_BYTES + EXTENT_HEADER_BYTES +
		       round_up_u64(inode->size_bytes + 1, 8) + attrs;
	default:
		return FILE_HEADER_BYTES + attrs;
	}
}

uint64_t dump_stream_overhead_bytes(uint64_t inode_chunks)
{
	return MEDIA_HEADER_BYTES + STREAM_END_BYTES +
	       INOMAP_RECORD_BYTES * div_ceil_u64(inode_chunks, INOMAP_RECORD_CHUNKS);
}
