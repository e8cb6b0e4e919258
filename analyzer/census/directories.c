// SPDX-License-Identifier: GPL-2.0-or-later
/* See directories.h. Rows lie in preorder, so that a tree is a run of rows and a loop a walk. */
#include "analyzer/census/directories.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void directories_init(struct directories *directories)
{
	memset(directories, 0, sizeof(*directories));
}

void directories_fini(struct directories *directories)
{
	free(directories->rows);
	free(directories->users);
	free(directories->ways);
	free(directories->names);
	directories_init(directories);
}

/* --- Sums ------------------------------------------------------------------------------------- */

void directory_sums_add(struct directory_sums *a, const struct directory_sums *b)
{
	a->files = sat_add_u64(a->files, b->files);
	a->tiny_files = sat_add_u64(a->tiny_files, b->tiny_files);
	a->bytes = sat_add_u64(a->bytes, b->bytes);
	a->allocated_bytes = sat_add_u64(a->allocated_bytes, b->allocated_bytes);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	if (a == UINT64_MAX)
		return a;
	return a > b ? a - b : 0;
}

void directory_sums_subtract(struct directory_sums *a, const struct directory_sums *b)
{
	a->files = less(a->files, b->files);
	a->tiny_files = less(a->tiny_files, b->tiny_files);
	a->bytes = less(a->bytes, b->bytes);
	a->allocated_bytes = less(a->allocated_bytes, b->allocated_bytes);
}

bool directory_sums_equal(const struct directory_sums *a, const struct directory_sums *b)
{
	return a->files == b->files && a->tiny_files == b->tiny_files && a->bytes == b->bytes &&
	       a->allocated_bytes == b->allocated_bytes;
}

/* --- Users ------------------------------------------------------------------------------------ */

static int compare_users(const void *left, const void *right)
{
	const struct directory_user *a = left, *b = right;

	if (a->directory != b->directory)
		return a->directory < b->directory ? -1 : 1;
	return (a->uid > b->uid) - (a->uid < b->uid);
}

void directories_sort_users(struct directories *directories)
{
	if (directories->user_count)
		qsort(directories->users, directories->user_count, sizeof(*directories->users),
			compare_users);
}

bool directories_user(const struct directories *directories, size_t index, uint32_t uid,
	struct directory_sums *own, struct directory_sums *tree)
{
	const struct directory *row = &directories->rows[index];
	const struct directory_user key = {.directory = (uint32_t)index, .uid = uid};
	const struct directory_user *user;

	*own = *tree = (struct directory_sums){0};
	if (!row->is_shared) {
		if (row->uid != uid)
			return false;
		*own = row->own;
		*tree = row->tree;
		return true;
	}
	user = bsearch(
		&key, directories->users, directories->user_count, sizeof(key), compare_users);
	if (!user)
		return false;
	*own = user->own;
	*tree = user->tree;
	return true;
}

/* --- Folding ---------------------------------------------------------------------------------- */

static bool is_kept(const struct directory *row, uint64_t files, uint64_t fold_files)
{
	return row->parent == DIRECTORY_NO_PARENT || files >= fold_files;
}

static void fold_users(struct directories *directories, const uint32_t *places, uint64_t fold_files)
{
	size_t kept = 0;

	for (size_t i = 0; i < directories->user_count; i++) {
		struct directory_user user = directories->users[i];

		if (!is_kept(&directories->rows[user.directory], user.tree.files, fold_files))
			continue;
		user.directory = places[user.directory];
		directories->users[kept++] = user;
	}
	directories->user_count = kept;
}

/* Where each row comes to be; a tree has no fewer files than one in it, so parents stay. */
static void find_places(
	const struct directories *directories, uint32_t *places, uint64_t fold_files)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < directories->count; i++) {
		const struct directory *row = &directories->rows[i];

		places[i] = is_kept(row, row->tree.files, fold_files) ? kept++ : UINT32_MAX;
	}
}

static void fold_rows(struct directories *directories, const uint32_t *places)
{
	size_t kept = 0;

	for (size_t i = 0; i < directories->count; i++) {
		struct directory row = directories->rows[i];

		if (places[i] == UINT32_MAX)
			continue;
		if (row.parent != DIRECTORY_NO_PARENT)
			row.parent = places[row.parent];
		directories->rows[kept++] = row;
	}
	directories->count = kept;
}

