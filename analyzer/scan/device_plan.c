// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_plan.h.
 *
 * AGs are taken in groups. Of a group all AGIs are read, then all roots of their trees, then all
 * blocks of the next level, and so on down to a list of leaves; each time in the order of the disk,
 * so that a spinning disk sweeps once per level and not once per block. Within an AG, the order of
 * inode numbers is the order of the disk, and the leaves come in the order of inode numbers: the
 * list of chunks needs no sorting.
 *
 * A block is read and checked by the workers; what it says is taken by the planning thread, in
 * order. A damaged block costs what is below it, is told, and the AGI's own counts tell how many
 * inodes that is.
 */
#include "analyzer/scan/device_plan.h"

#include "analyzer/scan/device_ag.h"
#include "analyzer/scan/device_again.h"
#include "analyzer/scan/device_counts.h"
#include "analyzer/xfs/disk/inobt.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_AGS    1024
#define WINDOW_BYTES (4U << 20)  /* tree blocks read at a time */
#define NEAR_BYTES   (32U << 10) /* blocks this near to each other are read together */

struct node_list {
	struct disk_inobt_node *nodes;
	size_t count;
	size_t capacity;
};

struct device_plan {
	const struct device_scan *scan;
	struct device_reader *reader;
	uint32_t present_ags; /* that begin before the end of the device */

	/* The group */
	uint32_t group_start; /* first AG */
	uint32_t group_count;
	struct device_ag *ags;
	struct node_list frontier; /* in order; at last all leaves */
	size_t next_leaf;

	/* The window: blocks of some nodes of the frontier */
	const struct disk_inobt_node *nodes;
	size_t window_nodes; /* that fit */
	size_t window_count;
	char *blocks;     /* of the nodes, in their order */
	int *entries;     /* of each block, or the errno why there are none */
	uint32_t *order;  /* node indices in the order of the disk */
	size_t next_read; /* index into order, or AG of the group, to be read next */

	struct device_chunk *chunks;
	size_t chunk_count;
	uint64_t records;
	struct device_counts counts;
	bool ended; /* and all was told */
};

static void tell(struct device_plan *plan, uint32_t agno, uint64_t inodes, int code,
	const char *message, unsigned worker)
{
	device_ag_failed(plan->scan, agno, inodes, code, message, worker);
}

/* --- Blocks of the trees --- */

static uint64_t node_offset(const struct device_plan *plan, const struct disk_inobt_node *node)
{
	return disk_super_block_offset(plan->scan->super, node->agno, node->agbno);
}

static int compare_places(const void *left, const void *right, void *context)
{
	const struct device_plan *plan = context;
	uint64_t a = node_offset(plan, &plan->nodes[*(const uint32_t *)left]);
	uint64_t b = node_offset(plan, &plan->nodes[*(const uint32_t *)right]);

	return (a > b) - (a < b);
}

/* One read for the next block and for those that follow it closely. */
static bool next_nodes(struct device_read *read, void *context)
{
	struct device_plan *plan = context;
	uint32_t align = plan->scan->source->align_bytes;
	uint32_t block = plan->scan->super->block_bytes;
	uint64_t start, end;
	size_t first = plan->next_read;

	if (first == plan->window_count || progress_cancelled(plan->scan->progress))
		return false;
	start = node_offset(plan, &plan->nodes[plan->order[first]]) / align * align;
	end = start;
	for (; plan->next_read < plan->window_count; plan->next_read++) {
		uint64_t at = node_offset(plan, &plan->nodes[plan->order[plan->next_read]]);
		uint64_t new_end = round_up_u64(at + block, align);

		if (plan->next_read > first &&
			(at > end + NEAR_BYTES || new_end - start > DEVICE_BUFFER_BYTES))
			break;
		end = max_u64(end, new_end);
	}
	*read = (struct device_read){
		.offset = start,
		.bytes = (uint32_t)(end - start),
		.first = (uint32_t)first,
		.count = (uint32_t)(plan->next_read - first),
	};
	return true;
}

struct node_check {
	struct device_plan *plan;
	uint32_t index;
};

/* Keeps the block if it is sound. */
static int check_node(const void *data, void *context, struct err *err)
{
	const struct node_check *check = context;
	struct device_plan *plan = check->plan;
	const struct disk_super *super = plan->scan->super;
	int count = disk_inobt_check(super, &plan->nodes[check->index], data, err);

	if (count >= 0)
		memcpy(plan->blocks + (size_t)check->index * super->block_bytes, data,
			super->block_bytes);
	return count;
}

static int take_nodes(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context)
{
	struct device_plan *plan = context;

	for (uint32_t i = read->first; i < read->first + read->count; i++) {
		uint32_t index = plan->order[i];
		struct node_check check = {.plan = plan, .index = index};
		struct device_piece piece = {
			.offset = node_offset(plan, &plan->nodes[index]),
			.bytes = plan->scan->super->block_bytes,
			.check = check_node,
			.context = &check,
		};
		struct err err = {0};

		plan->entries[index] = device_check(
			plan->scan, &piece, device_piece_in(&piece, read, data, got), &err);
		if (err.code == -ENOMEM)
			return -ENOMEM;
		if (plan->entries[index] < 0)
			tell(plan, plan->nodes[index].agno, 0, err.code, err.message, worker);
	}
	return 0;
}

