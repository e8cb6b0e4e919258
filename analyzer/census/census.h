/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A census: everything that a scan adds up. Every worker fills one of its own, they are merged.
 */
#ifndef ANALYZER_CENSUS_CENSUS_H
#define ANALYZER_CENSUS_CENSUS_H

#include "analyzer/census/ages.h"
#include "analyzer/census/cube.h"
#include "analyzer/census/directories.h"
#include "analyzer/census/dump_facts.h"
#include "analyzer/census/failures.h"
#include "analyzer/census/inode_record.h"

struct census {
	uint32_t block_bytes; /* of the filesystem, for dump_stream.h */
	struct cube cube;
	struct ages ages;
	struct dump_facts dump; /* less what names take in a stream: see directories */
	struct failures failures;
	struct directories directories; /* of the whole scan, not of a worker's part */
	uint64_t inodes;                /* records taken */
	uint64_t unlinked;              /* of them without a link: open but deleted */
	uint64_t unknown_inodes;        /* of them with a field that the engine could not know */
};

/* Sums over a whole census, as the JSON contract names them. */
struct census_totals {
	uint64_t inodes; /* everything */
	uint64_t regular_files;
	uint64_t directories;
	uint64_t symlinks;
	uint64_t others;          /* fifos, sockets, devices */
	uint64_t tiny_files;      /* regular files below the tiny edge */
	uint64_t tiny_bytes;      /* their sizes */
	uint64_t bytes;           /* Σ size of regular files */
	uint64_t allocated_bytes; /* Σ allocated of all inodes */
	uint64_t stream_bytes;    /* Σ xfsdump stream bytes of all inodes */
};

/* An empty census of a filesystem with blocks of @block_bytes, taken on @today (clock_day_of()). */
void census_init(struct census *census, uint32_t block_bytes, int64_t today);
void census_fini(struct census *census);

/* Takes one inode in. Returns 0 or -ENOMEM. */
int census_add(struct census *census, const struct inode_record *inode);

/* The same, of which an engine knows more. */
int census_add_measured(struct census *census, const struct inode_record *inode,
	const struct dump_measure *measure);

/*
 * Adds all of @from but its directories. The result does not depend on the order of merging.
 * Returns 0 or -ENOMEM.
 */
int census_merge(struct census *census, const struct census *from);

/* Orders the tables by their keys, so that equal censuses are equal entry by entry. */
void census_sort(struct census *census);

/* Sums up a cube; tiny is what is smaller than @tiny_bytes, a power of two. */
void census_total(const struct cube *cube, uint64_t tiny_bytes, struct census_totals *totals);

#endif
