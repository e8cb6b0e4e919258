/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many bytes an inode takes in an xfsdump stream, from what every engine knows of it.
 *
 * The stream's layout is xfsdump's (content.c, content_inode.h); the formulas are in
 * docs/dump-model.md. Exact for files without holes, preallocation or attributes whose extents are
 * below 32 KiB, for links and special files. Otherwise the unknown is put at its expected value:
 * the padding before extents of 32 KiB and more, holes from what is allocated against the size,
 * attributes as an empty fork, a directory's entries from its size.
 */
#ifndef ANALYZER_CENSUS_DUMP_STREAM_H
#define ANALYZER_CENSUS_DUMP_STREAM_H

#include "analyzer/census/inode_record.h"

/* xfsdump's structures and rules. */
#define DUMP_STREAM_FILE_BYTES       256ULL /* header of a file */
#define DUMP_STREAM_EXTENT_BYTES     32ULL  /* header of data, a hole, padding or the end */
#define DUMP_STREAM_SECTOR_BYTES     512ULL
#define DUMP_STREAM_PAGE_BYTES       4096ULL
#define DUMP_STREAM_ALIGN_FROM_BYTES 32768ULL /* data from here on starts on a page */
#define DUMP_STREAM_ALIGN_MEAN_BYTES 2108ULL  /* header and padding of such an extent, anywhere */
#define DUMP_STREAM_GROUP_BYTES      (16ULL << 20) /* a file is cut into groups of this */

/* Stream bytes of @inode on a filesystem with blocks of @block_bytes (> 0). */
uint64_t dump_stream_inode_bytes(const struct inode_record *inode, uint32_t block_bytes);

/* What a directory's entry or an attribute takes is a multiple of this. */
#define DUMP_STREAM_UNIT_BYTES 8

/* Stream bytes of a directory's entry whose name has @name_bytes. */
static inline uint64_t dump_stream_entry_bytes(uint64_t name_bytes)
{
	return (19 + name_bytes + 7) / DUMP_STREAM_UNIT_BYTES * DUMP_STREAM_UNIT_BYTES;
}

/* Stream bytes of an attribute. */
static inline uint64_t dump_stream_attr_bytes(uint64_t name_bytes, uint64_t value_bytes)
{
	return (17 + name_bytes + value_bytes + 7) / DUMP_STREAM_UNIT_BYTES *
	       DUMP_STREAM_UNIT_BYTES;
}

/* Stream bytes of a symbolic link to so many bytes, without attributes. */
static inline uint64_t dump_stream_symlink_bytes(uint64_t target_bytes)
{
	return DUMP_STREAM_FILE_BYTES + DUMP_STREAM_EXTENT_BYTES + (target_bytes + 8) / 8 * 8;
}

/* Stream bytes of a directory besides its entries and attributes, and of an empty attribute fork.
 */
#define DUMP_STREAM_DIRECTORY_BYTES   280
#define DUMP_STREAM_END_BYTES         256 /* at the end of a stream */
#define DUMP_STREAM_EMPTY_ATTRS_BYTES 272

/* Bytes of a stream besides those of its inodes; @inode_chunks are inode B+tree records. */
uint64_t dump_stream_overhead_bytes(uint64_t inode_chunks);

#endif
