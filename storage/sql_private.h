/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sql.c and sql_connect.c share: the only headers and files that know SQLite. */
#ifndef STORAGE_SQL_PRIVATE_H
#define STORAGE_SQL_PRIVATE_H

#include "storage/sql.h"

#include <sqlite3.h>
#include <sys/stat.h>

struct sql {
	sqlite3 *db;
	char *path;         /* as given */
	char *real_path;    /* what SQLite opens, links resolved */
	bool immutable;     /* opened so: see sql_connect.c */
	struct stat opened; /* the file as it was then */
};

/* Turns @rc, a code of SQLite's, into a negative errno and a message. */
int sql_fail(const struct sql *sql, int rc, struct err *err);

/* Whether a file opened as immutable is still the one that was opened. */
bool sql_unchanged(const struct sql *sql);

#endif
