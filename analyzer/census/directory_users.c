// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each user has in each tree.
 *
 * User by user, through what that user has in directories, in preorder. On the way there is a
 * stack with the directories from the root to the current one; one that is left is complete, is
 * given an entry if it needs one, and is added to the one above. So memory goes with the depth of
 * the tree, and time with the directories in which somebody has something.
 *
 * Many users in many directories would make a row for nearly every inode. So there are a few for
 * each row of a directory at most: if there are more, all is folded as far as it takes. How many
 * there would be for each threshold is counted on the way, and whenever twice as many have come
 * together, those that will not stay are left out: which those are does not depend on the order.
 */
#include "analyzer/census/directory_tree_private.h"

#include "analyzer/census/size_class.h"
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
	size_t max_users;                /* entries, but for the root's and the unresolved row's */
	size_t limit;                    /* when there are so many, it is time to fold */
	uint64_t fold_files;             /* entries with fewer are left out already */
	uint64_t by_class[SIZE_CLASSES]; /* entries by files, with those left out */
};

/*
 * A part is what one user has in one directory: {user, number of the directory}, so that parts are
 * sorted as numbers, without a look at what they stand for.
 */
static uint64_t part_of(const struct directory_tree *tree, uint32_t id, uint32_t uid)
{
	return (uint64_t)uid << 32 | tree->number[id];
}

static uint32_t part_id(const struct directory_tree *tree, uint64_t part)
{
	return tree->order[(uint32_t)part - 1];
}

static struct directory_sums part_sums(const struct directory_tree *tree, uint64_t part)
{
	uint32_t id = part_id(tree, part), uid = (uint32_t)(part >> 32);
	const struct directory_node *node = nodes_at(tree->nodes, id);
	const struct directory_sums *others =
		hashmap_find(tree->input->others, directory_others_key(id, uid));
	struct directory_sums sums = {0};

	if (others)
		sums = *others;
	if (node->uid == uid)
		directory_sums_add(&sums, &node->own);
	return sums;
}

static bool is_something(const struct directory_sums *sums)
{
	static const struct directory_sums nothing;

	return !directory_sums_equal(sums, &nothing);
}

/* Whether the owner of node @id has a part there. */
static bool has_own_part(const struct directory_tree *tree, uint32_t id)
{
	return tree->number[id] && is_something(&nodes_at(tree->nodes, id)->own);
}

/* Whether entry @index of the others makes a part of its own. */
static bool has_other_part(const struct directory_tree *tree, size_t index)
{
	const struct hashmap *others = tree->input->others;
	struct hashmap_key key = *hashmap_key_at(others, index);
	uint32_t id = (uint32_t)key.high;
	bool is_owner = nodes_at(tree->nodes, id)->uid == (uint32_t)key.low;

	return tree->number[id] && is_something(hashmap_value_at(others, index)) &&
	       !(is_owner && has_own_part(tree, id));
}

/* Writes all parts to @parts, unless that is NULL, and returns how many there are. */
static size_t gather_parts(const struct directory_tree *tree, uint64_t *parts)
{
	const struct hashmap *others = tree->input->others;
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++) {
		uint32_t id = tree->order[i];

		if (!has_own_part(tree, id))
			continue;
		if (parts)
			parts[count] = part_of(tree, id, nodes_at(tree->nodes, id)->uid);
		count++;
	}
	for (size_t i = 0; i < others->count; i++) {
		struct hashmap_key key = *hashmap_key_at(others, i);

		if (!has_other_part(tree, i))
			continue;
		if (parts)
			parts[count] = part_of(tree, (uint32_t)key.high, (uint32_t)key.low);
		count++;
	}
	return count;
}

