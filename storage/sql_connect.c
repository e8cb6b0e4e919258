// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a database file, and its write-ahead log.
 *
 * Reading without writing. A database in WAL mode wants its companions FILE-wal and FILE-shm, and
 * SQLite makes them even for a reader; one without write access to the folder, or on a read-only
 * filesystem, then fails. Two measures against that:
 *
 * - A writer leaves the companions behind when it closes, the log emptied (PERSIST_WAL and a
 *   journal size limit of 0). With them there, SQLite lets anybody read who may read the files.
 * - Where they are missing (a copy of the file alone; another program that tidied up), nobody has
 *   the database open and the file is whole, so that it is opened as `immutable`: no locks, no
 *   companions. A writer that comes along later would not know of us; hence the file's identity,
 *   size and times are compared at the end of each query, and a change is told as -EBUSY.
 */
#include "storage/sql_private.h"

#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUSY_MILLISECONDS  5000
#define RETRY_MILLISECONDS 10

/* Negative for KiB. Holds the pages of a large scan, so that none is written twice. */
#define CACHE_KIB "-16384"

/* A database's first bytes; byte 18 says which kind of journal it wants (2: WAL). */
#define HEADER_BYTES        20
#define HEADER_JOURNAL      18
#define HEADER_JOURNAL_WAL  2
#define URI_BYTES_EACH_BYTE 3

/* The size of FILE-wal or FILE-shm, or -1 if there is none. */
static off_t companion_bytes(const struct sql *sql, const char *suffix)
{
	struct stat st;

	return sql_stat_companion(sql, suffix, &st) ? -1 : st.st_size;
}

/* `file://PATH` with all but the plainest bytes escaped, so that no name is taken for an option. */
static char *uri_of(const char *path, bool immutable)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	size_t bytes = sizeof("file://?immutable=1") + URI_BYTES_EACH_BYTE * strlen(path);
	char *uri = malloc(bytes);
	char *end = uri;

	if (!uri)
		return NULL;
	end = stpcpy(end, "file://");
	for (; *path; path++) {
		if (strchr(plain, *path))
			*end++ = *path;
		else
			end += sprintf(end, "%%%02X", (unsigned char)*path);
	}
	strcpy(end, immutable ? "?immutable=1" : "");
	return uri;
}

static int connect_file(struct sql *sql, enum sql_mode mode, struct err *err)
{
	int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	autofree char *uri = uri_of(sql->real_path, sql->immutable);
	int rc;

	if (!uri)
		return err_set_errno(err, -ENOMEM, "%s", sql->path);
	flags |= mode == SQL_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	rc = sqlite3_open_v2(uri, &sql->db, flags, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_extended_result_codes(sql->db, 1);
	return rc == SQLITE_OK ? 0 : sql_fail(sql, rc, err);
}

/* Whether the file is in WAL mode: asked of SQLite's own descriptor, since closing another one on
 * the same file would drop the locks that this process may hold. */
static bool wants_wal(const struct sql *sql)
{
	unsigned char header[HEADER_BYTES];
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
		!file || !file->pMethods)
		return false;
	if (file->pMethods->xRead(file, header, sizeof(header), 0) != SQLITE_OK)
		return false;
	return header[HEADER_JOURNAL] == HEADER_JOURNAL_WAL;
}

/* Opens again as immutable if nobody has the database open: see the top. */
static int settle_reader(struct sql *sql, struct err *err)
{
	if (companion_bytes(sql, "-shm") >= 0 || companion_bytes(sql, "-wal") > 0 ||
		!wants_wal(sql))
		return 0;
	sqlite3_close(sql->db);
	sql->db = NULL;
	sql->immutable = true;
	return connect_file(sql, SQL_READ, err);
}

static int switch_on(struct sql *sql, int option, struct err *err)
{
	int on = 0;
	int rc = sqlite3_db_config(sql->db, option, 1, &on);

	if (rc == SQLITE_OK && on)
		return 0;
	return err_set(err, -EIO, "%s: this SQLite (%s) lacks foreign keys", sql->path,
		sqlite3_libversion());
}

/*
 * FULL makes a commit wait for the disk, so that what was told to be stored is stored: one fsync a
 * scan is cheap. DEFENSIVE and an untrusted schema, because the file may come from anybody.
 */
