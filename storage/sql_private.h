/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sql.c and sql_connect.c share: the only headers and files that know SQLite. */
#ifndef STORAGE_SQL_PRIVATE_H
#define STORAGE_SQL_PRIVATE_H

#include "storage/sql.h"

#include <sqlite3.h>
#include <sys/stat.h>

struct sql {
	sqlite3 *db;
	char *path;                /* as given */
	char *real_path;           /* what SQLite opens, links resolved */
	bool immutable;            /* opened so: see sql_connect.c */
	int patience_milliseconds; /* how long to wait for a lock */
	struct stat opened;        /* the file as it was then */
	bool has_log;              /* the next two are known: see sql_place.c */
	struct stat log, index;    /* FILE-wal and FILE-shm as they were then */
};

/* Turns @rc, a code of SQLite's, into a negative errno and a message. */
int sql_fail(const struct sql *sql, int rc, struct err *err);

/* Whether a file opened as immutable is still the one that was opened, with what it held. */
bool sql_unchanged(const struct sql *sql);

/* FILE-wal or FILE-shm by their suffix: 0 or a negative errno. */
int sql_stat_companion(const struct sql *sql, const char *suffix, struct stat *st);

/* Notes which files the write-ahead log uses, once it is in use. */
int sql_note_log(struct sql *sql, struct err *err);

/* That the path still leads to the file that was opened, and to its log. -ESTALE with a message. */
int sql_check_place(const struct sql *sql, struct err *err);

#endif
