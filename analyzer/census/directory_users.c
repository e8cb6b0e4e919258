// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each user has in each tree.
 *
 * User by user, through what that user has in directories, in preorder. On the way there is a
 * stack with the directories from the root to the current one; one that is left is complete, is
 * given an entry if it needs one, and is added to the one above. So memory goes with the depth of
 * the tree, and time with the directories in which somebody has something.
 */
#include "analyzer/census/directory_tree_private.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>

struct level {
	uint32_t id;
	struct directory_sums own;
	struct directory_sums tree;
};

struct users_pass {
	struct directory_tree *tree;
	struct directories *directories;
	uint32_t uid; /* of the current user */
	struct level *levels;
	size_t depth;
	size_t capacity;
	size_t user_capacity;
};

/* A part is what one user has in one directory: the node's own, or an entry of the others. */
struct part {
	uint32_t id;
	uint32_t uid;
	const struct directory_sums *sums;
};

/* Part @index: below the number of nodes that node's, else an entry. */
static struct part part_at(const struct directory_tree *tree, uint64_t index)
{
	const struct hashmap *others = tree->input->others;
	uint64_t nodes = tree->nodes->count;

	if (index < nodes) {
		const struct directory_node *node = nodes_at(tree->nodes, (uint32_t)index);

		return (struct part){(uint32_t)index, node->uid, &node->own};
	}
	return (struct part){
		.id = (uint32_t)hashmap_key_at(others, index - nodes)->high,
		.uid = (uint32_t)hashmap_key_at(others, index - nodes)->low,
		.sums = hashmap_value_at(others, index - nodes),
	};
}

static int compare_parts(const void *left, const void *right, void *context)
{
	const struct directory_tree *tree = context;
	struct part a = part_at(tree, *(const uint64_t *)left);
	struct part b = part_at(tree, *(const uint64_t *)right);

	if (a.uid != b.uid)
		return a.uid < b.uid ? -1 : 1;
	return (tree->number[a.id] > tree->number[b.id]) -
	       (tree->number[a.id] < tree->number[b.id]);
}

static bool has_part(const struct directory_tree *tree, uint64_t index)
{
	static const struct directory_sums nothing;
	struct part part = part_at(tree, index);

	return tree->number[part.id] && !directory_sums_equal(part.sums, &nothing);
}

/* Lists all parts, by user and then in preorder, to be freed. */
static uint64_t *list_parts(struct directory_tree *tree, size_t *count)
{
	uint64_t all = (uint64_t)tree->nodes->count + tree->input->others->count;
	uint64_t *parts;

	*count = 0;
	for (uint64_t i = 0; i < all; i++)
		*count += has_part(tree, i);
	parts = reallocarray(NULL, *count + 1, sizeof(*parts));
	if (!parts)
		return NULL;
	*count = 0;
	for (uint64_t i = 0; i < all; i++) {
		if (has_part(tree, i))
			parts[(*count)++] = i;
	}
	qsort_r(parts, *count, sizeof(*parts), compare_parts, tree);
	return parts;
}

/* --- Entries ---------------------------------------------------------------------------------- */

static int add_user(struct users_pass *pass, const struct level *level)
{
	struct directories *directories = pass->directories;
	size_t wanted = pass->user_capacity ? 2 * pass->user_capacity : 64;

	if (directories->user_count == pass->user_capacity) {
		struct directory_user *users =
			reallocarray(directories->users, wanted, sizeof(*users));

		if (!users)
			return -ENOMEM;
		directories->users = users;
		pass->user_capacity = wanted;
	}
	directories->users[directories->user_count++] = (struct directory_user){
		.directory = pass->tree->row[level->id] - 1,
		.uid = pass->uid,
		.own = level->own,
		.tree = level->tree,
	};
	return 0;
}

/* The current user's part of a tree is complete: needs it an entry? */
static int settle(struct users_pass *pass, const struct level *level)
{
	const struct directory_tree *tree = pass->tree;
	uint32_t row = tree->row[level->id];
	bool is_top = level->id == tree->input->root || level->id == NODE_UNRESOLVED;
	bool is_alone = pass->uid == nodes_at(tree->nodes, level->id)->uid &&
			directory_sums_equal(&level->tree, &tree->sums[level->id]);

	if (!row || is_alone)
		return 0;
	pass->directories->rows[row - 1].is_shared = true;
	if (level->tree.files < tree->fold_files && !is_top)
		return 0;
	return add_user(pass, level);
}

/* --- The way ---------------------------------------------------------------------------------- */

/* Leaves the directory at the top of the stack. */
static int leave(struct users_pass *pass)
{
	struct level *level = &pass->levels[--pass->depth];

	if (pass->depth)
		directory_sums_add(&pass->levels[pass->depth - 1].tree, &level->tree);
	return settle(pass, level);
}

static bool is_inside(const struct directory_tree *tree, uint32_t id, uint32_t above)
{
	return tree->number[id] >= tree->number[above] && tree->number[id] <= tree->end[above];
}

static int make_room(struct users_pass *pass, size_t depth)
{
	size_t wanted = max_u64(2 * pass->capacity, depth + 32);
	struct level *levels;

	if (depth <= pass->capacity)
		return 0;
	levels = reallocarray(pass->levels, wanted, sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	pass->levels = levels;
	pass->capacity = wanted;
	return 0;
}

/* Goes down from the top of the stack, or from above the root, to directory @id below it. */
static int enter(struct users_pass *pass, uint32_t id)
{
	const struct directory_tree *tree = pass->tree;
	uint32_t top = pass->depth ? pass->levels[pass->depth - 1].id : NODE_NONE;
	size_t down = 0;

	for (uint32_t at = id; at != top; down++) {
		bool is_top = at == tree->input->root || at == NODE_UNRESOLVED;

		at = is_top ? NODE_NONE : nodes_at(tree->nodes, at)->parent;
	}
	if (make_room(pass, pass->depth + down))
		return -ENOMEM;
	pass->depth += down;
	for (size_t i = 0; i < down; i++) {
		pass->levels[pass->depth - 1 - i] = (struct level){.id = id};
		id = nodes_at(tree->nodes, id)->parent;
	}
	return 0;
}

static int take_part(struct users_pass *pass, const struct part *part)
{
	int rc = 0;

	while (!rc && pass->depth &&
		(part->uid != pass->uid ||
			!is_inside(pass->tree, part->id, pass->levels[pass->depth - 1].id)))
		rc = leave(pass);
	pass->uid = part->uid;
	if (!rc)
		rc = enter(pass, part->id);
	if (rc)
		return rc;
	directory_sums_add(&pass->levels[pass->depth - 1].own, part->sums);
	directory_sums_add(&pass->levels[pass->depth - 1].tree, part->sums);
	return 0;
}

int directory_users_make(struct directory_tree *tree, struct directories *directories)
{
	struct users_pass pass = {.tree = tree, .directories = directories};
	size_t count;
	uint64_t *parts = list_parts(tree, &count);
	int rc = parts ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !rc; i++) {
		struct part part = part_at(tree, parts[i]);

		rc = take_part(&pass, &part);
	}
	while (!rc && pass.depth)
		rc = leave(&pass);
	free(pass.levels);
	free(parts);
	directories_sort_users(directories);
	return rc;
}
