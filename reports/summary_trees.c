// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See summary_trees.h. Their numbers add up: where one tree named lies in another, the outer one is
 * told without it.
 */
#include "reports/summary_trees.h"

#include "analyzer/census/hot_trees.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "reports/directory_view.h"

#include <errno.h>
#include <stdio.h>

#define MAX_TREES  3   /* hot trees named */
#define TREE_SHARE 0.1 /* of the tiny files, what makes a tree worth naming */

enum { TREE_PATH, TREE_TINY_FILES };

static const struct column tree_columns[] = {
	[TREE_PATH] = {"path", "DIRECTORY", VALUE_TEXT, 0, "path, escaped"},
	[TREE_TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0,
		"tiny files in the tree that no other one named here holds"},
};

/* The first trees, in the order of the rows' numbers of tiny files. */
struct named_trees {
	const struct directories *directories;
	const struct hot_trees *hot;
	size_t count;
	uint64_t tiny_files[MAX_TREES]; /* without those in other trees named */
	bool is_rest[MAX_TREES];        /* there are such others */
};

/* The tree named that row @directory lies in, or is; MAX_TREES for none. */
static size_t named_above(const struct named_trees *named, uint32_t directory)
{
	for (; directory != DIRECTORY_NO_PARENT;
		directory = named->directories->rows[directory].parent)
		for (size_t i = 0; i < named->count; i++)
			if (named->hot->trees[i].directory == directory)
				return i;
	return MAX_TREES;
}

/* A hot tree that is not named counts in the one named above it. */
static void name_trees(struct named_trees *named)
{
	named->count = min_u64(named->hot->count, MAX_TREES);
	for (size_t i = 0; i < named->hot->count; i++) {
		size_t row = named->hot->trees[i].directory,
		       place = named_above(named, (uint32_t)row);

		if (place < MAX_TREES)
			named->tiny_files[place] = sat_add_u64(
				named->tiny_files[place], named->hot->trees[i].tiny_files);
		place = i < named->count ? named_above(named, named->directories->rows[row].parent)
					 : MAX_TREES;
		if (place < MAX_TREES)
			named->is_rest[place] = true;
	}
}

static void add_tree(struct document *document, struct table *table, const char *path,
	uint64_t tiny_files, bool is_rest, FILE *line)
{
	struct value *row = table_row(document, table);
	char count[UNIT_TEXT_BYTES];

	if (!row)
		return;
	value_set_text(document, &row[TREE_PATH], path);
	value_set_number(&row[TREE_TINY_FILES], tiny_files);
	fprintf(line, "%s%s%s %s", table->row_count > 1 ? " · " : "",
		is_rest ? "elsewhere in " : "", path, unit_format_count(tiny_files, count));
}

/* Names the trees that are worst, as a line and as data. Returns 0 or -ENOMEM. */
static int add_hot_trees(
	struct document *document, const struct report_input *input, const struct hot_trees *hot)
{
	struct named_trees named = {.directories = input->directories, .hot = hot};
	struct table *table =
		document_table(document, "trees", NULL, tree_columns, ARRAY_LENGTH(tree_columns));
	autofree char *text = NULL;
	size_t length;
	FILE *line = open_memstream(&text, &length);

	if (!table || !line)
		return -ENOMEM;
	table->flags = TABLE_DATA_ONLY;
	name_trees(&named);
	for (size_t i = 0; i < named.count; i++) {
		autofree char *path = directories_path(
			named.directories, hot->trees[i].directory, directory_prefix(input->scan));

		if (path)
			add_tree(
				document, table, path, named.tiny_files[i], named.is_rest[i], line);
		else
			document->code = -ENOMEM;
	}
	if (fclose(line))
		return -ENOMEM;
	document_after(document, "Trees with most tiny files: %s", text);
	return 0;
}

void summary_trees_add(struct document *document, const struct report_input *input)
{
	const struct report_options *options = input->options;
	const struct directories *directories = input->directories;
	struct hot_trees hot;

	if (!directories || !directories->present)
		return;
	if (hot_trees_find(
		    directories, options->has_user ? &options->user : NULL, TREE_SHARE, &hot) ||
		(hot.count && add_hot_trees(document, input, &hot)))
		document->code = -ENOMEM;
	hot_trees_fini(&hot);
}
