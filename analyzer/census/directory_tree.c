// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See directory_tree.h. From the root downwards, directories are numbered in preorder, so that the
 * parts of a tree are neighbours; what the root does not lead to goes to the unresolved row.
 * Backwards in that order, each tree is complete before it is added to the one above. Then small
 * trees are folded away, the rest is ordered by name (ids are chance), and directory_users.c adds
 * up users. No step needs memory by the depth of the tree or follows a pointer twice.
 */
#include "analyzer/census/directory_tree.h"

#include "analyzer/census/directory_tree_private.h"
#include "analyzer/census/size_class.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHAT_BYTES 64

static int tree_init(struct directory_tree *tree, const struct directory_tree_input *input)
{
	size_t count = input->nodes->count;

	*tree = (struct directory_tree){.input = input, .nodes = input->nodes};
	tree->first_child = calloc(count, sizeof(uint32_t));
	tree->next_sibling = calloc(count, sizeof(uint32_t));
	tree->number = calloc(count, sizeof(uint32_t));
	tree->end = calloc(count, sizeof(uint32_t));
	tree->order = calloc(count + 1, sizeof(uint32_t));
	tree->below = calloc(count, sizeof(uint32_t));
	if (!tree->first_child || !tree->next_sibling || !tree->number || !tree->end ||
		!tree->order || !tree->below)
		return -ENOMEM;
	return 0;
}

/* Frees what only rows need: the users' pass, which sorts, needs memory of its own. */
static void tree_free_shape(struct directory_tree *tree)
{
	free(tree->first_child);
	free(tree->next_sibling);
	free(tree->below);
	tree->first_child = tree->next_sibling = tree->below = NULL;
}

static void tree_fini(struct directory_tree *tree)
{
	tree_free_shape(tree);
	free(tree->order);
	free(tree->number);
	free(tree->end);
	free(tree->row);
	free(tree->sums);
}

/* --- The shape -------------------------------------------------------------------------------- */

static void link_children(struct directory_tree *tree)
{
	for (uint32_t id = NODE_UNRESOLVED + 1; id < tree->nodes->count; id++) {
		uint32_t parent = nodes_at(tree->nodes, id)->parent;

		if (parent == NODE_NONE || id == tree->input->root)
			continue;
		tree->next_sibling[id] = tree->first_child[parent];
		tree->first_child[parent] = id;
	}
}

/* The node after @id once its tree is done; NODE_NONE after the root's. Closes the trees left. */
static uint32_t leave(struct directory_tree *tree, uint32_t id)
{
	while (id != NODE_NONE) {
		tree->end[id] = (uint32_t)tree->count;
		if (id == tree->input->root)
			return NODE_NONE;
		if (tree->next_sibling[id])
			return tree->next_sibling[id];
		id = nodes_at(tree->nodes, id)->parent;
	}
	return NODE_NONE;
}

/* Numbers from 1 on in preorder what the root leads to, and the unresolved row after it. */
static void number_nodes(struct directory_tree *tree)
{
	uint32_t id = tree->input->root;

	while (id != NODE_NONE) {
		tree->order[tree->count] = id;
		tree->number[id] = (uint32_t)++tree->count;
		id = tree->first_child[id] ? tree->first_child[id] : leave(tree, id);
	}
	tree->order[tree->count] = NODE_UNRESOLVED;
	tree->number[NODE_UNRESOLVED] = (uint32_t)++tree->count;
	tree->end[NODE_UNRESOLVED] = (uint32_t)tree->count;
}

static bool is_reached(const struct directory_tree *tree, uint32_t id)
{
	return tree->number[id] != 0;
}

/* The smallest inode number of a loop of nodes; which node it was found at is chance. */
static uint64_t smallest_in_loop(const struct directory_tree *tree, uint32_t first)
{
	uint64_t ino = nodes_at(tree->nodes, first)->ino;
	uint32_t id = nodes_at(tree->nodes, first)->parent;

	for (; id != first; id = nodes_at(tree->nodes, id)->parent)
		ino = min_u64(ino, nodes_at(tree->nodes, id)->ino);
	return ino;
}

/*
 * Tallies directories that are below themselves: of those not reached, each way up ends at one
 * without a parent, at one where an earlier way went, or at one that this way has passed. `below`
 * serves to mark the ways.
 */
static void find_loops(struct directory_tree *tree, struct failures *failures)
{
	for (uint32_t start = NODE_UNRESOLVED + 1; start < tree->nodes->count; start++) {
		uint32_t id = start;
		char what[WHAT_BYTES];

		while (id != NODE_NONE && !is_reached(tree, id) && !tree->below[id]) {
			tree->below[id] = start;
			id = nodes_at(tree->nodes, id)->parent;
		}
		if (id == NODE_NONE || tree->below[id] != start)
			continue;
		snprintf(what, sizeof(what), "inode %" PRIu64 ": a directory below itself",
			smallest_in_loop(tree, id));
		failures_add(failures, FAILURE_DIRECTORY, 0, 0, what);
	}
	memset(tree->below, 0, tree->nodes->count * sizeof(uint32_t));
}

/* --- Sums ------------------------------------------------------------------------------------- */

