/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schema as a chain of steps, each of which leads from one version to the next.
 *
 * The version of a file is in its `user_version` (0: empty), whose it is in its `application_id`.
 * A file only goes forward, in one transaction: killed on the way, it is what it was.
 */
#ifndef STORAGE_SCHEMA_H
#define STORAGE_SCHEMA_H

#include "storage/sql.h"

struct schema {
	int64_t application_id; /* marks the files of a program, 1 to 2^31 - 1 */
	int version;            /* the newest, which is the number of steps */

	/* steps[i] leads from version i to i + 1: statements, NULL at the end */
	const char *const *const *steps;
};

/* That of this program. */
extern const struct schema store_schema;

/*
 * That the file has the newest version. -ENOENT empty; -EUCLEAN another program's; -EPROTO newer
 * than this program; -ESTALE older. Each with a message; the errors of sql.h besides.
 */
int schema_check(struct sql *sql, const struct schema *schema, struct err *err);

/* Brings the file to the newest version. -EUCLEAN and -EPROTO as above. */
int schema_migrate(struct sql *sql, const struct schema *schema, struct err *err);

#endif
