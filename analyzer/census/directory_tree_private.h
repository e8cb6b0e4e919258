/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What directory_tree.c and directory_users.c share. */
#ifndef ANALYZER_CENSUS_DIRECTORY_TREE_PRIVATE_H
#define ANALYZER_CENSUS_DIRECTORY_TREE_PRIVATE_H

#include "analyzer/census/directory_tree.h"

/* Arrays are by id of the node, unless said otherwise. */
struct directory_tree {
	const struct directory_tree_input *input;
	struct directory_nodes *nodes;
	uint32_t *first_child; /* NODE_NONE: none */
	uint32_t *next_sibling;
	uint32_t *number;            /* in preorder from 1 on, 0: the root does not lead there */
	uint32_t *end;               /* the last number in the node's tree */
	uint32_t *order;             /* ids, by number less 1 */
	size_t count;                /* of them */
	uint32_t *below;             /* directories in the node's tree, itself not counted */
	uint32_t *row;               /* index of the row plus 1, 0: none */
	struct directory_sums *sums; /* of the node's tree, all users */
	uint64_t fold_files;
};

/* Whether a node gets a row; if so, its parent gets one too. */
bool directory_tree_keeps(const struct directory_tree *tree, uint32_t id);

/* Fills in how many directories lie on the way to a change of when. Returns 0 or -ENOMEM. */
int directory_ways_make(const struct directory_tree *tree, struct directories *directories);

/* Fills in the rows' users. Returns 0 or -ENOMEM. */
int directory_users_make(struct directory_tree *tree, struct directories *directories);

#endif
