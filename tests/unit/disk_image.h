/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hand-made XFS metadata. Offsets are written out as the format documents them, not taken from the
 * headers that the code under test uses.
 */
#ifndef TESTS_UNIT_DISK_IMAGE_H
#define TESTS_UNIT_DISK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_UUID "0123456789abcdef"

#define SUPER_CRC_AT 224
#define AGI_CRC_AT   312
#define INOBT_CRC_AT 52
#define INODE_CRC_AT 100
#define DIR_CRC_AT   4
#define BMBT_CRC_AT  64

/* Big-endian numbers at byte @at. */
void put16(void *buffer, size_t at, uint16_t value);
void put32(void *buffer, size_t at, uint32_t value);
void put64(void *buffer, size_t at, uint64_t value);
void put8(void *buffer, size_t at, uint8_t value);

/* Writes the checksum that belongs at @at. */
void put_crc(void *buffer, size_t bytes, size_t at);

/* A superblock: blocks of 4096, inodes of 512, sectors of 512, 2 AGs of 1024 and 1000 blocks. */
void make_super(void *buffer, unsigned version);

/* The AGI of AG @agno of that filesystem: a tree of one level at block 3, 128 inodes, 28 free. */
void make_agi(void *buffer, unsigned version, uint32_t agno);

/* A block of an inode B+tree without records: those are put at inobt_entries_at(). */
void make_inobt(void *block, unsigned version, uint32_t agno, uint32_t agbno, uint16_t level,
	uint16_t count);

/* Where its entries begin. */
size_t inobt_entries_at(unsigned version);

/* Record @index: @holes is the mask of a sparse chunk. */
void put_record(void *block, unsigned version, unsigned index, uint32_t first, uint16_t holes,
	uint8_t count, uint8_t free_count, uint64_t free_mask);

/* An inode of a regular file: version 3 of 512 bytes with its checksum, or older. */
void make_inode(void *buffer, unsigned version, uint64_t ino);

/* An inode of a directory with its data fork in form @format (1: inside, 2: extents, 3: a tree). */
void make_dir_inode(void *buffer, unsigned version, uint64_t ino, uint8_t format,
	uint64_t size_bytes, uint32_t extents);

/* Where its data fork begins. */
size_t dir_fork_at(unsigned version);

/* An extent: @block is agno << 10 | agbno in that filesystem. */
void put_extent(void *buffer, size_t at, uint64_t offset, uint64_t block, uint32_t count);

/* A block of the extent tree of @ino, without entries: those begin at bmbt_entries_at(). */
void make_bmbt(void *block, unsigned version, uint64_t ino, uint32_t agno, uint32_t agbno,
	uint16_t level, uint16_t count);

/* Where its entries begin. */
size_t bmbt_entries_at(unsigned version);

/* The header of a directory block of @ino at byte @place; returns where its entries begin. */
size_t make_dir_block(void *block, unsigned version, bool single, uint64_t ino, uint64_t place);

/* An entry, with its type unless that is negative; returns where the next one begins. */
size_t put_entry(
	void *block, size_t at, uint64_t ino, const void *name, uint8_t name_bytes, int type);

/* Free space from @at to @end. */
void put_free(void *block, size_t at, size_t end);

#endif
