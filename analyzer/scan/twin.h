/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clones: filesystems are known by their UUID, and a snapshot or a copy has that of its origin.
 * The database takes the scans of both for one history. That may be what is wanted (a snapshot is
 * scanned in place of its origin) or not, so whoever scans should know.
 */
#ifndef ANALYZER_SCAN_TWIN_H
#define ANALYZER_SCAN_TWIN_H

#include "analyzer/scan/target.h"

/*
 * Another XFS filesystem with the UUID of @target that is mounted now on another device, as
 * "DEVICE at MOUNT POINT", to be freed. NULL if there is none, or none that can be seen; also for
 * an image, which may be what another device shows, and without memory.
 */
char *twin_of(const struct scan_target *target);

#endif
