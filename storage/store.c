// SPDX-License-Identifier: GPL-2.0-or-later
/* See store.h: opening, and the filesystems that scans and calibrations belong to. */
#include "storage/store_private.h"

#include "base/cleanup.h"
#include "storage/place.h"
#include "storage/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The transaction ends with the connection: all that is read is of one moment. */
static int open_to_read(struct store *store, const char *path, struct err *err)
{
	int rc = place_check_readable(path, err);

	if (!rc)
		rc = sql_open(&store->sql, path, SQL_READ, err);
	if (!rc)
		rc = sql_exec(store->sql, "BEGIN", err);
	return rc ? rc : schema_check(store->sql, &store_schema, err);
}

/* The schema first: a file of another program is refused as it is. */
static int open_to_write(struct store *store, const char *path, struct err *err)
{
	bool wal;
	int rc = place_make_writable(path, err);

	if (!rc)
		rc = sql_open(&store->sql, path, SQL_WRITE, err);
	if (!rc)
		rc = schema_migrate(store->sql, &store_schema, err);
	if (!rc)
		rc = sql_use_wal(store->sql, &wal, err);
	if (!rc && !wal)
		store->note = "the database lies on a filesystem without shared memory: scans are "
			      "stored safely, but reading and storing wait for each other";
	return rc;
}

int store_open(struct store **store, const char *path, enum store_mode mode, struct err *err)
{
	struct store *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		return err_set_errno(err, -ENOMEM, "%s", path);
	if (mode == STORE_WRITE)
		rc = open_to_write(opened, path, err);
	else
		rc = open_to_read(opened, path, err);
	if (rc) {
		store_close(opened);
		return rc;
	}
	*store = opened;
	return 0;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	sql_close(store->sql);
	free(store);
}

const char *store_note(const struct store *store)
{
	return store->note;
}

int store_set_patience(struct store *store, double seconds, struct err *err)
{
	return sql_set_patience(store->sql, seconds, err);
}

int store_schema_version(void)
{
	return store_schema.version;
}

int store_vacuum(struct store *store, struct err *err)
{
	int rc = sql_exec(store->sql, "VACUUM", err);

	return rc ? rc : sql_checkpoint(store->sql, err);
}

/* --- Filesystems ------------------------------------------------------------------------------ */

int store_put_filesystem(struct store *store, const struct store_filesystem *filesystem,
	int64_t *filesystem_id, struct err *err)
{
	/* An image that is not mounted today keeps the mount point by which people know it. */
	static const char text[] =
		"INSERT INTO filesystem (fs_id, fs_type, mount_point, device) VALUES (?, ?, ?, ?) "
		"ON CONFLICT (fs_id) DO UPDATE SET "
		"fs_type = coalesce(excluded.fs_type, fs_type), "
		"mount_point = coalesce(excluded.mount_point, mount_point), "
		"device = coalesce(excluded.device, device)";
	autoquery struct sql_query *put = NULL, *find = NULL;
	int rc = sql_prepare(store->sql, &put, text, err);

	if (!rc)
		rc = sql_prepare(store->sql, &find,
			"SELECT filesystem_id FROM filesystem WHERE fs_id = ?", err);
	if (rc)
		return rc;
	sql_bind_text(put, filesystem->fs_id);
	sql_bind_text(put, filesystem->fs_type);
	sql_bind_bytes(put, filesystem->mount_point);
	sql_bind_bytes(put, filesystem->device);
	rc = sql_run(put, err);
	if (rc)
		return rc;
	sql_bind_text(find, filesystem->fs_id);
	rc = sql_step(find, err);
	*filesystem_id = rc > 0 ? sql_take_i64(find) : 0;
	return rc < 0 ? rc : 0;
}

/* @path without slashes at its end, to be freed. */
static char *without_slashes(const char *path)
{
	char *copy = strdup(path);
	size_t length = copy ? strlen(copy) : 0;

	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	return copy;
}

/* The newest scan of f with that mount point or device, given as ?2. */
#define NEWEST_SCAN_AT                                                 \
	"(SELECT max(scan_id) FROM scan AS s WHERE s.filesystem_id = " \
	"f.filesystem_id AND (s.mount_point = ?2 OR s.device = ?2))"

/*
 * An fs_id first; then, since mount points and devices are given anew, what was scanned there last.
 * That the filesystem has since been scanned elsewhere too, or through a bind mount, changes
 * nothing of that.
 */
static int find_filesystem(struct store *store, const char *fs, const char *path,
	int64_t *filesystem_id, struct err *err)
{
	static const char text[] =
		"SELECT filesystem_id FROM filesystem AS f WHERE fs_id = ?1 OR mount_point = ?2 "
		"OR device = ?2 OR " NEWEST_SCAN_AT " IS NOT NULL "
		"ORDER BY fs_id = ?1 DESC, coalesce(" NEWEST_SCAN_AT ", 0) DESC, "
		"filesystem_id DESC LIMIT 1";
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(store->sql, &query, text, err);

	if (rc)
		return rc;
	sql_bind_text(query, fs);
	sql_bind_bytes(query, path);
	rc = sql_step(query, err);
	if (rc == 0)
		return err_set(err, -ENOENT, "no scan of %s in %s; `xfscensus scans` lists them",
			fs, sql_path(store->sql));
	if (rc > 0)
		*filesystem_id = sql_take_i64(query);
	return rc < 0 ? rc : 0;
}

int store_find_filesystem(
	struct store *store, const char *fs, int64_t *filesystem_id, struct err *err)
{
	autofree char *path = without_slashes(fs);

	if (!path)
		return err_set_errno(err, -ENOMEM, "%s", fs);
	return find_filesystem(store, fs, path, filesystem_id, err);
}

int store_check_filesystem(struct store *store, const char *fs, struct err *err)
{
	int64_t filesystem_id;

	return store_find_filesystem(store, fs, &filesystem_id, err);
}
