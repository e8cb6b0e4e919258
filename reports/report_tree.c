// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report tree`: where the tiny files are, as a tree (tree_shape.h).
 *
 * What lies between two directories that are shown becomes part of a name, so that a deep tree is
 * no deeper here than it has branches. In text, many hot trees that are beside each other and alike
 * are one row; data has a row each.
 */
#include "reports/common.h"
#include "reports/tree_shape.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDENT_MAX  32 /* levels that are drawn */
#define LEVEL_BYTES 8  /* of a level's drawing, at most */

enum {
	TREE,
	PATH,
	DEPTH,
	OWNER,
	USER,
	TREE_TINY,
	TINY_SHARE,
	TREE_FILES,
	HOT_TINY,
	EXPLAINED,
	FILES,
	TINY_FILES,
};

static const struct column columns[] = {
	[TREE] = {"tree", "TREE", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH, "name"},
	[PATH] = {"path", "DIRECTORY", VALUE_TEXT, COLUMN_DATA_ONLY, "path, escaped"},
	[DEPTH] = {"depth", "DEPTH", VALUE_ID, COLUMN_DATA_ONLY, "level in this tree"},
	[OWNER] = {"owner", "OWNER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"who owns the directory"},
	[USER] = {"user", "UID", VALUE_ID, COLUMN_DATA_ONLY, "uid of its owner"},
	[TREE_TINY] = {"tree_tiny_files", "TINY IN TREE", VALUE_COUNT, COLUMN_NO_SUM,
		"tiny files in the directory and below it"},
	[TINY_SHARE] = {"tiny_share", "OF ALL TINY", VALUE_SHARE,
		COLUMN_TEXT_ONLY | COLUMN_OPTIONAL, "share of all tiny files"},
	[TREE_FILES] = {"tree_files", "IN TREE", VALUE_COUNT, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"regular files in the directory and below it"},
	[HOT_TINY] = {"hot_tiny_files", "HOT", VALUE_COUNT, 0,
		"of a hot tree: tiny files in it that no hot tree below holds"},
	[EXPLAINED] = {"explained_tiny_files", "IN HOT", VALUE_COUNT, COLUMN_NO_SUM,
		"tiny files that hot trees hold, this one and those below it"},
	[FILES] = {"files", "FILES", VALUE_COUNT, COLUMN_DATA_ONLY,
		"regular files in the directory itself"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, COLUMN_DATA_ONLY,
		"of them below the tiny edge"},
};

/* --- Rows ------------------------------------------------------------------------------------- */

/* The path of @row as it goes on from the row shown above; it may be the whole. */
static const char *short_name(const struct tree *tree, uint32_t row, const char *path)
{
	uint32_t up = tree->up[row];
	autofree char *above = NULL;
	size_t length;

	if (up == TREE_NONE)
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
	for (uint32_t at = row; tree->up[at] != TREE_NONE && count < INDENT_MAX; at = tree->up[at])
		ways[count++] = at;
	while (count-- > 0) {
		bool is_last = tree->next[ways[count]] == TREE_NONE;

		if (count)
			strcat(out, is_last ? "   " : "│  ");
		else
			strcat(out, is_last ? "└─ " : "├─ ");
	}
}

static void set_texts(
	const struct tree *tree, struct document *document, struct value *row, uint32_t index)
{
	char lines[INDENT_MAX * LEVEL_BYTES + 1];
	autofree char *name = NULL;

	draw(tree, index, lines);
	directory_view_name(document, tree->view, index, &row[PATH], &row[OWNER]);
	if (document->code)
		return;
	if (asprintf(&name, "%s%s", lines, short_name(tree, index, row[PATH].text)) < 0)
		document->code = -ENOMEM;
	else
		value_set_text(document, &row[TREE], name);
}

static void set_share(const struct tree *tree, struct value *value, uint64_t tiny_files)
{
	if (tree->all_tiny_files)
		value_set_real(value, (double)tiny_files / (double)tree->all_tiny_files);
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
	directory_view_set_uid(tree->view, index, &row[USER]);
	value_set_number(&row[TREE_TINY], sums.tiny_files);
	set_share(tree, &row[TINY_SHARE], sums.tiny_files);
	value_set_number(&row[TREE_FILES], sums.files);
	if (tree->hot[index])
		value_set_number(&row[HOT_TINY], tree->hot[index]);
	value_set_number(&row[EXPLAINED], tree->explained[index]);
	value_set_number(&row[FILES], own.files);
	value_set_number(&row[TINY_FILES], own.tiny_files);
}

/* "├─ 30 hot trees of 482 – 500 tiny files each" */
static void add_roll(const struct tree *tree, struct document *document, struct table *table,
	const struct roll *roll)
{
	struct value *row = table_row(document, table);
	char lines[INDENT_MAX * LEVEL_BYTES + 1], text[sizeof(lines) + LABEL_BYTES];
	char least[UNIT_TEXT_BYTES], most[UNIT_TEXT_BYTES];

	if (!row)
		return;
	draw(tree, roll->row, lines);
	unit_format_count(roll->least, least);
	unit_format_count(roll->most, most);
	snprintf(text, sizeof(text), "%s%zu hot trees of %s%s%s tiny files each", lines,
		roll->count, strcmp(least, most) ? least : "", strcmp(least, most) ? " – " : "",
		most);
	if (roll->one_owner)
		directory_view_name(document, tree->view, roll->row, &row[PATH], &row[OWNER]);
	value_set_text(document, &row[TREE], text);
	value_set_number(&row[TREE_TINY], roll->tiny_files);
	set_share(tree, &row[TINY_SHARE], roll->tiny_files);
	value_set_number(&row[TREE_FILES], roll->files);
	value_set_number(&row[HOT_TINY], roll->tiny_files);
	value_set_number(&row[EXPLAINED], roll->tiny_files);
}

/* All rows shown, those below each other after each other. */
static void add_rows(const struct tree *tree, struct document *document, struct table *table)
{
	uint32_t at = tree->top;

	while (at != TREE_NONE) {
		const struct roll *roll = tree_find_roll(tree, at);
		uint32_t next = tree->first[at];

		if (roll)
			add_roll(tree, document, table, roll);
		else
			add_row(tree, document, table, at);
		while (next == TREE_NONE && at != TREE_NONE) {
			next = tree->next[at];
			at = tree->up[at];
		}
		at = next;
	}
}

/* Data has all rows; text has those rolled up, unless everything is wanted. */
static void add_tables(struct tree *tree, struct document *document)
{
	const struct report_options *options = tree->view->input->options;
	struct table *table =
		document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));

	add_rows(tree, document, table);
	if (options->all_rows || options->has_depth)
		return;
	tree_roll_up(tree);
	if (!tree->roll_count || !table)
		return;
	table->flags = TABLE_DATA_ONLY;
	table = document_table(document, "rolled", NULL, columns, ARRAY_LENGTH(columns));
	if (table)
		table->flags = TABLE_TEXT_ONLY;
	add_rows(tree, document, table);
}

