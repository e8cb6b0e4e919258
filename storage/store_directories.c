// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: the directories of a scan. Ids are the indexes of their rows. */
#include "storage/store_private.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Saving ----------------------------------------------------------------------------------- */

static void bind_sums(struct sql_query *query, const struct directory_sums *sums)
{
	sql_bind_u64(query, sums->files);
	sql_bind_u64(query, sums->tiny_files);
	sql_bind_u64(query, sums->bytes);
	sql_bind_u64(query, sums->allocated_bytes);
}

static void bind_directory(struct sql_query *query, const void *entries, size_t index)
{
	const struct directories *directories = entries;
	const struct directory *row = &directories->rows[index];

	sql_bind_u64(query, index);
	if (row->parent == DIRECTORY_NO_PARENT)
		sql_bind_null(query);
	else
		sql_bind_i64(query, row->parent);
	sql_bind_u64(query, row->ino);
	sql_bind_blob(query, directories->names + row->name, row->name_bytes);
	sql_bind_i64(query, row->uid);
	sql_bind_i64(query, row->is_shared);
	sql_bind_u64(query, row->subdirectories);
	sql_bind_u64(query, row->tree_directories);
	bind_sums(query, &row->own);
	bind_sums(query, &row->tree);
}

#define DIRECTORY_COLUMNS                                                           \
	"directory_id, parent_id, ino, name, uid, is_shared, subdirectories, "      \
	"tree_directories, files, tiny_files, bytes, allocated_bytes, tree_files, " \
	"tree_tiny_files, tree_bytes, tree_allocated_bytes"

static const struct store_table directory_table = {
	.name = "directory (scan_id, " DIRECTORY_COLUMNS ")",
	.columns = 17,
	.bind_row = bind_directory,
};

static void bind_user(struct sql_query *query, const void *entries, size_t index)
{
	const struct directory_user *user = &((const struct directories *)entries)->users[index];

	sql_bind_i64(query, user->directory);
	sql_bind_i64(query, user->uid);
	bind_sums(query, &user->own);
	bind_sums(query, &user->tree);
}

#define USER_COLUMNS                                                                 \
	"directory_id, uid, files, tiny_files, bytes, allocated_bytes, tree_files, " \
	"tree_tiny_files, tree_bytes, tree_allocated_bytes"

static const struct store_table user_table = {
	.name = "directory_user (scan_id, " USER_COLUMNS ")",
	.columns = 11,
	.bind_row = bind_user,
};

static int save_whole(struct store *store, int64_t scan_id, const struct directories *directories,
	struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query,
		"INSERT INTO directory_scan (scan_id, fold_files, directories, has_unresolved) "
		"VALUES (?, ?, ?, ?)",
		err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	sql_bind_u64(query, directories->fold_files);
	sql_bind_u64(query, directories->seen);
	sql_bind_i64(query, directories->has_unresolved);
	return sql_run(query, err);
}

