/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every scan engine says of an inode. All engines emit the same record for the same inode;
 * a field that an engine cannot know is said so in `unknown`, and the scan tells it.
 */
#ifndef ANALYZER_CENSUS_INODE_RECORD_H
#define ANALYZER_CENSUS_INODE_RECORD_H

#include <stdint.h>
#include <sys/stat.h>

enum inode_kind { KIND_REGULAR, KIND_DIRECTORY, KIND_SYMLINK, KIND_OTHER, INODE_KINDS };

enum inode_flag {
	INODE_ATTR_FORK = 1 << 0, /* has an attribute fork, empty or not (bs_forkoff != 0) */
	INODE_NODUMP = 1 << 1,    /* xfsdump -e leaves it out (FS_XFLAG_NODUMP) */
	INODE_REALTIME = 1 << 2,  /* data lies on the realtime device (FS_XFLAG_REALTIME) */
};

enum inode_unknown {
	UNKNOWN_EXTENTS = 1 << 0,   /* extents is 0 for want of an answer */
	UNKNOWN_PROJECT = 1 << 1,   /* projid likewise */
	UNKNOWN_ATTR_FORK = 1 << 2, /* flags likewise */
};

struct inode_record {
	uint64_t ino;             /* inode number */
	uint64_t size_bytes;      /* i_size: end of file; of a directory or symlink as stat tells */
	uint64_t allocated_bytes; /* blocks × block size, attribute and B+tree blocks included */
	uint64_t extents;         /* extents of the data fork; 0 for an inline one */
	int64_t mtime_seconds;    /* since 1970-01-01 UTC, may be negative */
	int64_t ctime_seconds;
	uint32_t uid;
	uint32_t gid;
	uint32_t projid; /* project id, 0 if none */
	uint32_t nlink;
	uint16_t mode;   /* type and permissions as in st_mode */
	uint8_t flags;   /* enum inode_flag */
	uint8_t unknown; /* enum inode_unknown */
};

static inline enum inode_kind inode_kind_of(uint16_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return KIND_REGULAR;
	case S_IFDIR:
		return KIND_DIRECTORY;
	case S_IFLNK:
		return KIND_SYMLINK;
	default:
		return KIND_OTHER;
	}
}

/* When the inode last changed as xfsdump's incremental levels see it: the later of both. */
static inline int64_t inode_change_seconds(const struct inode_record *inode)
{
	return inode->mtime_seconds > inode->ctime_seconds ? inode->mtime_seconds
							   : inode->ctime_seconds;
}

#endif
