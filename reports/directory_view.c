// SPDX-License-Identifier: GPL-2.0-or-later
/* See directory_view.h. */
#include "reports/directory_view.h"

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "reports/common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *directory_prefix(const struct scan_info *scan)
{
	return scan->whole_filesystem ? scan->mount_point : scan->path;
}

/* Whether @path is @prefix or lies below it. */
static bool is_below(const char *prefix, const char *path)
{
	size_t length = prefix ? strlen(prefix) : 0;

	while (length && prefix[length - 1] == '/')
		length--;
	return prefix && !strncmp(path, prefix, length) && (!path[length] || path[length] == '/');
}

/* As it was given, below the root of the scan, goes before what it means from here. */
static int find_directory(struct directory_view *view)
{
	const struct report_options *options = view->input->options;
	const char *prefix = directory_prefix(view->input->scan), *here = options->under_here;
	int rc = directories_find(view->directories, prefix, options->under, &view->first);

	if (rc && here && is_below(prefix, here))
		rc = directories_find(view->directories, prefix, here, &view->first);
	return rc;
}

static int find_start(struct directory_view *view, struct err *err)
{
	const struct report_options *options = view->input->options;
	const char *here = options->under_here;
	autofree char *path = bytes_escape(options->under, strlen(options->under));
	autofree char *there = here ? bytes_escape(here, strlen(here)) : NULL;

	if (!find_directory(view))
		return 0;
	if (view->directories->fold_files)
		return err_set(err, -EINVAL,
			"--under: no directory %s in the scan, or its tree has fewer files than "
			"%" PRIu64 " and is folded into the one above",
			path ? path : "?", view->directories->fold_files);
	if (there && strcmp(here, options->under) != 0)
		return err_set(err, -EINVAL,
			"--under: no directory %s in the scan, neither from its root nor as %s",
			path ? path : "?", there);
	return err_set(err, -EINVAL, "--under: no directory %s in the scan", path ? path : "?");
}

int directory_view_init(
	struct directory_view *view, const struct report_input *input, struct err *err)
{
	int rc = 0;

	*view = (struct directory_view){.input = input, .directories = input->directories};
	if (!input->directories || !input->directories->present)
		return err_set(err, -ENODATA,
			"scan %" PRId64
			" has no directories: it was taken with --no-dirs; scan again without it",
			input->scan->scan_id);
	view->end = input->directories->count;
	if (!input->options->under)
		return 0;
	rc = find_start(view, err);
	if (!rc)
		view->end = directories_tree_end(view->directories, view->first);
	return rc;
}

bool directory_view_sums(const struct directory_view *view, size_t index,
	struct directory_sums *own, struct directory_sums *tree)
{
	const struct report_options *options = view->input->options;

	if (options->has_user) {
		directories_user(view->directories, index, options->user, own, tree);
		return tree->files;
	}
	*own = view->directories->rows[index].own;
	*tree = view->directories->rows[index].tree;
	return true;
}

uint64_t directory_view_depth(const struct directory_view *view, size_t index)
{
	uint64_t depth = 0;

	while (index != view->first &&
		view->directories->rows[index].parent != DIRECTORY_NO_PARENT) {
		index = view->directories->rows[index].parent;
		depth++;
	}
	return depth;
}

void directory_view_name(struct document *document, const struct directory_view *view, size_t index,
	struct value *path, struct value *owner)
{
	const struct report_input *input = view->input;
	autofree char *name =
		directories_path(view->directories, index, directory_prefix(input->scan));
	autofree char *label = report_owner_label(
		input->options, OWNER_USER, view->directories->rows[index].uid, NULL);

	if (!name || !label)
		document->code = -ENOMEM;
	value_set_text(document, path, name);
	if (!directories_is_unresolved(view->directories, index))
		value_set_text(document, owner, label);
}

void directory_view_set_uid(const struct directory_view *view, size_t index, struct value *uid)
{
	if (!directories_is_unresolved(view->directories, index))
		value_set_number(uid, view->directories->rows[index].uid);
}

void directory_view_line(
	struct document *document, const struct directory_view *view, uint64_t rows)
{
	const struct directories *directories = view->directories;
	char seen[2 * LABEL_BYTES], all[LABEL_BYTES], fold[UNIT_TEXT_BYTES];

	document_field_number(document, "directories", VALUE_COUNT, directories->seen);
	document_field_number(document, "fold_files", VALUE_COUNT, directories->fold_files);
	report_plural(directories->seen, "directory", "directories", all);
	if (rows < directories->seen)
		snprintf(seen, sizeof(seen), "%s of %s", unit_format_count(rows, fold), all);
	else
		snprintf(seen, sizeof(seen), "%s", all);
	if (directories->fold_files > 1)
		document_before(document,
			"%s; trees of fewer than %s files have no row of their own, but count in "
			"those above",
			seen, unit_format_count(directories->fold_files, fold));
	else if (directories->fold_files)
		document_before(
			document, "%s; those without a file in their tree have no row", seen);
	else
		document_before(document, "%s", seen);
}