int directories_fold(struct directories *directories, uint64_t fold_files)
{
	autofree uint32_t *places = calloc(directories->count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	find_places(directories, places, fold_files);
	fold_users(directories, places, fold_files);
	fold_rows(directories, places);
	directories->fold_files = max_u64(directories->fold_files, fold_files);
	return 0;
}

/* --- Paths ------------------------------------------------------------------------------------ */

static const char *name_of(const struct directories *directories, size_t index)
{
	return directories->names + directories->rows[index].name;
}

/* Writes a name, escaped, with slashes as bytes that a path cannot mean. */
static int put_name(FILE *out, const char *name, size_t bytes)
{
	autofree char *escaped = bytes_escape(name, bytes);

	if (!escaped)
		return -ENOMEM;
	for (const char *at = escaped; *at; at++) {
		if (*at == '/')
			fputs("\\x2f", out);
		else
			fputc(*at, out);
	}
	return 0;
}

static int put_prefix(FILE *out, const char *prefix, bool is_root)
{
	size_t length = prefix ? strlen(prefix) : 0;
	autofree char *escaped = NULL;

	while (length && prefix[length - 1] == '/')
		length--;
	escaped = bytes_escape(length ? prefix : "", length);
	if (!escaped)
		return -ENOMEM;
	fputs(escaped, out);
	if (is_root && !length)
		fputc('/', out);
	return 0;
}

/* The rows from the root, exclusive, down to @index, to be freed; their number in @depth. */
static uint32_t *ancestors(const struct directories *directories, size_t index, size_t *depth)
{
	uint32_t *rows, at = (uint32_t)index;

	*depth = 0;
	while (directories->rows[at].parent != DIRECTORY_NO_PARENT) {
		at = directories->rows[at].parent;
		++*depth;
	}
	rows = reallocarray(NULL, *depth + 1, sizeof(*rows));
	at = (uint32_t)index;
	for (size_t i = *depth; rows && i > 0; i--) {
		rows[i - 1] = at;
		at = directories->rows[at].parent;
	}
	return rows;
}

static int put_path(
	FILE *out, const struct directories *directories, size_t index, const char *prefix)
{
	size_t depth;
	autofree uint32_t *rows = ancestors(directories, index, &depth);
	int rc = rows ? put_prefix(out, prefix, !depth) : -ENOMEM;

	for (size_t i = 0; i < depth && !rc; i++) {
		fputc('/', out);
		rc = put_name(
			out, name_of(directories, rows[i]), directories->rows[rows[i]].name_bytes);
	}
	return rc;
}

char *directories_path(const struct directories *directories, size_t index, const char *prefix)
{
	char *path = NULL;
	size_t length;
	FILE *out;
	int rc;

	if (directories_is_unresolved(directories, index))
		return strdup("(unresolved)");
	out = open_memstream(&path, &length);
	if (!out)
		return NULL;
	rc = put_path(out, directories, index, prefix);
	if (!fclose(out) && !rc)
		return path;
	free(path);
	return NULL;
}

size_t directories_tree_end(const struct directories *directories, size_t index)
{
	size_t end = index + 1;

	while (end < directories->count && directories->rows[end].parent >= index &&
		directories->rows[end].parent != DIRECTORY_NO_PARENT)
		end++;
	return end;
}

/* The child of row @index with that name; DIRECTORY_NO_PARENT if there is none. */
static uint32_t child_of(
	const struct directories *directories, size_t index, const char *name, size_t bytes)
{
	size_t end = directories_tree_end(directories, index);

	for (size_t i = index + 1; i < end; i++) {
		const struct directory *row = &directories->rows[i];

		if (row->parent == index && row->name_bytes == bytes &&
			!memcmp(name_of(directories, i), name, bytes))
			return (uint32_t)i;
	}
	return DIRECTORY_NO_PARENT;
}

/* @path after @prefix; @path itself if it does not start so. */
static const char *below(const char *prefix, const char *path)
{
	size_t length = prefix ? strlen(prefix) : 0;

	while (length && prefix[length - 1] == '/')
		length--;
	if (length && !strncmp(path, prefix, length) && (!path[length] || path[length] == '/'))
		return path + length;
	return path;
}

int directories_find(
	const struct directories *directories, const char *prefix, const char *path, size_t *index)
{
	uint32_t at = 0;

	if (!directories->count)
		return -ENOENT;
	path = below(prefix, path);
	while (at != DIRECTORY_NO_PARENT && *(path += strspn(path, "/"))) {
		size_t length = strcspn(path, "/");

		at = child_of(directories, at, path, length);
		path += length;
	}
	if (at == DIRECTORY_NO_PARENT)
		return -ENOENT;
	*index = at;
	return 0;
}