static int configure(struct sql *sql, struct err *err)
{
	int persist = 1, off = 0;
	int rc = switch_on(sql, SQLITE_DBCONFIG_ENABLE_FKEY, err);

	if (rc)
		return rc;
	sql->patience_milliseconds = BUSY_MILLISECONDS;
	rc = sqlite3_busy_timeout(sql->db, sql->patience_milliseconds);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(sql->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &off);
	if (rc == SQLITE_OK)
		rc = sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
	if (rc != SQLITE_OK)
		return sql_fail(sql, rc, err);
	return sql_exec(sql,
		"PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 0; "
		"PRAGMA cell_size_check = ON; PRAGMA cache_size = " CACHE_KIB ";",
		err);
}

static int open_path(struct sql *sql, const char *path, enum sql_mode mode, struct err *err)
{
	int rc;

	sql->path = strdup(path);
	if (!sql->path)
		return err_set_errno(err, -ENOMEM, "%s", path);
	sql->real_path = realpath(path, NULL);
	if (!sql->real_path || stat(sql->real_path, &sql->opened))
		return err_set_errno(err, -errno, "%s", path);
	rc = connect_file(sql, mode, err);
	if (!rc && mode == SQL_READ)
		rc = settle_reader(sql, err);
	return rc ? rc : configure(sql, err);
}

int sql_open(struct sql **sql, const char *path, enum sql_mode mode, struct err *err)
{
	struct sql *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		return err_set_errno(err, -ENOMEM, "%s", path);
	rc = open_path(opened, path, mode, err);
	if (rc) {
		sql_close(opened);
		return rc;
	}
	*sql = opened;
	return 0;
}

void sql_close(struct sql *sql)
{
	if (!sql)
		return;
	sqlite3_close(sql->db);
	free(sql->path);
	free(sql->real_path);
	free(sql);
}

const char *sql_path(const struct sql *sql)
{
	return sql->path;
}

/* Codes by which a filesystem says that it has no shared memory for the log. */
static bool lacks_shared_memory(int rc, int system_errno)
{
	return system_errno != ENOSPC && system_errno != EDQUOT &&
	       (rc == SQLITE_IOERR_SHMOPEN || rc == SQLITE_IOERR_SHMMAP ||
		       rc == SQLITE_IOERR_SHMSIZE || rc == SQLITE_IOERR_SHMLOCK);
}

/* One try; a code of SQLite's. */
static int try_wal(struct sql *sql, bool *on)
{
	sqlite3_stmt *statement = NULL;
	const unsigned char *mode;
	int rc = sqlite3_prepare_v2(sql->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);

	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(statement);
	mode = rc == SQLITE_ROW ? sqlite3_column_text(statement, 0) : NULL;
	*on = mode && !strcmp((const char *)mode, "wal");
	sqlite3_finalize(statement);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int sql_set_patience(struct sql *sql, double seconds, struct err *err)
{
	double milliseconds = seconds * 1000;
	int rc;

	sql->patience_milliseconds = milliseconds < INT_MAX ? (int)milliseconds : INT_MAX;
	rc = sqlite3_busy_timeout(sql->db, sql->patience_milliseconds);
	return rc == SQLITE_OK ? 0 : sql_fail(sql, rc, err);
}

/*
 * Empties the log without waiting for readers. A long job keeps the file open: should somebody put
 * another file in its place meanwhile, pages that lie in the log would be taken for that file's.
 */
static int empty_log(struct sql *sql, struct err *err)
{
	double seconds = sql->patience_milliseconds / 1000.0;
	int rc;

	if (companion_bytes(sql, "-wal") <= 0)
		return 0;
	rc = sql_set_patience(sql, 0, err);
	if (!rc)
		rc = sql_checkpoint(sql, err);
	return rc ? rc : sql_set_patience(sql, seconds, err);
}

/* Going over takes an exclusive lock, for which SQLite does not wait: so this does. */
int sql_use_wal(struct sql *sql, bool *on, struct err *err)
{
	const struct timespec pause = {.tv_nsec = RETRY_MILLISECONDS * 1000000L};
	int tries = sql->patience_milliseconds / RETRY_MILLISECONDS;
	int rc;

	*on = false;
	while ((rc = try_wal(sql, on)) != SQLITE_OK && (rc & 0xff) == SQLITE_BUSY && tries-- > 0)
		nanosleep(&pause, NULL);
	if (rc != SQLITE_OK && !lacks_shared_memory(rc, sqlite3_system_errno(sql->db)))
		return sql_fail(sql, rc, err);
	if (!*on)
		return 0;
	rc = sql_note_log(sql, err);
	return rc ? rc : empty_log(sql, err);
}

int sql_checkpoint(struct sql *sql, struct err *err)
{
	int rc = sqlite3_wal_checkpoint_v2(sql->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	return rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY ? 0 : sql_fail(sql, rc, err);
}
