/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time from which on a dump of a level takes what changed. */
#ifndef CLI_DUMP_BASE_H
#define CLI_DUMP_BASE_H

#include "base/err.h"
#include "storage/store.h"

/*
 * The start of the newest dump of filesystem @fs_id with a level below @level (1 to 9), in seconds
 * since 1970. -ENODATA with a message if none is known.
 */
int dump_base_of_level(struct store *store, const char *fs_id, unsigned level,
	int64_t *since_seconds, struct err *err);

#endif
