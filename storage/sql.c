// SPDX-License-Identifier: GPL-2.0-or-later
/* See sql.h: statements, their values and their failures. */
#include "storage/sql_private.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sql_query {
	struct sql *sql;
	sqlite3_stmt *statement;
	int parameter; /* bound so far */
	int column;    /* taken so far of this row */
	int kept;      /* first failure of a bind or a take, a code of SQLite's */
};

/* --- Errors ----------------------------------------------------------------------------------- */

/* The system's part in a failure: out of space shows in many codes. */
static int code_of_system(int system_errno)
{
	return system_errno == EDQUOT ? -ENOSPC : system_errno ? -system_errno : -EIO;
}

static int code_of(int rc, int system_errno)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
	case SQLITE_ERROR: /* a table or column that is not there */
		return -EUCLEAN;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_READONLY:
		return rc == SQLITE_READONLY_DBMOVED     ? -ESTALE
		       : rc == SQLITE_READONLY_DIRECTORY ? -EACCES
							 : -EROFS;
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return -EINVAL;
	case SQLITE_TOOBIG:
		return -E2BIG;
	case SQLITE_CANTOPEN:
		return system_errno ? code_of_system(system_errno) : -EACCES;
	case SQLITE_IOERR:
		return rc == SQLITE_IOERR_NOMEM ? -ENOMEM : code_of_system(system_errno);
	default:
		return -EIO;
	}
}

int sql_fail(const struct sql *sql, int rc, struct err *err)
{
	int code = code_of(rc, sqlite3_system_errno(sql->db));
	const char *path = sql->path;

	switch (code) {
	case -EBUSY:
		return err_set(err, code,
			"%s is locked by another process: try again once that is done "
			"(`fuser %s` names it)",
			path, path);
	case -ENOSPC:
		return err_set(err, code,
			"no space left for %s: nothing of this was stored; free some on its "
			"filesystem and run the command again",
			path);
	case -EUCLEAN:
		return err_set(err, code,
			"%s is not a database of xfscensus, or damaged (%s): move it aside, or "
			"name another file with --db",
			path,
			(rc & 0xff) == SQLITE_CORRUPT ? sqlite3_errstr(rc)
						      : sqlite3_errmsg(sql->db));
	case -EACCES:
	case -EROFS:
		return err_set(err, code,
			"%s cannot be used with your permissions (%s): it, %s-wal, %s-shm and "
			"their folder must be accessible",
			path, sqlite3_errmsg(sql->db), path, path);
	case -ENOMEM:
		return err_set(err, code, "%s: out of memory", path);
	default:
		return err_set(err, code, "%s: %s", path, sqlite3_errmsg(sql->db));
	}
}

/* --- Statements ------------------------------------------------------------------------------- */

