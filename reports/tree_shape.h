/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which directories `report tree` shows and how they hang together: the hot trees (hot_trees.h),
 * the directories in which ways to several of them part, and the root of the view; with --depth
 * also all rows down to there.
 */
#ifndef REPORTS_TREE_SHAPE_H
#define REPORTS_TREE_SHAPE_H

#include "reports/directory_view.h"

#define TREE_NONE UINT32_MAX /* no row */

/* Hot trees beside each other that are told in one row. */
struct roll {
	uint32_t row; /* the first of them, which stands for all */
	size_t count;
	uint64_t tiny_files; /* of all of them */
	uint64_t files;
	uint64_t least; /* tiny files of one of them */
	uint64_t most;
	bool one_owner; /* all are the first one's */
};

/* Arrays are by row of the directories, and owned. */
struct tree {
	const struct directory_view *view;
	uint64_t *hot;       /* tiny files of a hot tree, 0 for others */
	uint64_t *weight;    /* tiny files in the tree */
	uint64_t *explained; /* of them in hot trees */
	uint32_t *ways;      /* children that lead to hot trees */
	bool *shown;
	uint32_t *up;            /* the nearest one shown above, TREE_NONE at the top */
	uint32_t *first;         /* the first one shown below, TREE_NONE */
	uint32_t *next;          /* the next one shown beside, TREE_NONE */
	uint32_t *depth;         /* among those shown */
	uint32_t top;            /* the first one at the top */
	uint64_t all_tiny_files; /* what shares are of */
	struct roll *rolls;
	size_t roll_count;
};

/* What makes a tree hot: a share of the tiny files. */
double tree_hot_share(const struct report_options *options);

/*
 * Finds the shape of what is in @view. Siblings are in the order of the tiny files in their trees,
 * the most first. Returns 0 or -ENOMEM; to be freed by tree_fini() either way.
 */
int tree_init(struct tree *tree, const struct directory_view *view);
void tree_fini(struct tree *tree);

/* Rolls up what lies beside each other, has about the same size and is more than a few. */
void tree_roll_up(struct tree *tree);

/* The roll that @row stands for, or NULL. */
const struct roll *tree_find_roll(const struct tree *tree, uint32_t row);

#endif