/* Reads the blocks of @count nodes, at most a window, into plan->blocks and plan->entries. */
static int read_window(struct device_plan *plan, const struct disk_inobt_node *nodes, size_t count)
{
	plan->nodes = nodes;
	plan->window_count = count;
	plan->next_read = 0;
	for (size_t i = 0; i < count; i++)
		plan->order[i] = (uint32_t)i;
	qsort_r(plan->order, count, sizeof(*plan->order), compare_places, plan);
	return device_reader_run(plan->reader, next_nodes, take_nodes, plan);
}

static const void *window_block(const struct device_plan *plan, size_t index)
{
	return plan->blocks + index * plan->scan->super->block_bytes;
}

/* --- Down to the leaves --- */

static int list_add(struct node_list *list, const struct disk_inobt_node *node)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 64;
		struct disk_inobt_node *nodes = reallocarray(list->nodes, capacity, sizeof(*nodes));

		if (!nodes)
			return -ENOMEM;
		list->nodes = nodes;
		list->capacity = capacity;
	}
	list->nodes[list->count++] = *node;
	return 0;
}

static struct device_ag *ag_of(struct device_plan *plan, const struct disk_inobt_node *node)
{
	return &plan->ags[node->agno - plan->group_start];
}

/*
 * Adds the children of window block @index to @list. A level of a tree cannot have more blocks than
 * the AG has inode clusters, of four inodes at least: a forged tree gets no more memory than that.
 */
static int add_children(struct device_plan *plan, size_t index, struct node_list *list)
{
	const struct disk_inobt_node *node = &plan->nodes[index];
	unsigned count = (unsigned)plan->entries[index];
	size_t limit = ag_of(plan, node)->agi.count / 4 + 1;
	size_t before = list->count;
	int rc = 0;

	while (before && list->nodes[before - 1].agno == node->agno)
		before--;
	for (unsigned i = 0; i < count && !rc; i++) {
		struct err err = {0};
		struct disk_inobt_node child;

		if (list->count - before >= limit) {
			tell(plan, node->agno, 0, -EUCLEAN,
				"the inode tree has more blocks than the group has inodes", 0);
			break;
		}
		if (disk_inobt_child(&child, plan->scan->super, node, window_block(plan, index), i,
			    count, &err))
			tell(plan, node->agno, 0, err.code, err.message, 0);
		else
			rc = list_add(list, &child);
	}
	return rc;
}

/* Replaces the nodes on @level of the frontier by their children. */
static int expand_level(struct device_plan *plan, unsigned level)
{
	struct node_list below = {0};
	const struct node_list *above = &plan->frontier;
	size_t i = 0;
	int rc = 0;

	while (i < above->count && !rc) {
		size_t run = 0;

		if (above->nodes[i].level != level) {
			rc = list_add(&below, &above->nodes[i++]);
			continue;
		}
		while (i + run < above->count && run < plan->window_nodes &&
			above->nodes[i + run].level == level)
			run++;
		rc = read_window(plan, &above->nodes[i], run);
		for (size_t k = 0; k < run && !rc; k++)
			rc = plan->entries[k] > 0 ? add_children(plan, k, &below) : 0;
		i += run;
	}
	free(plan->frontier.nodes);
	plan->frontier = below;
	return rc;
}

/*
 * Goes on to the next AG that can have something. A forged superblock may speak of four thousand
 * million AGs, and an image have the size for them without a byte on the disk.
 */
static void skip_hole(struct device_plan *plan)
{
	uint32_t first = plan->group_start,
		 end = device_ag_after_hole(plan->scan, first, plan->present_ags);
	char message[128];

	if (end == first)
		return;
	snprintf(message, sizeof(message),
		"as far as AG %u, the image is a hole where inode headers (AGI) should be",
		end - 1);
	tell(plan, first, 0, -ENODATA, message, 0);
	device_counts_lose(&plan->counts, first, end);
	plan->group_start = end;
}

static int start_group(struct device_plan *plan)
{
	unsigned top = 0;
	int rc;

	plan->group_start += plan->group_count;
	skip_hole(plan);
	plan->group_count = device_ag_next_hole(plan->scan, plan->group_start,
				    (uint32_t)min_u64(plan->group_start + (uint64_t)GROUP_AGS,
					    plan->present_ags)) -
			    plan->group_start;
	plan->frontier.count = 0;
	plan->next_leaf = 0;
	rc = device_ags_read(
		plan->scan, plan->reader, plan->group_start, plan->group_count, plan->ags);
	for (uint32_t i = 0; i < plan->group_count && !rc; i++) {
		struct disk_inobt_node root =
			disk_inobt_root(&plan->ags[i].agi, plan->group_start + i);

		if (!plan->ags[i].sound)
			continue;
		top = root.level > top ? root.level : top;
		rc = list_add(&plan->frontier, &root);
	}
	for (unsigned level = top; level > 0 && !rc; level--)
		rc = expand_level(plan, level);
	return rc;
}

