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

/* Opens it. Returns 0 or a negative errno with a message. */
int database_open(const struct common_args *args, enum store_mode mode, struct store **store,
	struct err *err);

#endif
