/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hot trees: the fewest trees that explain where the tiny files are.
 *
 * From the bottom up, a tree is hot if it holds at least a share of all tiny files that no hot tree
 * below it has taken already (hierarchical heavy hitters with discounted counts). So 3 000
 * directories of 1 000 files each are told by what they have in common, one of 5 million is told
 * itself, and no file is counted twice.
 *
 * Trees that a scan folded away are never hot: a tree needs as many tiny files as a row needs
 * files. Thus what the rows give is what all directories would give.
 */
#ifndef ANALYZER_CENSUS_HOT_TREES_H
#define ANALYZER_CENSUS_HOT_TREES_H

#include "analyzer/census/directories.h"

/* The share of the tiny files that makes a tree hot. */
#define HOT_TREE_SHARE 0.01

struct hot_tree {
	size_t directory;    /* index of the row */
	uint64_t tiny_files; /* in the tree, but for those in hot trees below */
};

struct hot_trees {
	struct hot_tree *trees; /* owned; most tiny files first */
	size_t count;
	uint64_t all_tiny_files; /* what the share is of */
	uint64_t threshold;      /* what makes a tree hot */
};

/*
 * Finds the hot trees of user *@uid, or of all users if it is NULL, for a share above 0. The result
 * is to be freed by hot_trees_fini(). Returns 0 or -ENOMEM.
 */
int hot_trees_find(const struct directories *directories, const uint32_t *uid, double share,
	struct hot_trees *hot);
void hot_trees_fini(struct hot_trees *hot);

#endif
