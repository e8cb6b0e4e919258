// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See tree_shape.h. Rows of directories lie in preorder, so that going backwards meets children
 * before their parents; the lists of siblings are linked the lightest first, each in front of those
 * there are.
 */
#include "reports/tree_shape.h"

#include "analyzer/census/hot_trees.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_ALIKE 8 /* hot trees beside each other that have rows of their own */

static int allocate(struct tree *tree, const struct directory_view *view)
{
	size_t count = view->directories->count + 1;

	*tree = (struct tree){.view = view, .top = TREE_NONE};
	tree->hot = calloc(count, sizeof(*tree->hot));
	tree->weight = calloc(count, sizeof(*tree->weight));
	tree->explained = calloc(count, sizeof(*tree->explained));
	tree->rolls = calloc(count, sizeof(*tree->rolls));
	tree->ways = calloc(count, sizeof(*tree->ways));
	tree->shown = calloc(count, sizeof(*tree->shown));
	tree->up = calloc(count, sizeof(*tree->up));
	tree->first = calloc(count, sizeof(*tree->first));
	tree->next = calloc(count, sizeof(*tree->next));
	tree->depth = calloc(count, sizeof(*tree->depth));
	if (!tree->hot || !tree->weight || !tree->ways || !tree->shown || !tree->up ||
		!tree->first || !tree->next || !tree->depth || !tree->explained || !tree->rolls)
		return -ENOMEM;
	return 0;
}

void tree_fini(struct tree *tree)
{
	free(tree->hot);
	free(tree->weight);
	free(tree->explained);
	free(tree->rolls);
	free(tree->ways);
	free(tree->shown);
	free(tree->up);
	free(tree->first);
	free(tree->next);
	free(tree->depth);
}

/* --- What is shown ---------------------------------------------------------------------------- */

double tree_hot_share(const struct report_options *options)
{
	return options->hot_share > 0 ? options->hot_share : HOT_TREE_SHARE;
}

/* Marks the hot trees in view, the first --top of them. */
static int find_hot(struct tree *tree)
{
	const struct directory_view *view = tree->view;
	const struct report_options *options = view->input->options;
	const uint32_t *user = options->has_user ? &options->user : NULL;
	struct hot_trees hot;
	size_t left = options->top ? options->top : SIZE_MAX;
	int rc = hot_trees_find(view->directories, user, tree_hot_share(options), &hot);

	tree->all_tiny_files = hot.all_tiny_files;
	for (size_t i = 0; i < hot.count && left && !rc; i++) {
		size_t row = hot.trees[i].directory;

		if (row < view->first || row >= view->end)
			continue;
		tree->hot[row] = hot.trees[i].tiny_files;
		left--;
	}
	hot_trees_fini(&hot);
	return rc;
}

/* Sets what each row weighs and how many ways lead on from it, the children before the parents. */
static void weigh(struct tree *tree)
{
	const struct directory_view *view = tree->view;

	for (size_t i = view->end; i > view->first; i--) {
		uint32_t parent = view->directories->rows[i - 1].parent;
		struct directory_sums own, sums;

		directory_view_sums(view, i - 1, &own, &sums);
		tree->weight[i - 1] = sums.tiny_files;
		tree->explained[i - 1] = sat_add_u64(tree->explained[i - 1], tree->hot[i - 1]);
		if (parent != DIRECTORY_NO_PARENT)
			tree->explained[parent] =
				sat_add_u64(tree->explained[parent], tree->explained[i - 1]);
		if (parent != DIRECTORY_NO_PARENT && (tree->hot[i - 1] || tree->ways[i - 1]))
			tree->ways[parent]++;
	}
}

static bool is_wanted(const struct tree *tree, size_t row)
{
	const struct report_options *options = tree->view->input->options;
	struct directory_sums own, sums;

	if (row == tree->view->first || tree->hot[row] || tree->ways[row] > 1)
		return true;
	return options->has_depth && directory_view_depth(tree->view, row) <= options->depth &&
	       directory_view_sums(tree->view, row, &own, &sums);
}