int store_save_directories(struct store *store, int64_t scan_id,
	const struct directories *directories, struct err *err)
{
	int rc;

	if (!directories->present)
		return 0;
	rc = save_whole(store, scan_id, directories, err);
	if (!rc)
		rc = store_save_rows(
			store, scan_id, &directory_table, directories, directories->count, err);
	if (!rc)
		rc = store_save_rows(
			store, scan_id, &user_table, directories, directories->user_count, err);
	return rc;
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* Directories with room for more. */
struct loading {
	struct store *store;
	struct directories *directories;
	size_t row_capacity;
	size_t user_capacity;
	size_t name_capacity;
};

/* Makes room for @wanted entries of @bytes each; false without memory. */
static bool make_room(void **entries, size_t *capacity, size_t wanted, size_t bytes)
{
	size_t more = max_u64(2 * *capacity, wanted + 64);
	void *grown;

	if (wanted <= *capacity)
		return true;
	grown = reallocarray(*entries, more, bytes);
	if (!grown)
		return false;
	*entries = grown;
	*capacity = more;
	return true;
}

static int no_memory(const struct loading *loading, struct err *err)
{
	return err_set_errno(err, -ENOMEM, "%s", sql_path(loading->store->sql));
}

static int no_tree(const struct loading *loading, struct err *err)
{
	return err_set(err, -EUCLEAN, "%s is damaged: the directories of a scan are no tree",
		sql_path(loading->store->sql));
}

static void take_sums(struct sql_query *query, struct directory_sums *sums)
{
	sums->files = sql_take_u64(query);
	sums->tiny_files = sql_take_u64(query);
	sums->bytes = sql_take_u64(query);
	sums->allocated_bytes = sql_take_u64(query);
}

static int take_name(struct loading *loading, struct sql_query *query, struct directory *row)
{
	struct directories *directories = loading->directories;
	size_t bytes;
	const void *name = sql_take_blob(query, &bytes);
	void *names = directories->names;

	if (bytes > UINT16_MAX)
		bytes = UINT16_MAX;
	if (!make_room(&names, &loading->name_capacity, directories->names_bytes + bytes + 1, 1))
		return -ENOMEM;
	directories->names = names;
	row->name = directories->names_bytes;
	row->name_bytes = (uint32_t)bytes;
	if (bytes && name)
		memcpy(directories->names + row->name, name, bytes);
	directories->names[row->name + bytes] = '\0';
	directories->names_bytes += bytes + 1;
	return 0;
}

static int take_directory(struct loading *loading, struct sql_query *query, struct err *err)
{
	struct directories *directories = loading->directories;
	struct directory *row;
	void *rows = directories->rows;
	uint64_t index = sql_take_u64(query);

	if (!make_room(&rows, &loading->row_capacity, directories->count + 1, sizeof(*row)))
		return no_memory(loading, err);
	directories->rows = rows;
	row = &directories->rows[directories->count];
	*row = (struct directory){.parent = DIRECTORY_NO_PARENT};
	if (!sql_next_is_null(query))
		row->parent = sql_take_u32(query);
	else
		sql_take_i64(query);
	row->ino = sql_take_u64(query);
	if (take_name(loading, query, row))
		return no_memory(loading, err);
	row->uid = sql_take_u32(query);
	row->is_shared = sql_take_below(query, 2);
	row->subdirectories = sql_take_u64(query);
	row->tree_directories = sql_take_u64(query);
	take_sums(query, &row->own);
	take_sums(query, &row->tree);
	if (index != directories->count ||
		(row->parent != DIRECTORY_NO_PARENT && row->parent >= index))
		return no_tree(loading, err);
	directories->count++;
	return sql_check(query, err);
}

static int take_user(struct loading *loading, struct sql_query *query, struct err *err)
{
	struct directories *directories = loading->directories;
	struct directory_user *user;
	void *users = directories->users;

	if (!make_room(&users, &loading->user_capacity, directories->user_count + 1, sizeof(*user)))
		return no_memory(loading, err);
	directories->users = users;
	user = &directories->users[directories->user_count];
	user->directory = sql_take_u32(query);
	user->uid = sql_take_u32(query);
	take_sums(query, &user->own);
	take_sums(query, &user->tree);
	if (user->directory >= directories->count)
		return no_tree(loading, err);
	directories->user_count++;
	return sql_check(query, err);
}

/* Loads all rows of a table by @take. */
static int load_rows(struct loading *loading, int64_t scan_id, const char *text,
	int (*take)(struct loading *loading, struct sql_query *query, struct err *err),
	struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(loading->store->sql, &query, text, err);

	if (rc)
		return rc;
	sql_bind_i64(query, scan_id);
	while ((rc = sql_step(query, err)) > 0) {
		rc = take(loading, query, err);
		if (rc)
			return rc;
	}
	return rc;
}

static int take_whole(struct loading *loading, struct sql_query *query, struct err *err)
{
	loading->directories->present = true;
	loading->directories->fold_files = sql_take_u64(query);
	loading->directories->seen = sql_take_u64(query);
	loading->directories->has_unresolved = sql_take_below(query, 2);
	return sql_check(query, err);
}

int store_load_directories(
	struct store *store, int64_t scan_id, struct directories *directories, struct err *err)
{
	struct loading loading = {.store = store, .directories = directories};
	int rc = store_check_scan(store, scan_id, err);

	if (!rc)
		rc = load_rows(&loading, scan_id,
			"SELECT fold_files, directories, has_unresolved FROM directory_scan "
			"WHERE scan_id = ?",
			take_whole, err);
	if (!rc)
		rc = load_rows(&loading, scan_id,
			"SELECT " DIRECTORY_COLUMNS " FROM directory WHERE scan_id = ? "
			"ORDER BY directory_id",
			take_directory, err);
	if (!rc)
		rc = load_rows(&loading, scan_id,
			"SELECT " USER_COLUMNS " FROM directory_user WHERE scan_id = ? "
			"ORDER BY directory_id, uid",
			take_user, err);
	if (!rc && directories->present && !directories->count)
		return no_tree(&loading, err);
	return rc;
}
