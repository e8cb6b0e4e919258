/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam: all SQL of the program passes through these functions, and only sql.c knows SQLite.
 *
 * Every return code of the library is looked at. A failure becomes a negative errno and one line
 * that names the file and says what to do. Values are bound and taken in the order in which they
 * stand in the statement; what goes wrong with one of them is kept and told by the next
 * sql_step(), sql_run() or sql_check(), so that a row is a list of calls and one check.
 */
#ifndef STORAGE_SQL_H
#define STORAGE_SQL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sql;       /* a connection, for one thread at a time */
struct sql_query; /* a prepared statement */

enum sql_mode {
	SQL_READ,  /* changes nothing and makes no file, where that is possible (see sql.c) */
	SQL_WRITE, /* the file must exist, it may be empty */
};

/*
 * Opens the database file @path, which must exist. Little is read yet: that it is no database, or
 * locked, shows with the first statement.
 *
 * Errors of this and all functions below: -ENOMEM; -EBUSY locked by others for longer than a few
 * seconds; -ENOSPC; -EROFS, -EACCES; -EUCLEAN not a database or damaged; -EINVAL a value that a
 * CHECK forbids; -EIO and other codes of the system.
 */
int sql_open(struct sql **sql, const char *path, enum sql_mode mode, struct err *err);
void sql_close(struct sql *sql);

/* The path as given to sql_open(), for messages. */
const char *sql_path(const struct sql *sql);

/*
 * Goes over to write-ahead logging, or finds it on already. @on tells whether the filesystem can
 * do that (it needs shared memory); where it cannot, the rollback journal stays.
 */
int sql_use_wal(struct sql *sql, bool *on, struct err *err);

/* Moves what the write-ahead log holds into the file and empties the log, unless others read. */
int sql_checkpoint(struct sql *sql, struct err *err);

/* How long statements wait for others who have the file locked. */
int sql_set_patience(struct sql *sql, double seconds, struct err *err);

/* Runs statements that return nothing. */
int sql_exec(struct sql *sql, const char *text, struct err *err);

/* Runs a statement that returns one integer. */
int sql_exec_i64(struct sql *sql, const char *text, int64_t *value, struct err *err);

/*
 * Starts a transaction that may write; waits for others to end theirs. -ESTALE if the file that was
 * opened, or its log, is no longer what the path leads to.
 */
int sql_begin(struct sql *sql, struct err *err);

/*
 * Ends it: commits if @rc is 0, else or if that fails undoes everything. Returns the outcome;
 * -ESTALE as above: 0 says that what was stored is where the path leads to.
 */
int sql_end(struct sql *sql, int rc, struct err *err);

/* The id that the last INSERT made, and the rows that the last statement changed. */
int64_t sql_last_id(const struct sql *sql);
int64_t sql_changes(const struct sql *sql);

/* Prepares a statement. */
int sql_prepare(struct sql *sql, struct sql_query **query, const char *text, struct err *err);
void sql_query_free(struct sql_query *query);

/*
 * Prepares an INSERT of @rows rows at once into @table, given as `name (column, …)` with @columns
 * columns. Many rows in a statement take half the time of as many statements.
 */
int sql_prepare_insert(struct sql *sql, struct sql_query **query, const char *table, int columns,
	int rows, struct err *err);

static inline void cleanup_sql_query(struct sql_query **query)
{
	sql_query_free(*query);
}

#define autoquery __attribute__((cleanup(cleanup_sql_query)))

/* Bind the next parameter. Texts and blobs must live until the statement has run; NULL is NULL. */
void sql_bind_i64(struct sql_query *query, int64_t value);
void sql_bind_u64(struct sql_query *query, uint64_t value); /* above 2^63 - 1: 2^63 - 1 */
void sql_bind_double(struct sql_query *query, double value);
void sql_bind_text(struct sql_query *query, const char *text);
void sql_bind_bytes(struct sql_query *query, const char *bytes); /* NUL-terminated, as a BLOB */
void sql_bind_blob(struct sql_query *query, const void *bytes, size_t length); /* never NULL */
void sql_bind_null(struct sql_query *query);

/* Goes to the next row: 1 if there is one, 0 at the end (ready to be bound and run anew). */
int sql_step(struct sql_query *query, struct err *err);

/* Runs a statement that returns no row and makes it ready to be bound anew. */
int sql_run(struct sql_query *query, struct err *err);

/* What went wrong with the values bound or taken since the last step; 0 if nothing. */
int sql_check(struct sql_query *query, struct err *err);

/*
 * Take the next column of the row. A value out of range, which only a damaged file can hold, gives
 * 0 or "" and is told by the next check.
 */
int64_t sql_take_i64(struct sql_query *query);
int64_t sql_take_between(struct sql_query *query, int64_t low, int64_t high);
uint64_t sql_take_u64(struct sql_query *query);
uint32_t sql_take_u32(struct sql_query *query);
unsigned sql_take_below(struct sql_query *query, unsigned limit);
double sql_take_seconds(struct sql_query *query); /* a double, finite and not negative */
void sql_take_into(struct sql_query *query, char *out, size_t out_bytes);

/* Whether the next column is NULL; it is still to be taken. */
bool sql_next_is_null(const struct sql_query *query);

/* The bytes of the column, valid until the next step, NULL for none; their number in @length. */
const void *sql_take_blob(struct sql_query *query, size_t *length);

/* The text or bytes of the column, NUL-terminated, to be freed; NULL where it is NULL. */
char *sql_take_string(struct sql_query *query);

#endif