static void choose(struct tree *tree)
{
	const struct directory_view *view = tree->view;

	for (size_t i = view->first; i < view->end; i++) {
		uint32_t parent = view->directories->rows[i].parent;

		tree->shown[i] = is_wanted(tree, i);
		tree->up[i] = tree->first[i] = tree->next[i] = TREE_NONE;
		if (i == view->first || parent == DIRECTORY_NO_PARENT)
			continue;
		tree->up[i] = tree->shown[parent] ? parent : tree->up[parent];
		tree->depth[i] = tree->depth[tree->up[i]] + 1;
	}
}

static int by_weight(const void *left, const void *right, void *context)
{
	const struct tree *tree = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (tree->weight[a] != tree->weight[b])
		return tree->weight[a] < tree->weight[b] ? -1 : 1;
	return (a < b) - (a > b);
}

/* Links the rows shown, the lightest first, so that the heaviest ends up in front. */
static int link_rows(struct tree *tree)
{
	autofree uint32_t *rows = calloc(tree->view->directories->count + 1, sizeof(*rows));
	size_t count = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = tree->view->first; i < tree->view->end; i++) {
		if (tree->shown[i])
			rows[count++] = (uint32_t)i;
	}
	qsort_r(rows, count, sizeof(*rows), by_weight, tree);
	for (size_t i = 0; i < count; i++) {
		uint32_t up = tree->up[rows[i]];
		uint32_t *list = up == TREE_NONE ? &tree->top : &tree->first[up];

		tree->next[rows[i]] = *list;
		*list = rows[i];
	}
	return 0;
}

/* --- What is rolled up ------------------------------------------------------------------------ */

/* Whether @row is a hot tree with nothing shown below it. */
static bool is_hot_end(const struct tree *tree, uint32_t row)
{
	return tree->hot[row] && tree->first[row] == TREE_NONE;
}

/* The hot ends from @row on, of at least half its size; those beside it come by their weight. */
static struct roll roll_from(const struct tree *tree, uint32_t row)
{
	const struct directory *rows = tree->view->directories->rows;
	struct roll roll = {.row = row, .least = UINT64_MAX, .one_owner = true};

	for (uint32_t at = row; at != TREE_NONE; at = tree->next[at]) {
		struct directory_sums own, sums;

		if (!is_hot_end(tree, at))
			continue;
		if (tree->hot[at] < tree->hot[row] / 2)
			break;
		directory_view_sums(tree->view, at, &own, &sums);
		roll.count++;
		roll.tiny_files = sat_add_u64(roll.tiny_files, tree->hot[at]);
		roll.files = sat_add_u64(roll.files, sums.files);
		roll.least = min_u64(roll.least, tree->hot[at]);
		roll.most = max_u64(roll.most, tree->hot[at]);
		roll.one_owner &= rows[at].uid == rows[row].uid;
	}
	return roll;
}

/* Leaves of a roll the first row; the others go out of the list. */
static void roll_up(struct tree *tree, const struct roll *roll)
{
	uint32_t before = roll->row;

	tree->rolls[tree->roll_count++] = *roll;
	for (size_t left = roll->count - 1; left;) {
		uint32_t at = tree->next[before];

		if (is_hot_end(tree, at)) {
			tree->next[before] = tree->next[at];
			left--;
		} else {
			before = at;
		}
	}
}

void tree_roll_up(struct tree *tree)
{
	for (size_t i = tree->view->first; i < tree->view->end; i++) {
		uint32_t row = (uint32_t)i;

		for (uint32_t at = tree->shown[row] ? tree->first[row] : TREE_NONE; at != TREE_NONE;
			at = tree->next[at]) {
			struct roll roll = {0};

			if (is_hot_end(tree, at))
				roll = roll_from(tree, at);
			if (roll.count > MOST_ALIKE)
				roll_up(tree, &roll);
		}
	}
}

const struct roll *tree_find_roll(const struct tree *tree, uint32_t row)
{
	for (size_t i = 0; i < tree->roll_count; i++) {
		if (tree->rolls[i].row == row)
			return &tree->rolls[i];
	}
	return NULL;
}

int tree_init(struct tree *tree, const struct directory_view *view)
{
	int rc = allocate(tree, view);

	if (!rc)
		rc = find_hot(tree);
	if (rc)
		return rc;
	weigh(tree);
	choose(tree);
	return link_rows(tree);
}
