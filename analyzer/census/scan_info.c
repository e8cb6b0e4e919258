// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/census/scan_info.h"

#include <stdlib.h>
#include <string.h>

void scan_info_fini(struct scan_info *info)
{
	free(info->mount_point);
	free(info->device);
	free(info->path);
	free(info->engine_reason);
	memset(info, 0, sizeof(*info));
}
