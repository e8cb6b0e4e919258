/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a dump takes in, by owner, kind and class: the census, less what level and options leave
 * out. Numbers are real ones, since what is known of a part may be a share only.
 *
 * A level above 0 takes what changed since its base, by the ages of the census. Of directories it
 * takes those that changed and those on the way to anything that changed. How many these are is
 * known where the scan looked at names, if not whose they are (dump_changes.c).
 */
#ifndef ANALYZER_WINDOW_DUMP_PLAN_H
#define ANALYZER_WINDOW_DUMP_PLAN_H

#include "analyzer/census/cube.h"
#include "analyzer/census/size_class.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prediction_request;

struct plan_sums {
	double inodes;
	double size_bytes;
	double allocated_bytes;
	double stream_bytes; /* as dump_stream.h puts them: the measure of load */
	double media_bytes;  /* what they take in the media file, as far as a scan could see */
	double attr_bytes;   /* of them, attributes */
	double attr_forks;   /* inodes with an attribute fork */
};

struct plan_cell {
	struct cube_key key;
	double present;          /* inodes there are: passes over all inodes meet them */
	double size_bytes;       /* their sizes */
	struct plan_sums dumped; /* what goes into the dump */
};

/* Small files that are one archive instead. */
struct plan_pack {
	uint32_t uid;
	double size_bytes; /* of the archive */
};

struct dump_ranges;

struct dump_plan {
	bool incremental;
	bool no_attributes; /* bytes are without them */
	size_t count;
	struct plan_cell *cells; /* owned */
	size_t pack_count;
	struct plan_pack *packs;          /* owned */
	double left_out_pack_bytes;       /* the largest archive above the size limit; 0: none */
	const struct dump_ranges *ranges; /* where along the inode numbers it lies; NULL: unknown */

	/* How far off it may be: of a level above 0, what changed about the time of its base. */
	struct plan_sums doubt[SIZE_CLASSES]; /* regular files */
	double doubt_directories;
};

/*
 * Makes the plan of the dump that @request asks for. Returns 0; -ENODATA with a message where the
 * scan does not know what the options ask for; -ENOMEM.
 */
int dump_plan_make(
	const struct prediction_request *request, struct dump_plan *plan, struct err *err);

/* A copy of @from. Returns 0 or -ENOMEM. */
int dump_plan_copy(const struct dump_plan *from, struct dump_plan *plan);
void dump_plan_fini(struct dump_plan *plan);

/*
 * What xfsdump itself would say as "estimated dump size": 4096 bytes, its inode map, 320 bytes for
 * each inode and the blocks of regular files. @unlinked inodes are in the census, not in a dump.
 */
double dump_plan_xfsdump_estimate(
	const struct dump_plan *plan, uint64_t inode_chunks, uint64_t unlinked);

#endif