/* How many trees are hot, what makes them so, and how much they explain. */
static void add_lines(const struct tree *tree, struct document *document)
{
	double share = tree_hot_share(tree->view->input->options);
	char count[LABEL_BYTES], together[UNIT_TEXT_BYTES];
	struct directory_sums own, sums;
	uint64_t explained = 0;
	size_t hot = 0, shown = 0;

	for (size_t i = tree->view->first; i < tree->view->end; i++) {
		hot += tree->hot[i] > 0;
		explained = sat_add_u64(explained, tree->hot[i]);
		shown += tree->shown[i] && directory_view_sums(tree->view, i, &own, &sums) &&
			 !directories_is_unresolved(tree->view->directories, i);
	}
	directory_view_line(document, tree->view, shown);
	document_field_real(document, "hot_share", VALUE_SHARE, share);
	unit_format_share((double)explained, (double)tree->all_tiny_files, together);
	if (hot)
		document_before(document,
			"%s hot: each holds at least %g %% of the tiny files, without those in hot "
			"trees below it; together %s.",
			report_plural(hot, "tree is", "trees are", count), 100 * share, together);
	else
		document_before(document, "No tree is hot: none holds %g %% of the tiny files.",
			100 * share);
}

static void fill(struct tree *tree, struct document *document)
{
	struct directory_sums own, sums;

	add_lines(tree, document);
	if (directory_view_sums(tree->view, tree->view->first, &own, &sums))
		add_tables(tree, document);
	else
		document_before(document, "No files.");
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
	if (tree_init(&tree, &view))
		document->code = -ENOMEM;
	else
		fill(&tree, document);
	tree_fini(&tree);
	return report_end(document, err);
}
