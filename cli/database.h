/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the database lies, and opening it. */
#ifndef CLI_DATABASE_H
#define CLI_DATABASE_H

#include "cli/options.h"
#include "storage/store.h"

/*
 * The database's path, to be freed: --db, else $XFSCENSUS_DB, else
 * /var/lib/xfscensus/xfscensus.db for root, else xfscensus/xfscensus.db in $XDG_STATE_HOME or
 * ~/.local/state. NULL with a message in @err.
 */
char *database_path(const struct common_args *args, struct err *err);

/*
 * Opens it; for writing, only if what comes of that can be shown, see output_check(). Returns 0 or
 * a negative errno with a message.
 */
int database_open(const struct common_args *args, enum store_mode mode, struct store **store,
	struct err *err);

/* Stores something; negative errno with a message. May be called more than once. */
typedef int database_work(struct store *store, void *context, struct err *err);

/* How long to wait for others with what took long to come by. */
#define DATABASE_PATIENCE_SECONDS 300

/*
 * Does @work; if others have had the database locked for a few seconds, tells the user and tries
 * once more, now waiting for up to @patience_seconds. Returns what @work returned last.
 */
int database_write(const struct common_args *args, struct store *store, double patience_seconds,
	database_work *work, void *context, struct err *err);

/*
 * What --fs=@fs means to the store: an id as it is; a path as the store writes it, which is
 * absolute and without links, if there is such a path today. To be freed; NULL if @fs is NULL, and
 * with a message if there is no memory.
 */
char *database_fs(struct store *store, const char *fs, struct err *err);

#endif
