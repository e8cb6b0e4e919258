/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of which filesystem, when, how and how well a census was taken. */
#ifndef ANALYZER_CENSUS_SCAN_INFO_H
#define ANALYZER_CENSUS_SCAN_INFO_H

#include <stdbool.h>
#include <stdint.h>

#define FS_ID_BYTES 64

/* Strings are owned, NUL-terminated bytes; NULL where unknown. */
struct scan_info {
	int64_t scan_id; /* in the database; 0 until stored */

	/* The filesystem */
	char fs_id[FS_ID_BYTES]; /* the XFS UUID in text form, elsewhere "fsid:" and hex digits */
	char fs_type[16];        /* "xfs", "ext4", … */
	char *mount_point;       /* NULL: an image, not mounted, or no mount shows the root */
	char *device;            /* block device or image file, NULL if unknown */
	uint32_t block_bytes;
	uint64_t capacity_bytes; /* size of the data section */
	uint64_t inode_chunks;   /* inode B+tree records; 0 if unknown */

	/* The scan */
	char *path;              /* PATH as the user gave it, made absolute */
	bool whole_filesystem;   /* false: only the tree below path */
	char engine[16];         /* "device", "bulkstat", "walk" */
	char *engine_reason;     /* why that one and what it did, one line */
	int64_t started_seconds; /* since 1970-01-01 UTC */
	double seconds;          /* from the first read to the last, storing not included */
	uint32_t jobs;           /* threads, at most */
	uint64_t tiny_bytes;     /* the edge of tiny, a power of two */
	uint64_t errors;         /* failures of all kinds */
	uint64_t unlinked;       /* inodes open but deleted; counted, not dumped */
	uint64_t unknown_inodes; /* inodes with a field the engine could not know */

	/* Of the device engine, not stored; 0 elsewhere */
	uint64_t read_bytes;  /* read for inodes, gaps between them included */
	uint64_t inode_bytes; /* of the inodes that were wanted */
};

/*
 * Adds a clause to engine_reason, after "; " if there are some already. It stays one line: control
 * characters become spaces. Without memory the clause is left out.
 */
void scan_info_add_reason(struct scan_info *info, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Frees the strings and forgets everything. */
void scan_info_fini(struct scan_info *info);

#endif