static int compare_parts(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Lists all parts, by user and then in preorder, to be freed. */
static uint64_t *list_parts(const struct directory_tree *tree, size_t *count)
{
	uint64_t *parts;

	*count = gather_parts(tree, NULL);
	parts = reallocarray(NULL, *count + 1, sizeof(*parts));
	if (!parts)
		return NULL;
	gather_parts(tree, parts);
	qsort(parts, *count, sizeof(*parts), compare_parts);
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

/* The smallest power of two that leaves no more entries than may be. */
static uint64_t fold_by_users(const struct users_pass *pass)
{
	uint64_t kept = 0, fold_files = pass->tree->fold_files;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		kept += pass->by_class[i];
	for (unsigned i = 0; i < SIZE_CLASSES && kept > pass->max_users; i++) {
		kept -= pass->by_class[i];
		fold_files = max_u64(fold_files, size_class_high(i));
	}
	return fold_files;
}

static bool is_top(const struct directories *directories, const struct directory_user *user)
{
	return directories->rows[user->directory].parent == DIRECTORY_NO_PARENT;
}

/* Leaves out entries that will not stay. */
static void fold_entries(struct users_pass *pass)
{
	struct directories *directories = pass->directories;
	size_t kept = 0;

	pass->fold_files = fold_by_users(pass);
	for (size_t i = 0; i < directories->user_count; i++) {
		const struct directory_user *user = &directories->users[i];

		if (user->tree.files >= pass->fold_files || is_top(directories, user))
			directories->users[kept++] = *user;
	}
	directories->user_count = kept;
	pass->limit = kept + pass->max_users;
}

/* The current user's part of a tree is complete: needs it an entry? */
static int settle(struct users_pass *pass, const struct level *level)
{
	const struct directory_tree *tree = pass->tree;
	uint32_t row = tree->row[level->id];
	bool is_at_top = level->id == tree->input->root || level->id == NODE_UNRESOLVED;
	bool is_alone = pass->uid == nodes_at(tree->nodes, level->id)->uid &&
			directory_sums_equal(&level->tree, &tree->sums[level->id]);

	if (!row || is_alone)
		return 0;
	pass->directories->rows[row - 1].is_shared = true;
	if (level->tree.files < tree->fold_files && !is_at_top)
		return 0;
	if (!is_at_top)
		pass->by_class[size_class_of(level->tree.files)]++;
	if (level->tree.files < pass->fold_files && !is_at_top)
		return 0;
	if (pass->directories->user_count >= pass->limit)
		fold_entries(pass);
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

static int take_part(struct users_pass *pass, uint64_t part)
{
	uint32_t id = part_id(pass->tree, part), uid = (uint32_t)(part >> 32);
	struct directory_sums sums = part_sums(pass->tree, part);
	int rc = 0;

	while (!rc && pass->depth &&
		(uid != pass->uid || !is_inside(pass->tree, id, pass->levels[pass->depth - 1].id)))
		rc = leave(pass);
	pass->uid = uid;
	if (!rc)
		rc = enter(pass, id);
	if (rc)
		return rc;
	directory_sums_add(&pass->levels[pass->depth - 1].own, &sums);
	directory_sums_add(&pass->levels[pass->depth - 1].tree, &sums);
	return 0;
}

int directory_users_make(struct directory_tree *tree, struct directories *directories)
{
	size_t max_rows = tree->input->max_rows;
	struct users_pass pass = {
		.tree = tree,
		.directories = directories,
		.max_users = max_rows ? max_rows * DIRECTORY_USERS_A_ROW : SIZE_MAX,
		.limit = max_rows ? 2 * max_rows * DIRECTORY_USERS_A_ROW : SIZE_MAX,
		.fold_files = tree->fold_files,
	};
	size_t count;
	uint64_t *parts = list_parts(tree, &count);
	int rc = parts ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !rc; i++)
		rc = take_part(&pass, parts[i]);
	while (!rc && pass.depth)
		rc = leave(&pass);
	free(pass.levels);
	free(parts);
	directories_sort_users(directories);
	if (!rc && fold_by_users(&pass) > tree->fold_files)
		rc = directories_fold(directories, fold_by_users(&pass));
	return rc;
}
