/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The superblock: which XFS this is and how its allocation groups and inodes are laid out.
 *
 * What disk_super_parse() accepts is safe to compute with: sizes are powers of two within XFS's
 * limits, logarithms agree with sizes, and AGs cover the data section. Terms: an agbno is a block's
 * number in its AG, an agino an inode's number in its AG, an ino is agno << agino_log | agino.
 */
#ifndef ANALYZER_XFS_DISK_SUPER_H
#define ANALYZER_XFS_DISK_SUPER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_UUID_BYTES       16
#define DISK_INTERNAL_INODES  6
#define DISK_QUOTA_INODES_AT  2 /* those of users, groups and projects among them */
#define DISK_QUOTA_INODES_END 5
#define DISK_SECTOR_MAX_BYTES 32768
#define DISK_SECTOR_MIN_BYTES 512

struct disk_super {
	uint8_t uuid[DISK_UUID_BYTES];      /* what users see */
	uint8_t meta_uuid[DISK_UUID_BYTES]; /* what metadata carries; differs after a change */
	bool v5;                            /* checksums, inodes of version 3 */
	bool sparse_inodes;
	bool metadir;          /* metadata inodes are told by a flag of theirs */
	bool ftype;            /* directory entries carry the type of what they name */
	bool dir_v1;           /* directories of the oldest form, which no kernel reads any more */
	uint32_t block_bytes;  /* 512-65536 */
	uint32_t sector_bytes; /* 512-32768 */
	uint32_t inode_bytes;  /* 256-2048 */
	uint32_t inodes_per_block;
	uint32_t agcount;
	uint32_t agblocks;    /* blocks of an AG, but for the last */
	uint64_t data_blocks; /* blocks of the data section */
	uint64_t rt_blocks;   /* blocks of the realtime section; 0: none */
	uint64_t inodes;      /* allocated, as last counted on disk */
	uint64_t free_inodes; /* of them not in use */
	uint64_t root_ino;    /* the root directory */
	bool first_inos_odd;  /* the first inodes do not lie as they are made, see below */
	uint32_t copy_agno; /* the AG that this is the copy of, since the first is damaged; or 0 */
	uint64_t last_lsn;  /* of the log when it was written, as in the log; 0: not told */
	uint64_t log_start; /* first block (agno << agblk_log | agbno); 0: external log */
	uint32_t log_blocks;
	uint8_t block_log; /* log2 of the sizes above */
	uint8_t inode_log;
	uint8_t dir_block_log;                        /* of a directory block, 65536 at most */
	uint8_t inopb_log;                            /* of inodes_per_block */
	uint8_t agblk_log;                            /* of agblocks, rounded up */
	uint8_t agino_log;                            /* bits of an agino */
	uint64_t internal_inos[DISK_INTERNAL_INODES]; /* see below; 0: none */
};

/*
 * mkfs.xfs makes the root directory and the inodes of the filesystem's own right after it side by
 * side, and they stay there: realtime bitmap and summary, or the metadata directory. Where one of
 * three is out of line, its number is put right (nothing else says where it is); where there are
 * two only, or the root is outside of all AGs, all are left as they are. Either way
 * first_inos_odd is set.
 */

/*
 * Reads the superblock in the first @bytes (at least 512) of the filesystem; with @bytes below the
 * sector size the checksum is not looked at, so hand over DISK_SECTOR_MAX_BYTES where there are
 * that many. Returns 0, or with a message: -EMEDIUMTYPE if it is no XFS; -EBADMSG for a wrong
 * checksum; -EUCLEAN for a geometry that makes no sense; -EOPNOTSUPP for features not known here;
 * -EINPROGRESS if mkfs.xfs never finished it.
 */
int disk_super_parse(struct disk_super *super, const void *buffer, size_t bytes, struct err *err);

/* The length of an AG in bytes as a damaged superblock says. */
uint64_t disk_super_said_ag_bytes(const void *buffer);

/*
 * Reads the superblock of a filesystem whose first one, in @damaged (DISK_SECTOR_MIN_BYTES), cannot
 * be parsed, from a copy in @bytes at @copy: every AG begins with one. Copies are written when the
 * filesystem is made or grows; they know nothing of quota, and few of them the root directory: the
 * numbers of such inodes that a copy lacks are those of @damaged. How many inodes there are, and
 * what the log has seen, is not known (0). @offset is where the copy lies on the device. Returns as
 * disk_super_parse(), and -EUCLEAN if no copy of that geometry lies there.
 */
int disk_super_restore(struct disk_super *super, const void *damaged, const void *copy,
	size_t bytes, uint64_t offset, struct err *err);

/*
 * Whether inode @ino belongs to the filesystem itself: realtime bitmap and summary, quota, the root
 * of the metadata directory. What lies in that directory, only the inodes themselves tell.
 */
bool disk_super_is_internal(const struct disk_super *super, uint64_t ino);

/* The same of the 64 inodes from @first_ino on, a bit each. */
uint64_t disk_super_internal_mask(const struct disk_super *super, uint64_t first_ino);

/* How many such inodes there are in the AGs from @first_agno to below @end_agno. */
unsigned disk_super_internal_count(
	const struct disk_super *super, uint32_t first_agno, uint32_t end_agno);

/* Whether the place of inode @ino, whoever has it, lies in an AG. */
bool disk_super_has_place(const struct disk_super *super, uint64_t ino);

/* Whether there can be an inode @ino of a user: its place lies in an AG. */
bool disk_super_has_ino(const struct disk_super *super, uint64_t ino);

/* Blocks of AG @agno: the last one may be short. */
uint32_t disk_super_ag_blocks(const struct disk_super *super, uint32_t agno);

/* Byte offset on the device of block @agbno of AG @agno. */
static inline uint64_t disk_super_block_offset(
	const struct disk_super *super, uint32_t agno, uint32_t agbno)
{
	return ((uint64_t)agno * super->agblocks + agbno) << super->block_log;
}

/* Byte offset on the device of inode @agino of AG @agno: inode numbers are places. */
static inline uint64_t disk_super_inode_offset(
	const struct disk_super *super, uint32_t agno, uint32_t agino)
{
	return disk_super_block_offset(super, agno, 0) + ((uint64_t)agino << super->inode_log);
}

static inline uint64_t disk_super_ino(const struct disk_super *super, uint32_t agno, uint32_t agino)
{
	return (uint64_t)agno << super->agino_log | agino;
}

#endif
