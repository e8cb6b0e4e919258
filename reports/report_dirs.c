// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report dirs`: one row a directory, the one that itself holds most tiny files first.
 *
 * Paths may be long and rows many, so that a path is put together only for rows that are shown:
 * until then its cell, which is absent, keeps the index of the directory.
 */
#include "reports/common.h"
#include "reports/directory_view.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>

enum { PATH, OWNER, USER, FILES, TINY_FILES, BYTES, TREE_FILES, TREE_TINY_FILES };

static const struct column columns[] = {
	[PATH] = {"path", "DIRECTORY", VALUE_TEXT, COLUMN_STRETCH, "path, escaped"},
	[OWNER] = {"owner", "OWNER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"who owns the directory, or whose files are counted"},
	[USER] = {"user", "UID", VALUE_ID, COLUMN_DATA_ONLY,
		"owner of the directory; with --user, that user"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files in the directory itself"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0, "of them below the tiny edge"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, COLUMN_OPTIONAL, "sizes of its regular files"},
	[TREE_FILES] = {"tree_files", "IN TREE", VALUE_COUNT, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"regular files in the directory and below it"},
	[TREE_TINY_FILES] = {"tree_tiny_files", "TINY IN TREE", VALUE_COUNT, COLUMN_NO_SUM,
		"of them below the tiny edge"},
};

static void add_row(struct document *document, struct table *table,
	const struct directory_view *view, size_t index)
{
	const struct report_options *options = view->input->options;
	struct directory_sums own, tree;
	struct value *row;

	if (!directory_view_sums(view, index, &own, &tree))
		return;
	if (options->has_depth && directory_view_depth(view, index) > options->depth)
		return;
	row = table_row(document, table);
	if (!row)
		return;
	row[PATH].number = index;
	value_set_number(&row[USER], directory_view_user(view, index));
	value_set_number(&row[FILES], own.files);
	value_set_number(&row[TINY_FILES], own.tiny_files);
	value_set_number(&row[BYTES], own.bytes);
	value_set_number(&row[TREE_FILES], tree.files);
	value_set_number(&row[TREE_TINY_FILES], tree.tiny_files);
}

/* Says in the cells which directory it is and whose. */
static void name_row(
	struct document *document, const struct directory_view *view, struct value *row)
{
	const struct report_options *options = view->input->options;
	autofree char *path = NULL, *owner = NULL;

	if (row[PATH].present)
		return;
	path = directories_path(
		view->directories, row[PATH].number, directory_prefix(view->input->scan));
	owner = report_owner_label(options, OWNER_USER, (uint32_t)row[USER].number, NULL);
	if (!path || !owner) {
		document->code = -ENOMEM;
		return;
	}
	value_set_text(document, &row[PATH], path);
	value_set_text(document, &row[OWNER], owner);
}

static void name_rows(
	struct document *document, const struct directory_view *view, const struct table *table)
{
	for (size_t i = 0; table && i < table->row_count; i++)
		name_row(document, view, table_cells(table, i));
}

static int fill(struct document *document, const struct directory_view *view, struct err *err)
{
	struct report_options options = *view->input->options;
	struct table *table;
	int rc;

	directory_view_line(document, view);
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = view->first; i < view->end; i++)
		add_row(document, table, view, i);
	if (table && !table->row_count)
		document_before(document, "No files.");
	if (!options.sort)
		options.sort = "tiny_files";
	if (!strcmp(options.sort, "path"))
		name_rows(document, view, table);
	rc = report_arrange(document, table, &options, err);
	name_rows(document, view, table);
	return rc;
}

int report_dirs(const struct report_input *input, struct document *document, struct err *err)
{
	struct directory_view view;
	int rc;

	report_begin(document, "dirs", input);
	rc = directory_view_init(&view, input, err);
	if (!rc)
		rc = fill(document, &view, err);
	return rc ? rc : report_end(document, err);
}
