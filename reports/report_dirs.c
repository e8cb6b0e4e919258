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

enum {
	PATH,
	OWNER,
	USER,
	FILES,
	TINY_FILES,
	BYTES,
	ALLOCATED_BYTES,
	TREE_FILES,
	TREE_TINY_FILES,
	TREE_ALLOCATED_BYTES,
};

static const struct column columns[] = {
	[PATH] = {"path", "DIRECTORY", VALUE_TEXT, COLUMN_STRETCH, "path, escaped"},
	[OWNER] = {"owner", "OWNER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"who owns the directory"},
	[USER] = {"user", "UID", VALUE_ID, COLUMN_DATA_ONLY, "uid of its owner"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files in the directory itself"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0, "of them below the tiny edge"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, COLUMN_OPTIONAL, "sizes of its regular files"},
	[ALLOCATED_BYTES] = {"allocated_bytes", "ALLOCATED", VALUE_BYTES, COLUMN_OPTIONAL,
		"allocated to what is in it, and to itself"},
	[TREE_FILES] = {"tree_files", "IN TREE", VALUE_COUNT, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"regular files in the directory and below it"},
	[TREE_TINY_FILES] = {"tree_tiny_files", "TINY IN TREE", VALUE_COUNT, COLUMN_NO_SUM,
		"of them below the tiny edge"},
	[TREE_ALLOCATED_BYTES] = {"tree_allocated_bytes", "ALLOCATED IN TREE", VALUE_BYTES,
		COLUMN_NO_SUM | COLUMN_OPTIONAL, "allocated to the directory and all below it"},
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
	directory_view_set_uid(view, index, &row[USER]);
	value_set_number(&row[FILES], own.files);
	value_set_number(&row[TINY_FILES], own.tiny_files);
	value_set_number(&row[BYTES], own.bytes);
	value_set_number(&row[ALLOCATED_BYTES], own.allocated_bytes);
	value_set_number(&row[TREE_FILES], tree.files);
	value_set_number(&row[TREE_TINY_FILES], tree.tiny_files);
	value_set_number(&row[TREE_ALLOCATED_BYTES], tree.allocated_bytes);
}

/* Says in the cells which directory it is and whose. */
static void name_row(
	struct document *document, const struct directory_view *view, struct value *row)
{
	if (!row[PATH].present)
		directory_view_name(document, view, row[PATH].number, &row[PATH], &row[OWNER]);
}

static void name_rows(
	struct document *document, const struct directory_view *view, const struct table *table)
{
	for (size_t i = 0; table && i < table->row_count; i++)
		name_row(document, view, table_cells(table, i));
}

/* How many rows are directories: what could not be resolved is none. */
static size_t shown_directories(const struct directory_view *view, const struct table *table)
{
	size_t count = table ? table->row_count : 0;

	return count - (count && directories_is_unresolved(view->directories,
					 table_cells(table, count - 1)[PATH].number));
}

static int fill(struct document *document, const struct directory_view *view, struct err *err)
{
	struct report_options options = *view->input->options;
	struct table *table;
	int rc;

	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = view->first; i < view->end; i++)
		add_row(document, table, view, i);
	directory_view_line(document, view, shown_directories(view, table));
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
