// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extent trees of directories. Blocks that are to be read are a stack: from its top a batch is
 * taken, sorted, read in the order of the disk, and what is found below goes onto the stack. So
 * memory is a batch's children on each level, however many trees there are.
 */
#include "analyzer/scan/device_again.h"
#include "analyzer/scan/device_dir_lists.h"
#include "analyzer/scan/device_sweep.h"
#include "base/checked.h"

#include <stdlib.h>

#define BATCH_BYTES (4U << 20)

/* A batch, sorted by place. */
struct batch {
	struct device_dirs *dirs;
	struct disk_bmbt_node *nodes;
	struct device_sweep sweep;
};

/* A block on its way. */
struct node_visit {
	struct device_dirs *dirs;
	const struct disk_bmbt_node *node;
	unsigned worker;
	int rc; /* of keeping what it says */
};

static struct device_range node_range(uint32_t index, const void *context)
{
	const struct batch *batch = context;
	const struct disk_super *super = batch->dirs->scan->super;
	const struct disk_bmbt_node *node = &batch->nodes[index];

	return (struct device_range){
		.start = disk_super_block_offset(super, node->agno, node->agbno),
		.bytes = super->block_bytes,
	};
}

static bool next_nodes(struct device_read *read, void *context)
{
	struct batch *batch = context;
	bool more = device_sweep_next(&batch->sweep, read);

	batch->dirs->read_bytes += more ? read->bytes : 0;
	return more;
}

static int check_node(const void *data, void *context, struct err *err)
{
	struct node_visit *visit = context;
	struct disk_bmbt tree;
	int rc = disk_bmbt_open(&tree, visit->dirs->scan->super, visit->node, data, err);

	if (!rc)
		visit->rc = device_dirs_keep_tree(visit->dirs, &tree, visit->worker);
	return rc;
}

static int take_nodes(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context)
{
	const struct batch *batch = context;
	struct device_dirs *dirs = batch->dirs;
	struct device_share share = device_sweep_share(read);
	int rc = 0;

	for (uint32_t i = 0; i < share.count && !rc; i++) {
		uint32_t index = share.first + i;
		struct node_visit visit = {
			.dirs = dirs, .node = &batch->nodes[index], .worker = worker};
		struct device_piece piece = {
			.offset = node_range(index, batch).start,
			.bytes = dirs->scan->super->block_bytes,
			.check = check_node,
			.context = &visit,
		};
		struct err err;

		err.code = 0;
		if (device_check(
			    dirs->scan, &piece, device_piece_in(&piece, read, data, got), &err) < 0)
			rc = device_dirs_failed(
				dirs, visit.node->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
		else
			rc = visit.rc;
	}
	return rc;
}

static int compare_places(const void *left, const void *right)
{
	const struct disk_bmbt_node *a = left, *b = right;

	if (a->agno != b->agno)
		return a->agno < b->agno ? -1 : 1;
	return (a->agbno > b->agbno) - (a->agbno < b->agbno);
}

int device_dirs_expand(struct device_dirs *dirs)
{
	struct dir_list *nodes = &dirs->all.nodes;
	size_t count = min_u64(nodes->count, BATCH_BYTES >> dirs->scan->super->block_log);
	struct batch batch = {
		.dirs = dirs,
		.nodes = (struct disk_bmbt_node *)nodes->items + (nodes->count - count),
	};
	int rc;

	batch.sweep = (struct device_sweep){
		.scan = dirs->scan,
		.gap_bytes = dirs->gap_bytes,
		.range = node_range,
		.context = &batch,
		.count = (uint32_t)count,
	};
	qsort(batch.nodes, count, sizeof(*batch.nodes), compare_places);
	rc = device_reader_run(dirs->reader, next_nodes, take_nodes, &batch);
	nodes->count -= count;
	return rc ? rc : device_dirs_gather(dirs);
}
