/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last step of directory_join.h: from nodes to rows. Only directory_*.c include it. */
#ifndef ANALYZER_CENSUS_DIRECTORY_TREE_H
#define ANALYZER_CENSUS_DIRECTORY_TREE_H

#include "analyzer/census/directory_nodes.h"
#include "analyzer/census/failures.h"
#include "base/hashmap.h"

/* What the tree is made of; the nodes' own sums are changed on the way. */
struct directory_tree_input {
	struct directory_nodes *nodes;
	struct hashmap *others; /* {node, uid} → directory_sums of users who do not own the node */
	uint32_t root;          /* id, or NODE_NONE */
	size_t max_rows;        /* 0: nothing is folded */
	int64_t now_seconds;    /* by which the nodes' recencies count */
};

/* The key of what @uid has in node @id. */
static inline struct hashmap_key directory_others_key(uint32_t id, uint32_t uid)
{
	return (struct hashmap_key){.high = id, .low = uid};
}

/* Fills @directories and tallies directories that are below themselves. Returns 0 or -ENOMEM. */
int directory_tree_make(const struct directory_tree_input *input, struct directories *directories,
	struct failures *failures);

#endif
