/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metadata that calibration found in memory, put at what the array takes for it: by the time of a
 * dump it will have left, and cannot be made to leave now without harm to others.
 */
#ifndef ANALYZER_WINDOW_COLD_H
#define ANALYZER_WINDOW_COLD_H

#include "analyzer/window/survey.h"
#include "analyzer/xfs/geometry.h"

/*
 * Adds to the inode map what its inode clusters would have taken that did not come from the device:
 * reads some of them from @array, in their order, for about @seconds. Nothing where most came from
 * the device, or for a NULL @array. Returns 0, -ENOMEM or an errno of bulkstat.
 */
int cold_inode_map(struct survey *survey, struct bulkstat *bulkstat, struct array *array,
	const struct xfs_geometry *geometry, double seconds, struct calibration_pass *pass);

/* Adds to the pass over directories a random read for each one whose blocks were in memory. */
void cold_directories(const struct survey *survey, const struct calibration *calibration,
	struct calibration_pass *pass);

#endif