static int add_unresolved(
	struct directory_tree *tree, uint32_t uid, const struct directory_sums *sums)
{
	struct directory_node *node = nodes_at(tree->nodes, NODE_UNRESOLVED);
	struct directory_sums *own = &node->own;
	static const struct directory_sums nothing;

	if (directory_sums_equal(sums, &nothing))
		return 0;
	if (node->uid != uid)
		own = hashmap_upsert(
			tree->input->others, directory_others_key(NODE_UNRESOLVED, uid));
	if (!own)
		return -ENOMEM;
	directory_sums_add(own, sums);
	return 0;
}

/* What lies in directories that the root does not lead to goes to the unresolved row. */
static int move_unreached(struct directory_tree *tree)
{
	struct hashmap *others = tree->input->others;
	size_t count = others->count;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		struct hashmap_key key = *hashmap_key_at(others, i);
		struct directory_sums *cell = hashmap_value_at(others, i);
		struct directory_sums sums = *cell;

		if (is_reached(tree, (uint32_t)key.high))
			continue;
		*cell = (struct directory_sums){0};
		rc = add_unresolved(tree, (uint32_t)key.low, &sums);
	}
	for (uint32_t id = NODE_UNRESOLVED + 1; id < tree->nodes->count && !rc; id++) {
		struct directory_node *node = nodes_at(tree->nodes, id);

		if (!is_reached(tree, id))
			rc = add_unresolved(tree, node->uid, &node->own);
	}
	return rc;
}

static uint32_t parent_of(const struct directory_tree *tree, uint32_t id)
{
	if (id == tree->input->root || id == NODE_UNRESOLVED)
		return NODE_NONE;
	return nodes_at(tree->nodes, id)->parent;
}

static int add_up(struct directory_tree *tree)
{
	const struct hashmap *others = tree->input->others;

	tree->sums = calloc(tree->nodes->count, sizeof(*tree->sums));
	if (!tree->sums)
		return -ENOMEM;
	for (size_t i = 0; i < others->count; i++)
		directory_sums_add(
			&tree->sums[hashmap_key_at(others, i)->high], hashmap_value_at(others, i));
	for (size_t i = tree->count; i > 0; i--) {
		uint32_t id = tree->order[i - 1], parent = parent_of(tree, id);
		const struct directory_node *node = nodes_at(tree->nodes, id);
		struct directory_node *above;

		directory_sums_add(&tree->sums[id], &node->own);
		if (parent == NODE_NONE)
			continue;
		above = nodes_at(tree->nodes, parent);
		above->recency = (uint16_t)max_u64(above->recency, node->recency);
		directory_sums_add(&tree->sums[parent], &tree->sums[id]);
		tree->below[parent] += tree->below[id] + node->has_record;
	}
	return 0;
}

/* --- Folding ---------------------------------------------------------------------------------- */

bool directory_tree_keeps(const struct directory_tree *tree, uint32_t id)
{
	static const struct directory_sums nothing;
	bool is_empty = directory_sums_equal(&tree->sums[id], &nothing);

	if (id == tree->input->root)
		return true;
	if (id == NODE_UNRESOLVED)
		return !is_empty;
	if (!nodes_at(tree->nodes, id)->has_record && is_empty && !tree->below[id])
		return false; /* it went or came while the scan ran */
	return tree->sums[id].files >= tree->fold_files;
}

