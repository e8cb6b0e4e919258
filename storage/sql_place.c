// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the path still leads to the files that were opened.
 *
 * A scan may take hours, in which a person tidies up, restores a copy, or rotates files. SQLite
 * goes on writing into what it has open, whatever name that has by now, and in WAL mode without a
 * complaint. So the file, its log and the log's index are compared with what was opened: after
 * the lock to write is taken, before a commit and after it. They are ours to name: while a
 * connection is open, nobody who keeps to SQLite's locks removes or replaces one of them.
 */
#include "storage/sql_private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define COMPANION_BYTES (PATH_MAX + 8)

int sql_stat_companion(const struct sql *sql, const char *suffix, struct stat *st)
{
	char path[COMPANION_BYTES];

	snprintf(path, sizeof(path), "%s%s", sql->real_path, suffix);
	return stat(path, st) ? -errno : 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool leads_to(const char *path, const struct stat *then)
{
	struct stat now;

	return !stat(path, &now) && same_file(&now, then);
}

static bool has_companion(const struct sql *sql, const char *suffix, const struct stat *then)
{
	struct stat now;

	return !sql_stat_companion(sql, suffix, &now) && same_file(&now, then);
}

/* Reading opens the log if nothing has so far. */
int sql_note_log(struct sql *sql, struct err *err)
{
	int64_t objects;
	int rc = sql_exec_i64(sql, "SELECT count(*) FROM sqlite_master", &objects, err);

	if (rc)
		return rc;
	sql->has_log = !sql_stat_companion(sql, "-wal", &sql->log) &&
		       !sql_stat_companion(sql, "-shm", &sql->index);
	return sql->has_log ? sql_check_place(sql, err)
			    : err_set(err, -ESTALE, "%s: its log was removed", sql->path);
}

static int tell_replaced(const struct sql *sql, const char *suffix, struct err *err)
{
	return err_set(err, -ESTALE,
		"%s%s was removed or replaced while it was in use: nothing was stored; run the "
		"command again",
		sql->path, suffix);
}

int sql_check_place(const struct sql *sql, struct err *err)
{
	if (!leads_to(sql->path, &sql->opened) || !leads_to(sql->real_path, &sql->opened))
		return tell_replaced(sql, "", err);
	if (sql->has_log && !has_companion(sql, "-wal", &sql->log))
		return tell_replaced(sql, "-wal", err);
	if (sql->has_log && !has_companion(sql, "-shm", &sql->index))
		return tell_replaced(sql, "-shm", err);
	return 0;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool sql_unchanged(const struct sql *sql)
{
	const struct stat *then = &sql->opened;
	struct stat now;

	return !stat(sql->real_path, &now) && same_file(&now, then) &&
	       now.st_size == then->st_size && same_time(&now.st_mtim, &then->st_mtim);
}
