// SPDX-License-Identifier: GPL-2.0-or-later
/* See whole.h. Two engines share it. */
#include "analyzer/scan/whole.h"

#include <stdlib.h>

void whole_tell(const struct scan_target *target, struct scan_info *info)
{
	if (target->is_root)
		return;
	if (target->shows_root) {
		scan_info_add_reason(info, "counts the whole filesystem at %s, not only %s",
			target->mount_point, target->path);
		return;
	}
	scan_info_add_reason(info,
		"counts the whole filesystem, of which %s shows a part; paths begin at its root, "
		"which no mount shows",
		target->path);
	free(info->mount_point);
	info->mount_point = NULL;
}
