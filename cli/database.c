// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/database.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "cli/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path_under(const char *folder, const char *rest)
{
	char *path;

	return asprintf(&path, "%s%s", folder, rest) < 0 ? NULL : path;
}

char *database_path(const struct common_args *args, struct err *err)
{
	const char *named = args->db ? args->db : getenv("XFSCENSUS_DB");
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path;

	if (named && *named)
		path = strdup(named);
	else if (geteuid() == 0)
		path = strdup("/var/lib/xfscensus/xfscensus.db");
	else if (state && *state == '/')
		path = path_under(state, "/xfscensus/xfscensus.db");
	else if (home && *home == '/')
		path = path_under(home, "/.local/state/xfscensus/xfscensus.db");
	else {
		err_set(err, -ENOENT,
			"no place for the database: set --db=FILE, XFSCENSUS_DB or HOME");
		return NULL;
	}
	if (!path)
		err_set(err, -ENOMEM, "out of memory");
	return path;
}

/* A folder that the user named wrongly should not come to life: only our own is made. */
static int check_folder(const struct common_args *args, const char *path, struct err *err)
{
	autofree char *copy = strdup(path);
	struct stat st;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	if ((!args->db && !getenv("XFSCENSUS_DB")) || !stat(dirname(copy), &st))
		return 0;
	return err_set_errno(
		err, -errno, "no folder for the database %s: make it, or correct --db", path);
}

int database_open(
	const struct common_args *args, enum store_mode mode, struct store **store, struct err *err)
{
	autofree char *path = database_path(args, err);
	int rc = path ? check_folder(args, path, err) : err->code;

	if (!rc && mode == STORE_WRITE)
		rc = output_check(args, err);
	if (!rc)
		rc = store_open(store, path, mode, err);

	if (!rc && store_note(*store))
		output_note(args, "%s", store_note(*store));
	return rc;
}

int database_write(const struct common_args *args, struct store *store, double patience_seconds,
	database_work *work, void *context, struct err *err)
{
	char patience[UNIT_TEXT_BYTES];
	int rc = work(store, context, err);

	if (rc != -EBUSY)
		return rc;
	output_note(args, "the database is locked by another process; waiting for up to %s",
		unit_format_seconds(patience_seconds, patience));
	err_clear(err);
	rc = store_set_patience(store, patience_seconds, err);
	return rc ? rc : work(store, context, err);
}

char *database_fs(struct store *store, const char *fs, struct err *err)
{
	bool is_path = fs && (strchr(fs, '/') || store_check_filesystem(store, fs, NULL));
	char *name = is_path ? realpath(fs, NULL) : NULL;

	if (fs && !name)
		name = strdup(fs);
	if (fs && !name)
		err_set(err, -ENOMEM, "out of memory");
	return name;
}
