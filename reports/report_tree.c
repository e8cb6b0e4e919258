// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report tree`: where the tiny files are, as a tree.
 *
 * Shown are the hot trees (hot_trees.h), the directories in which ways to several of them part, and
 * the root; with --depth also all rows down to there. What lies between two of them becomes part of
 * a name, so that a deep tree is no deeper here than it has branches. Siblings are ordered by the
 * tiny files in their trees.
 */
#include "reports/common.h"
#include "reports/directory_view.h"

#include "analyzer/census/hot_trees.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE        UINT32_MAX
#define INDENT_MAX  32 /* levels that are drawn */
#define LEVEL_BYTES 8  /* of a level's drawing, at most */

enum { TREE, PATH, DEPTH, OWNER, USER, TREE_TINY, TREE_FILES, HOT_TINY, FILES, TINY_FILES };

static const struct column columns[] = {
	[TREE] = {"tree", "TREE", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH, "name"},
	[PATH] = {"path", "DIRECTORY", VALUE_TEXT, COLUMN_DATA_ONLY, "path, escaped"},
	[DEPTH] = {"depth", "DEPTH", VALUE_ID, COLUMN_DATA_ONLY, "level in this tree"},
	[OWNER] = {"owner", "OWNER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"who owns the directory, or whose files are counted"},
	[USER] = {"user", "UID", VALUE_ID, COLUMN_DATA_ONLY,
		"owner of the directory; with --user, that user"},
	[TREE_TINY] = {"tree_tiny_files", "TINY IN TREE", VALUE_COUNT, COLUMN_NO_SUM,
		"tiny files in the directory and below it"},
	[TREE_FILES] = {"tree_files", "IN TREE", VALUE_COUNT, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"regular files in the directory and below it"},
	[HOT_TINY] = {"hot_tiny_files", "HOT", VALUE_COUNT, 0,
		"of a hot tree: tiny files in it that no hot tree below holds"},
	[FILES] = {"files", "FILES", VALUE_COUNT, COLUMN_DATA_ONLY,
		"regular files in the directory itself"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, COLUMN_DATA_ONLY,
		"of them below the tiny edge"},
};

/* Arrays are by row of the directories. */
struct tree {
	const struct directory_view *view;
	uint64_t *hot;    /* tiny files of a hot tree, 0 for others */
	uint64_t *weight; /* tiny files in the tree */
	uint32_t *ways;   /* children that lead to hot trees */
	bool *shown;
	uint32_t *up;    /* the nearest one shown above, NONE at the top */
	uint32_t *first; /* the first one shown below, NONE */
	uint32_t *next;  /* the next one shown beside, NONE */
	uint32_t *depth; /* among those shown */
	uint32_t top;    /* the first one at the top */
};

static int tree_init(struct tree *tree, const struct directory_view *view)
{
	size_t count = view->directories->count + 1;

	*tree = (struct tree){.view = view, .top = NONE};
	tree->hot = calloc(count, sizeof(*tree->hot));
	tree->weight = calloc(count, sizeof(*tree->weight));
	tree->ways = calloc(count, sizeof(*tree->ways));
	tree->shown = calloc(count, sizeof(*tree->shown));
	tree->up = calloc(count, sizeof(*tree->up));
	tree->first = calloc(count, sizeof(*tree->first));
	tree->next = calloc(count, sizeof(*tree->next));
	tree->depth = calloc(count, sizeof(*tree->depth));
	if (!tree->hot || !tree->weight || !tree->ways || !tree->shown || !tree->up ||
		!tree->first || !tree->next || !tree->depth)
		return -ENOMEM;
	return 0;
}

static void tree_fini(struct tree *tree)
{
	free(tree->hot);
	free(tree->weight);
	free(tree->ways);
	free(tree->shown);
	free(tree->up);
	free(tree->first);
	free(tree->next);
	free(tree->depth);
}

/* --- What is shown ---------------------------------------------------------------------------- */

/* Marks the hot trees in view, the first --top of them. */
static int find_hot(struct tree *tree)
{
	const struct directory_view *view = tree->view;
	const struct report_options *options = view->input->options;
	const uint32_t *user = options->has_user ? &options->user : NULL;
	struct hot_trees hot;
	size_t left = options->top ? options->top : SIZE_MAX;
	int rc = hot_trees_find(view->directories, user, HOT_TREE_SHARE, &hot);

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
		tree->up[i] = tree->first[i] = tree->next[i] = NONE;
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
		uint32_t *list = up == NONE ? &tree->top : &tree->first[up];

		tree->next[rows[i]] = *list;
		*list = rows[i];
	}
	return 0;
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* The path of @row as it goes on from the row shown above; it may be the whole. */
static const char *short_name(const struct tree *tree, uint32_t row, const char *path)
{
	uint32_t up = tree->up[row];
	autofree char *above = NULL;
	size_t length;

	if (up == NONE)
		return path;
	above = directories_path(
		tree->view->directories, up, directory_prefix(tree->view->input->scan));
	length = above ? strlen(above) : 0;
	if (length && !strncmp(path, above, length))
		path += length;
	return path + (*path == '/');
}

/* The lines that lead to @row, NUL-terminated. */
static void draw(const struct tree *tree, uint32_t row, char out[INDENT_MAX * LEVEL_BYTES + 1])
{
	uint32_t ways[INDENT_MAX];
	size_t count = 0;

	out[0] = '\0';
	for (uint32_t at = row; tree->up[at] != NONE && count < INDENT_MAX; at = tree->up[at])
		ways[count++] = at;
	while (count-- > 0) {
		bool is_last = tree->next[ways[count]] == NONE;

		if (count)
			strcat(out, is_last ? "   " : "│  ");
		else
			strcat(out, is_last ? "└─ " : "├─ ");
	}
}

static void set_texts(
	const struct tree *tree, struct document *document, struct value *row, uint32_t index)
{
	const struct report_input *input = tree->view->input;
	char lines[INDENT_MAX * LEVEL_BYTES + 1];
	autofree char *path =
		directories_path(tree->view->directories, index, directory_prefix(input->scan));
	autofree char *owner = report_owner_label(
		input->options, OWNER_USER, directory_view_user(tree->view, index), NULL);
	autofree char *name = NULL;

	draw(tree, index, lines);
	if (!path || !owner || asprintf(&name, "%s%s", lines, short_name(tree, index, path)) < 0) {
		document->code = -ENOMEM;
		return;
	}
	value_set_text(document, &row[TREE], name);
	value_set_text(document, &row[PATH], path);
	value_set_text(document, &row[OWNER], owner);
}

static void add_row(
	const struct tree *tree, struct document *document, struct table *table, uint32_t index)
{
	struct value *row = table_row(document, table);
	struct directory_sums own, sums;

	if (!row)
		return;
	directory_view_sums(tree->view, index, &own, &sums);
	set_texts(tree, document, row, index);
	value_set_number(&row[DEPTH], tree->depth[index]);
	value_set_number(&row[USER], directory_view_user(tree->view, index));
	value_set_number(&row[TREE_TINY], sums.tiny_files);
	value_set_number(&row[TREE_FILES], sums.files);
	if (tree->hot[index])
		value_set_number(&row[HOT_TINY], tree->hot[index]);
	value_set_number(&row[FILES], own.files);
	value_set_number(&row[TINY_FILES], own.tiny_files);
}

/* All rows shown, those below each other after each other. */
static void add_rows(const struct tree *tree, struct document *document, struct table *table)
{
	uint32_t at = tree->top;

	while (at != NONE) {
		uint32_t next = tree->first[at];

		add_row(tree, document, table, at);
		while (next == NONE && at != NONE) {
			next = tree->next[at];
			at = tree->up[at];
		}
		at = next;
	}
}

static int fill(struct tree *tree, struct document *document)
{
	struct directory_sums own, sums;
	struct table *table;
	int rc = find_hot(tree);

	if (rc)
		return rc;
	weigh(tree);
	choose(tree);
	rc = link_rows(tree);
	if (rc)
		return rc;
	directory_view_line(document, tree->view);
	document_field_real(document, "hot_share", VALUE_SHARE, HOT_TREE_SHARE);
	document_before(document,
		"Hot trees hold 1 %% of the tiny files or more, without those in hot trees below.");
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	if (directory_view_sums(tree->view, tree->view->first, &own, &sums))
		add_rows(tree, document, table);
	else
		document_before(document, "No files.");
	return 0;
}

int report_tree(const struct report_input *input, struct document *document, struct err *err)
{
	struct directory_view view;
	struct tree tree;
	int rc;

	report_begin(document, "tree", input);
	if (input->options->sort)
		return err_set(
			err, -EINVAL, "the tree has an order of its own: --sort is for dirs");
	rc = directory_view_init(&view, input, err);
	if (rc)
		return rc;
	if (tree_init(&tree, &view) || fill(&tree, document))
		document->code = -ENOMEM;
	tree_fini(&tree);
	return report_end(document, err);
}
