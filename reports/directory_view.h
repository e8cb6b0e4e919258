/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reports on directories share: the part that is wanted, and what is said of a row. */
#ifndef REPORTS_DIRECTORY_VIEW_H
#define REPORTS_DIRECTORY_VIEW_H

#include "reports/report.h"

/* The rows first ≤ index < end, of which those that directory_view_has() are shown. */
struct directory_view {
	const struct report_input *input;
	const struct directories *directories;
	size_t first;
	size_t end;
};

/*
 * Finds the part that the options want. -ENODATA with a message if there are no directories,
 * -EINVAL if there is no such directory as --under names.
 */
int directory_view_init(
	struct directory_view *view, const struct report_input *input, struct err *err);

/* What the wanted user, or everybody, has in row @index; false if that is nothing. */
bool directory_view_sums(const struct directory_view *view, size_t index,
	struct directory_sums *own, struct directory_sums *tree);

/* Levels from where the view begins down to row @index. */
uint64_t directory_view_depth(const struct directory_view *view, size_t index);

/* Where the root of a scan is, as its paths begin; raw bytes, NULL if not known. */
const char *directory_prefix(const struct scan_info *scan);

/*
 * The line that says how many directories there were, how many of them @rows are shown, and which
 * have no row.
 */
void directory_view_line(
	struct document *document, const struct directory_view *view, uint64_t rows);

/* Says in the cells which directory row @index is, and who owns it: nobody what is unresolved. */
void directory_view_name(struct document *document, const struct directory_view *view, size_t index,
	struct value *path, struct value *owner);

/* Says in the cell the id of the owner of row @index, if there is one. */
void directory_view_set_uid(const struct directory_view *view, size_t index, struct value *uid);

#endif