/* The smallest power of two that leaves no more than max_rows; 0 if that many there are. */
static void choose_fold(struct directory_tree *tree)
{
	size_t by_class[SIZE_CLASSES] = {0}, kept = tree->count;

	tree->fold_files = 0;
	for (size_t i = 0; i < tree->count; i++)
		by_class[size_class_of(tree->sums[tree->order[i]].files)]++;
	if (!tree->input->max_rows)
		return;
	for (unsigned class = 0; class < SIZE_CLASSES && kept > tree->input->max_rows; class ++) {
		kept -= by_class[class];
		tree->fold_files = size_class_high(class);
	}
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Siblings next to each other, by name. */
static int compare_siblings(const void *left, const void *right, void *context)
{
	const struct directory_tree *tree = context;
	uint32_t left_id = *(const uint32_t *)left, right_id = *(const uint32_t *)right;
	uint32_t left_parent = parent_of(tree, left_id), right_parent = parent_of(tree, right_id);
	const struct directory_node *a, *b;
	int order;

	if (left_parent != right_parent)
		return left_parent < right_parent ? -1 : 1;
	a = nodes_at(tree->nodes, left_id);
	b = nodes_at(tree->nodes, right_id);
	order = node_compare_names(a->name, node_name_bytes(a), b->name, node_name_bytes(b));
	return order ? order : (a->ino > b->ino) - (a->ino < b->ino);
}

/* Lists the nodes that get a row, sorted, to be freed. */
static uint32_t *list_kept(struct directory_tree *tree, size_t *count)
{
	uint32_t *kept;

	*count = 0;
	for (size_t i = 0; i < tree->count; i++)
		*count += directory_tree_keeps(tree, tree->order[i]);
	kept = reallocarray(NULL, *count + 1, sizeof(*kept));
	if (!kept)
		return NULL;
	*count = 0;
	for (size_t i = 0; i < tree->count; i++) {
		if (directory_tree_keeps(tree, tree->order[i]))
			kept[(*count)++] = tree->order[i];
	}
	if (*count)
		qsort_r(kept, *count, sizeof(*kept), compare_siblings, tree);
	return kept;
}

/* Links the kept ones anew, in the order of their names. */
static void link_kept(struct directory_tree *tree, const uint32_t *kept, size_t count)
{
	memset(tree->first_child, 0, tree->nodes->count * sizeof(uint32_t));
	memset(tree->next_sibling, 0, tree->nodes->count * sizeof(uint32_t));
	for (size_t i = count; i > 0; i--) {
		uint32_t id = kept[i - 1], parent = parent_of(tree, id);

		if (parent == NODE_NONE)
			continue;
		tree->next_sibling[id] = tree->first_child[parent];
		tree->first_child[parent] = id;
	}
}

static void add_name(
	struct directories *directories, struct directory *row, const struct directory_node *node)
{
	row->name = directories->names_bytes;
	row->name_bytes = row->parent == DIRECTORY_NO_PARENT ? 0 : (uint32_t)node_name_bytes(node);
	if (row->name_bytes)
		memcpy(directories->names + row->name, node->name, row->name_bytes);
	directories->names[row->name + row->name_bytes] = '\0';
	directories->names_bytes += row->name_bytes + 1;
}

/* Adds the row of @id; tree->row tells from now on where it is. */
static void add_row(struct directory_tree *tree, struct directories *directories, uint32_t id)
{
	const struct directory_node *node = nodes_at(tree->nodes, id);
	uint32_t parent = parent_of(tree, id);
	struct directory *row = &directories->rows[directories->count];

	tree->row[id] = (uint32_t)++directories->count;
	*row = (struct directory){
		.ino = node->ino,
		.parent = parent == NODE_NONE ? DIRECTORY_NO_PARENT : tree->row[parent] - 1,
		.uid = node->uid,
		.tree_directories = tree->below[id],
		.own = node->own,
		.tree = tree->sums[id],
	};
	add_name(directories, row, node);
}

static void add_rows(struct directory_tree *tree, struct directories *directories)
{
	uint32_t id = tree->input->root;

	while (id != NODE_NONE) {
		uint32_t next = tree->first_child[id];

		add_row(tree, directories, id);
		while (!next && id != tree->input->root) {
			next = tree->next_sibling[id];
			id = nodes_at(tree->nodes, id)->parent;
		}
		id = next;
	}
	if (directory_tree_keeps(tree, NODE_UNRESOLVED)) {
		add_row(tree, directories, NODE_UNRESOLVED);
		directories->has_unresolved = true;
	}
}

/* Adds what others have in the rows themselves, and counts subdirectories, folded ones too. */
static void complete_rows(struct directory_tree *tree, struct directories *directories)
{
	const struct hashmap *others = tree->input->others;

	for (size_t i = 0; i < others->count; i++) {
		uint32_t row = tree->row[hashmap_key_at(others, i)->high];

		if (row)
			directory_sums_add(
				&directories->rows[row - 1].own, hashmap_value_at(others, i));
	}
	for (size_t i = 0; i < tree->count; i++) {
		uint32_t id = tree->order[i], parent = parent_of(tree, id);

		if (nodes_at(tree->nodes, id)->has_record)
			directories->seen++;
		if (parent != NODE_NONE && tree->row[parent])
			directories->rows[tree->row[parent] - 1].subdirectories +=
				nodes_at(tree->nodes, id)->has_record;
	}
}

static int make_rows(struct directory_tree *tree, struct directories *directories)
{
	size_t count, names_bytes = 0;
	uint32_t *kept = list_kept(tree, &count);

	if (!kept)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		names_bytes += node_name_bytes(nodes_at(tree->nodes, kept[i])) + 1;
	link_kept(tree, kept, count);
	free(kept);
	tree->row = calloc(tree->nodes->count, sizeof(uint32_t));
	directories->rows = calloc(count + 1, sizeof(*directories->rows));
	directories->names = malloc(names_bytes + 1);
	if (!tree->row || !directories->rows || !directories->names)
		return -ENOMEM;
	add_rows(tree, directories);
	complete_rows(tree, directories);
	directories->fold_files = tree->fold_files;
	directories->present = true;
	return 0;
}

int directory_tree_make(const struct directory_tree_input *input, struct directories *directories,
	struct failures *failures)
{
	struct directory_tree tree;
	int rc = tree_init(&tree, input);

	if (!rc) {
		link_children(&tree);
		number_nodes(&tree);
		find_loops(&tree, failures);
		rc = move_unreached(&tree);
	}
	if (!rc)
		rc = add_up(&tree);
	if (!rc) {
		choose_fold(&tree);
		rc = directory_ways_make(&tree, directories);
	}
	if (!rc)
		rc = make_rows(&tree, directories);
	tree_free_shape(&tree);
	if (!rc)
		rc = directory_users_make(&tree, directories);
	tree_fini(&tree);
	return rc;
}
