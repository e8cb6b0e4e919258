/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who grew between two scans. */
#ifndef ANALYZER_HISTORY_GROWTH_H
#define ANALYZER_HISTORY_GROWTH_H

#include "analyzer/census/cube.h"
#include "analyzer/history/history.h"
#include "analyzer/window/prediction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a user had in one of the scans. */
struct growth_side {
	uint64_t files; /* regular files */
	uint64_t tiny_files;
	uint64_t bytes;           /* of regular files */
	uint64_t allocated_bytes; /* of all inodes */
	double seconds;           /* of a level-0 dump; 0 where nothing was predicted */
};

struct growth_user {
	uint32_t uid;
	struct growth_side before;
	struct growth_side after;
};

struct growth {
	int64_t before_scan_id;
	int64_t before_seconds; /* when that scan began, since 1970-01-01 UTC */
	int64_t after_scan_id;
	int64_t after_seconds;
	bool has_seconds; /* both were predicted */
	size_t count;
	struct growth_user *users; /* owned; all of either scan, by uid */
};

/* One of the two scans. */
struct growth_scan {
	int64_t scan_id;
	int64_t started_seconds;
	const struct cube *cube;
	const struct prediction *prediction; /* NULL: none */
};

/*
 * Compares two scans; tiny is below @tiny_bytes in both. Returns 0 or -ENOMEM. The result is the
 * caller's.
 */
int growth_make(const struct growth_scan *before, const struct growth_scan *after,
	uint64_t tiny_bytes, struct growth *growth);
void growth_fini(struct growth *growth);

/* Days between the two scans. */
double growth_days(const struct growth *growth);

/* @sum += @side, saturating. */
void growth_side_add(struct growth_side *sum, const struct growth_side *side);

/* What @measure of a user changed by. */
double growth_change(const struct growth_user *user, enum history_measure measure);

/* The user whose @measure grew most, or NULL if nobody's did. */
const struct growth_user *growth_most(const struct growth *growth, enum history_measure measure);

#endif
