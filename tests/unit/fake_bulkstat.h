/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filesystem that is a table in memory: fake_bulkstat.c defines the functions of
 * analyzer/xfs/bulkstat.h and geometry.h that the bulkstat engine calls, so that the linker does
 * not take those of the library. The table can be damaged anywhere, as no real filesystem can be.
 */
#ifndef TESTS_UNIT_FAKE_BULKSTAT_H
#define TESTS_UNIT_FAKE_BULKSTAT_H

#include "analyzer/xfs/inode.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AG_BITS    19 /* 65536 blocks of 8 inodes */
#define AGS        4
#define MAX_CHUNKS 2000

struct fake_fs {
	struct xfs_chunk chunks[MAX_CHUNKS]; /* in order */
	size_t chunk_count;
	uint64_t bad_inode; /* the first of bad_inodes that fail with bad_code */
	unsigned bad_inodes;
	int bad_code;
	uint64_t bad_chunk;    /* where INUMBERS fails */
	uint64_t lacks_blocks; /* an inode with blocks that BULKSTAT does not tell */
	uint64_t late_inode;   /* in use, but INUMBERS did not see it yet */
	bool late_damage;      /* asked for one chunk only, INUMBERS fails where inodes do */
	bool is_old;           /* only v1 is there: no call keeps to one AG */
	bool shut_down;        /* everything fails with -EIO */
	unsigned seek_us;      /* what INUMBERS takes */
	int refusal;           /* what every call answers */
};

extern struct fake_fs fs;

/* Who is where. */
struct fake_crowd {
	atomic_uint now[AGS]; /* workers in an AG */
	atomic_bool met;      /* two were in one */
	atomic_uint in_all;   /* workers in any */
	atomic_uint most;     /* of them at a time */
	atomic_uint ended;    /* AGs that are read to their end */
	bool held;            /* AG 0 answers once all others are at their end */
};

extern struct fake_crowd crowd;

/* @per_ag chunks in each AG; every seventh is empty, every fifth half full. Returns the inodes. */
uint64_t make_fs(size_t per_ag);

#endif
