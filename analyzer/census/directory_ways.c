// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many directories lie on the way to a change, and what their names take in a dump, by when the
 * latest change below them was: see directories.h. By then the recency of each node is that of its
 * tree.
 */
#include "analyzer/census/directory_tree_private.h"
#include "analyzer/census/dump_stream.h"
#include "analyzer/census/recency.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>

struct way_sums {
	uint64_t directories;
	uint64_t entry_units;
	uint64_t attr_units;
};

static void add_nodes(const struct directory_tree *tree, struct way_sums sums[RECENCIES])
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct directory_node *node = nodes_at(tree->nodes, tree->order[i]);

		if (tree->order[i] == NODE_UNRESOLVED || !node->has_record)
			continue;
		sums[node->recency].directories++;
		sums[node->recency].entry_units += node->entry_units;
		sums[node->recency].attr_units += node->attr_units;
	}
}

/* Changes ahead of now are as if just now. */
static struct directory_way make_way(
	unsigned recency, int64_t now_seconds, const struct way_sums *sums)
{
	return (struct directory_way){
		.from_seconds = recency_first_second(recency, now_seconds),
		.to_seconds = recency_last_second(recency, now_seconds),
		.directories = sums->directories,
		.entry_stream_bytes = sat_mul_u64(sums->entry_units, DUMP_STREAM_UNIT_BYTES),
		.attr_stream_bytes = sat_mul_u64(sums->attr_units, DUMP_STREAM_UNIT_BYTES),
	};
}

int directory_ways_make(const struct directory_tree *tree, struct directories *directories)
{
	autofree struct way_sums *sums = calloc(RECENCIES, sizeof(*sums));
	size_t count = 0;

	if (!sums)
		return -ENOMEM;
	add_nodes(tree, sums);
	for (unsigned i = 1; i < RECENCIES; i++)
		count += sums[i].directories > 0;
	directories->ways = calloc(count + 1, sizeof(*directories->ways));
	if (!directories->ways)
		return -ENOMEM;
	for (unsigned i = 1; i < RECENCIES; i++)
		if (sums[i].directories)
			directories->ways[directories->way_count++] =
				make_way(i, tree->input->now_seconds, &sums[i]);
	return 0;
}
