// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/dump_base.h"

#include <errno.h>

int dump_base_of_level(struct store *store, const char *fs_id, unsigned level,
	int64_t *since_seconds, struct err *err)
{
	int rc = store_find_base(store, fs_id, level, since_seconds, err);

	if (rc != -ENOENT)
		return rc;
	return err_set(err, -ENODATA,
		"--level=%u takes what changed since a dump of a lower level, and none is known: "
		"read its log with xfscensus learn, or say since when with --since=TIME "
		"(xfsdump -I lists the sessions)",
		level);
}