int sql_exec(struct sql *sql, const char *text, struct err *err)
{
	int rc = sqlite3_exec(sql->db, text, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : sql_fail(sql, rc, err);
}

int sql_exec_i64(struct sql *sql, const char *text, int64_t *value, struct err *err)
{
	autoquery struct sql_query *query = NULL;
	int rc = sql_prepare(sql, &query, text, err);

	if (!rc)
		rc = sql_step(query, err);
	if (rc <= 0)
		return rc ? rc
			  : err_set(err, -EUCLEAN, "%s is damaged: no answer to %s", sql->path,
				    text);
	*value = sql_take_i64(query);
	return sql_check(query, err);
}

int sql_begin(struct sql *sql, struct err *err)
{
	int rc = sql_exec(sql, "BEGIN IMMEDIATE", err);

	if (!rc)
		rc = sql_check_place(sql, err);
	return rc ? sql_end(sql, rc, err) : 0;
}

/* A file replaced at the very moment of the commit must not find what was committed in its log. */
static int commit(struct sql *sql, struct err *err)
{
	int rc = sql_check_place(sql, err);

	if (!rc)
		rc = sql_exec(sql, "COMMIT", err);
	if (rc)
		return rc;
	rc = sql_check_place(sql, err);
	if (rc)
		(void)sql_checkpoint(sql, NULL);
	return rc;
}

int sql_end(struct sql *sql, int rc, struct err *err)
{
	if (!rc)
		rc = commit(sql, err);
	/* Some failures have undone the transaction by themselves. What fails here is undone by the
	 * next that opens the file. */
	if (rc && !sqlite3_get_autocommit(sql->db))
		(void)sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

int64_t sql_last_id(const struct sql *sql)
{
	return sqlite3_last_insert_rowid(sql->db);
}

int64_t sql_changes(const struct sql *sql)
{
	return sqlite3_changes(sql->db);
}

int sql_prepare(struct sql *sql, struct sql_query **query, const char *text, struct err *err)
{
	struct sql_query *made = calloc(1, sizeof(*made));
	int rc;

	if (!made)
		return err_set_errno(err, -ENOMEM, "%s", sql->path);
	made->sql = sql;
	rc = sqlite3_prepare_v2(sql->db, text, -1, &made->statement, NULL);
	if (rc != SQLITE_OK) {
		free(made);
		return sql_fail(sql, rc, err);
	}
	*query = made;
	return 0;
}

/* Puts @count times @text at @end, with a comma between; the new end. */
static char *put_list(char *end, const char *text, int count)
{
	for (int i = 0; i < count; i++)
		end = stpcpy(stpcpy(end, i ? "," : ""), text);
	return end;
}

int sql_prepare_insert(struct sql *sql, struct sql_query **query, const char *table, int columns,
	int rows, struct err *err)
{
	/* a row: "(", columns of "?,", ")," */
	size_t row_bytes = 2 * (size_t)columns + 3;
	autofree char *row = malloc(row_bytes);
	autofree char *text =
		malloc(sizeof("INSERT INTO  VALUES ") + strlen(table) + (size_t)rows * row_bytes);
	char *end;

	if (!row || !text)
		return err_set_errno(err, -ENOMEM, "%s", sql->path);
	strcpy(put_list(stpcpy(row, "("), "?", columns), ")");
	end = stpcpy(stpcpy(stpcpy(text, "INSERT INTO "), table), " VALUES ");
	put_list(end, row, rows);
	return sql_prepare(sql, query, text, err);
}

void sql_query_free(struct sql_query *query)
{
	if (!query)
		return;
	sqlite3_finalize(query->statement); /* repeats what the last step has told */
	free(query);
}

/* --- Values in -------------------------------------------------------------------------------- */

static void keep(struct sql_query *query, int rc)
{
	if (rc != SQLITE_OK && query->kept == SQLITE_OK)
		query->kept = rc;
}

void sql_bind_i64(struct sql_query *query, int64_t value)
{
	keep(query, sqlite3_bind_int64(query->statement, ++query->parameter, value));
}

void sql_bind_u64(struct sql_query *query, uint64_t value)
{
	sql_bind_i64(query, clamp_i64(value));
}

void sql_bind_double(struct sql_query *query, double value)
{
	keep(query, sqlite3_bind_double(query->statement, ++query->parameter, value));
}

void sql_bind_text(struct sql_query *query, const char *text)
{
	keep(query,
		sqlite3_bind_text(query->statement, ++query->parameter, text, -1, SQLITE_STATIC));
}

void sql_bind_bytes(struct sql_query *query, const char *bytes)
{
	keep(query, sqlite3_bind_blob64(query->statement, ++query->parameter, bytes,
			    bytes ? strlen(bytes) : 0, SQLITE_STATIC));
}

void sql_bind_blob(struct sql_query *query, const void *bytes, size_t length)
{
	keep(query, sqlite3_bind_blob64(query->statement, ++query->parameter, length ? bytes : "",
			    length, SQLITE_STATIC));
}

void sql_bind_null(struct sql_query *query)
{
	keep(query, sqlite3_bind_null(query->statement, ++query->parameter));
}

/* --- Running ---------------------------------------------------------------------------------- */

int sql_check(struct sql_query *query, struct err *err)
{
	return query->kept == SQLITE_OK ? 0 : sql_fail(query->sql, query->kept, err);
}

int sql_step(struct sql_query *query, struct err *err)
{
	int rc = sql_check(query, err);

	if (rc)
		return rc;
	query->column = 0;
	rc = sqlite3_step(query->statement);
	if (rc == SQLITE_ROW)
		return 1;
	query->parameter = 0;
	if (query->sql->immutable && !sql_unchanged(query->sql))
		return err_set(err, -EBUSY,
			"%s was written while it was read: run the command again",
			query->sql->path);
	if (rc != SQLITE_DONE)
		return sql_fail(query->sql, rc, err);
	rc = sqlite3_reset(query->statement);
	return rc == SQLITE_OK ? 0 : sql_fail(query->sql, rc, err);
}

int sql_run(struct sql_query *query, struct err *err)
{
	int rc = sql_step(query, err);

	return rc > 0 ? err_set(err, -EIO, "%s: a row where none belongs", query->sql->path) : rc;
}

/* --- Values out ------------------------------------------------------------------------------- */

int64_t sql_take_i64(struct sql_query *query)
{
	return sqlite3_column_int64(query->statement, query->column++);
}

int64_t sql_take_between(struct sql_query *query, int64_t low, int64_t high)
{
	int64_t value = sql_take_i64(query);

	if (value >= low && value <= high)
		return value;
	keep(query, SQLITE_CORRUPT);
	return 0;
}

uint64_t sql_take_u64(struct sql_query *query)
{
	return (uint64_t)sql_take_between(query, 0, INT64_MAX);
}

uint32_t sql_take_u32(struct sql_query *query)
{
	return (uint32_t)sql_take_between(query, 0, UINT32_MAX);
}

unsigned sql_take_below(struct sql_query *query, unsigned limit)
{
	return (unsigned)sql_take_between(query, 0, (int64_t)limit - 1);
}

double sql_take_seconds(struct sql_query *query)
{
	double value = sqlite3_column_double(query->statement, query->column++);

	if (isfinite(value) && value >= 0)
		return value;
	keep(query, SQLITE_CORRUPT);
	return 0;
}

/* The bytes of the next column; NULL, and 0 of them, for NULL and for an empty one. */
static const void *take_bytes(struct sql_query *query, size_t *bytes)
{
	const void *start = sqlite3_column_blob(query->statement, query->column);

	*bytes = (size_t)sqlite3_column_bytes(query->statement, query->column++);
	return start;
}

void sql_take_into(struct sql_query *query, char *out, size_t out_bytes)
{
	size_t bytes;
	const void *start = take_bytes(query, &bytes);

	if (bytes >= out_bytes) {
		keep(query, SQLITE_CORRUPT);
		bytes = 0;
	}
	if (bytes)
		memcpy(out, start, bytes);
	out[bytes] = '\0';
}

bool sql_next_is_null(const struct sql_query *query)
{
	return sqlite3_column_type(query->statement, query->column) == SQLITE_NULL;
}

const void *sql_take_blob(struct sql_query *query, size_t *length)
{
	return take_bytes(query, length);
}

char *sql_take_string(struct sql_query *query)
{
	bool is_null = sqlite3_column_type(query->statement, query->column) == SQLITE_NULL;
	size_t bytes;
	const void *start = take_bytes(query, &bytes);
	char *copy;

	if (is_null)
		return NULL;
	copy = bytes && !start ? NULL : malloc(bytes + 1);
	if (!copy) {
		keep(query, SQLITE_NOMEM);
		return NULL;
	}
	if (bytes)
		memcpy(copy, start, bytes);
	copy[bytes] = '\0';
	return copy;
}
