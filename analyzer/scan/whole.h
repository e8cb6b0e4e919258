/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engine that counts a whole filesystem says to who named a part of it. */
#ifndef ANALYZER_SCAN_WHOLE_H
#define ANALYZER_SCAN_WHOLE_H

#include "analyzer/census/scan_info.h"
#include "analyzer/scan/target.h"

/*
 * Says so in info->engine_reason, if it is. Where no mount shows the filesystem's root,
 * info->mount_point becomes NULL: paths begin at that root, as those of an image do.
 */
void whole_tell(const struct scan_target *target, struct scan_info *info);

#endif
