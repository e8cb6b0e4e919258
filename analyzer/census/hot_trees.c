// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See hot_trees.h. Rows lie in preorder, so that going backwards over them meets each tree after
 * all that is below it. An array holds what of each tree no hot tree has taken yet.
 */
#include "analyzer/census/hot_trees.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t tiny_files_of(
	const struct directories *directories, size_t index, const uint32_t *uid)
{
	struct directory_sums own, tree;

	if (!uid)
		return directories->rows[index].tree.tiny_files;
	directories_user(directories, index, *uid, &own, &tree);
	return tree.tiny_files;
}

/* What each row holds that has no row of its own below it. */
static void fill_left(
	const struct directories *directories, const uint32_t *uid, uint64_t *left, uint64_t *all)
{
	for (size_t i = 0; i < directories->count; i++) {
		uint32_t parent = directories->rows[i].parent;

		left[i] = tiny_files_of(directories, i, uid);
		if (parent == DIRECTORY_NO_PARENT)
			*all = sat_add_u64(*all, left[i]);
		else
			left[parent] -= left[i];
	}
}

/*
 * As many files as are a share of all, rounded up, but for what the share is off by as a double:
 * 7 % of 100 files are 7, although 100 × 0.07 comes out above that.
 */
static uint64_t threshold_of(uint64_t all, double share, uint64_t fold_files)
{
	double wanted = (double)all * share, whole = round(wanted);

	if (fabs(wanted - whole) > 4 * DBL_EPSILON * wanted)
		whole = ceil(wanted);
	if (whole >= (double)UINT64_MAX)
		return UINT64_MAX;
	return max_u64(max_u64((uint64_t)whole, 1), fold_files);
}

/* Leaves in @left what hot trees hold, and 0 elsewhere. Returns their number. */
static size_t push_up(const struct directories *directories, uint64_t *left, uint64_t threshold)
{
	size_t count = 0;

	for (size_t i = directories->count; i > 0; i--) {
		uint32_t parent = directories->rows[i - 1].parent;

		if (left[i - 1] >= threshold) {
			count++;
			continue;
		}
		if (parent != DIRECTORY_NO_PARENT)
			left[parent] += left[i - 1];
		left[i - 1] = 0;
	}
	return count;
}

static int by_tiny_files(const void *left, const void *right)
{
	const struct hot_tree *a = left, *b = right;

	if (a->tiny_files != b->tiny_files)
		return a->tiny_files < b->tiny_files ? 1 : -1;
	return (a->directory > b->directory) - (a->directory < b->directory);
}

int hot_trees_find(const struct directories *directories, const uint32_t *uid, double share,
	struct hot_trees *hot)
{
	autofree uint64_t *left = calloc(directories->count + 1, sizeof(*left));
	size_t count;

	*hot = (struct hot_trees){0};
	if (!left)
		return -ENOMEM;
	fill_left(directories, uid, left, &hot->all_tiny_files);
	hot->threshold = threshold_of(hot->all_tiny_files, share, directories->fold_files);
	count = push_up(directories, left, hot->threshold);
	hot->trees = reallocarray(NULL, count + 1, sizeof(*hot->trees));
	if (!hot->trees)
		return -ENOMEM;
	for (size_t i = 0; i < directories->count; i++) {
		if (left[i])
			hot->trees[hot->count++] = (struct hot_tree){i, left[i]};
	}
	qsort(hot->trees, hot->count, sizeof(*hot->trees), by_tiny_files);
	return 0;
}

void hot_trees_fini(struct hot_trees *hot)
{
	free(hot->trees);
	*hot = (struct hot_trees){0};
}