/* Compares what the trees of a finished group held with what the AGIs promised. */
static void end_group(struct device_plan *plan)
{
	for (uint32_t i = 0; i < plan->group_count; i++)
		device_counts_add(&plan->counts, plan->group_start + i, &plan->ags[i]);
}

/* --- Chunks --- */

static void add_chunks(struct device_plan *plan, size_t index)
{
	const struct disk_inobt_node *leaf = &plan->nodes[index];
	struct device_ag *ag = ag_of(plan, leaf);

	for (int i = 0; i < plan->entries[index]; i++) {
		struct disk_inobt_record record;
		struct err err = {0};

		if (disk_inobt_record(&record, plan->scan->super, leaf, window_block(plan, index),
			    (unsigned)i, &err)) {
			tell(plan, leaf->agno, 0, err.code, err.message, 0);
			continue;
		}
		plan->records++;
		ag->seen += record.count;
		ag->seen_free += record.free_count;
		ag->seen_internal += (unsigned)__builtin_popcountll(
			record.used &
			disk_super_internal_mask(plan->scan->super,
				disk_super_ino(plan->scan->super, leaf->agno, record.first)));
		if (record.used)
			plan->chunks[plan->chunk_count++] = (struct device_chunk){
				.used = record.used,
				.agno = leaf->agno,
				.first = record.first,
			};
	}
}

/* Reads the next leaves of the group. */
static int fill_chunks(struct device_plan *plan)
{
	size_t count = min_u64(plan->window_nodes, plan->frontier.count - plan->next_leaf);
	int rc = read_window(plan, plan->frontier.nodes + plan->next_leaf, count);

	for (size_t i = 0; i < count && !rc; i++)
		add_chunks(plan, i);
	plan->next_leaf += count;
	return rc;
}

int device_plan_next(struct device_plan *plan, struct device_chunk **chunks, size_t *count)
{
	int rc = 0;

	plan->chunk_count = 0;
	while (!rc && !plan->chunk_count && !progress_cancelled(plan->scan->progress)) {
		if (plan->next_leaf < plan->frontier.count) {
			rc = fill_chunks(plan);
			continue;
		}
		end_group(plan);
		if (plan->group_start + plan->group_count == plan->present_ags) {
			plan->group_start = plan->present_ags;
			plan->group_count = 0;
			if (!plan->ended)
				device_counts_end(&plan->counts);
			plan->ended = true;
			break;
		}
		rc = start_group(plan);
	}
	*chunks = plan->chunks;
	*count = plan->chunk_count;
	return rc;
}

uint64_t device_plan_records(const struct device_plan *plan)
{
	return plan->records;
}

/* A device shorter than its filesystem: one failure for all AGs past its end. */
static void count_present(struct device_plan *plan)
{
	const struct disk_super *super = plan->scan->super;
	uint64_t ag_bytes = (uint64_t)super->agblocks << super->block_log;
	uint64_t present = div_ceil_u64(plan->scan->source->size_bytes, ag_bytes);

	plan->present_ags = (uint32_t)min_u64(present, super->agcount);
	device_counts_lose(&plan->counts, plan->present_ags, super->agcount);
	if (plan->present_ags < super->agcount)
		tell(plan, plan->present_ags, 0, -ENODATA,
			"the device ends before this allocation group and those after it", 0);
}

int device_plan_new(
	struct device_plan **result, const struct device_scan *scan, struct device_reader *reader)
{
	struct device_plan *plan = calloc(1, sizeof(*plan));
	size_t leaf_max = disk_inobt_leaf_max(scan->super);

	if (!plan)
		return -ENOMEM;
	plan->scan = scan;
	plan->reader = reader;
	plan->counts.scan = scan;
	plan->window_nodes = WINDOW_BYTES / scan->super->block_bytes;
	plan->ags = calloc(GROUP_AGS, sizeof(*plan->ags));
	plan->blocks = malloc(WINDOW_BYTES);
	plan->entries = calloc(plan->window_nodes, sizeof(*plan->entries));
	plan->order = calloc(plan->window_nodes, sizeof(*plan->order));
	plan->chunks = calloc(plan->window_nodes * leaf_max, sizeof(*plan->chunks));
	if (!plan->ags || !plan->blocks || !plan->entries || !plan->order || !plan->chunks) {
		device_plan_free(plan);
		return -ENOMEM;
	}
	count_present(plan);
	*result = plan;
	return 0;
}

void device_plan_free(struct device_plan *plan)
{
	if (!plan)
		return;
	free(plan->frontier.nodes);
	free(plan->ags);
	free(plan->blocks);
	free(plan->entries);
	free(plan->order);
	free(plan->chunks);
	free(plan);
}
