// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See schema.h. Whose a file is and how old is read in one transaction, since another process may
 * be about to migrate it; what has been read before is read again once we hold the lock to write.
 */
#include "storage/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Enough for a pragma and a number. */
#define PRAGMA_BYTES 64

struct identity {
	int64_t application_id;
	int64_t version;
	int64_t objects; /* tables, indices and views */
};

/* To be called in a transaction. */
static int read_identity(struct sql *sql, struct identity *identity, struct err *err)
{
	int rc = sql_exec_i64(sql, "SELECT count(*) FROM sqlite_master", &identity->objects, err);

	if (!rc)
		rc = sql_exec_i64(sql, "PRAGMA user_version", &identity->version, err);
	if (!rc)
		rc = sql_exec_i64(sql, "PRAGMA application_id", &identity->application_id, err);
	return rc;
}

static bool is_empty(const struct identity *identity)
{
	return !identity->objects && !identity->version && !identity->application_id;
}

/* That the file is ours, or empty, and not newer than we are. */
static int check_identity(struct sql *sql, const struct schema *schema,
	const struct identity *identity, struct err *err)
{
	if (is_empty(identity))
		return 0;
	if (identity->application_id != schema->application_id || identity->version < 0)
		return err_set(err, -EUCLEAN,
			"%s is the database of another program: name another file with --db",
			sql_path(sql));
	if (identity->version > schema->version)
		return err_set(err, -EPROTO,
			"%s was written by a newer xfscensus (schema %" PRId64
			", this one knows %d): install that version",
			sql_path(sql), identity->version, schema->version);
	return 0;
}

int schema_check(struct sql *sql, const struct schema *schema, struct err *err)
{
	struct identity identity;
	int rc = read_identity(sql, &identity, err);

	if (!rc)
		rc = check_identity(sql, schema, &identity, err);
	if (rc)
		return rc;
	if (is_empty(&identity))
		return err_set(
			err, -ENOENT, "%s is empty: run `xfscensus scan` first", sql_path(sql));
	if (identity.version < schema->version)
		return err_set(err, -ESTALE,
			"%s was written by an older xfscensus (schema %" PRId64
			", this one reads %d): the next `xfscensus scan` brings it up to date",
			sql_path(sql), identity.version, schema->version);
	return 0;
}

/* One step and the mark that it is done. */
static int take_step(struct sql *sql, const struct schema *schema, int64_t from, struct err *err)
{
	char pragma[PRAGMA_BYTES];
	int rc = 0;

	for (const char *const *text = schema->steps[from]; *text && !rc; text++)
		rc = sql_exec(sql, *text, err);
	if (rc)
		return rc;
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %" PRId64, from + 1);
	return sql_exec(sql, pragma, err);
}

/* To be called in a transaction that may write. */
static int take_steps(struct sql *sql, const struct schema *schema, struct err *err)
{
	struct identity identity;
	char pragma[PRAGMA_BYTES];
	int rc = read_identity(sql, &identity, err);

	if (!rc)
		rc = check_identity(sql, schema, &identity, err);
	for (int64_t version = identity.version; !rc && version < schema->version; version++)
		rc = take_step(sql, schema, version, err);
	if (rc)
		return rc;
	snprintf(
		pragma, sizeof(pragma), "PRAGMA application_id = %" PRId64, schema->application_id);
	return sql_exec(sql, pragma, err);
}

static int migrate(struct sql *sql, const struct schema *schema, struct err *err)
{
	int rc = sql_begin(sql, err);

	return rc ? rc : sql_end(sql, take_steps(sql, schema, err), err);
}

int schema_migrate(struct sql *sql, const struct schema *schema, struct err *err)
{
	struct identity identity = {0};
	int rc = sql_exec(sql, "BEGIN", err);

	if (rc)
		return rc;
	rc = sql_end(sql, read_identity(sql, &identity, err), err);
	if (!rc)
		rc = check_identity(sql, schema, &identity, err);
	if (rc || identity.version == schema->version)
		return rc;
	return migrate(sql, schema, err);
}
