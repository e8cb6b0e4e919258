// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/dump_base.h"

#include <errno.h>

int dump_base_of_level(struct store *store, const char *fs_id, unsigned level,
	int64_t *since_seconds, struct err *err)
{
	(void)store;
	(void)fs_id;
	(void)since_seconds;
	return err_set(err, -ENODATA,
		"--level=%u takes what changed since a dump of a lower level, and none is known: "
		"say "
		"since when with --since=TIME (xfsdump -I lists the sessions)",
		level);
}
