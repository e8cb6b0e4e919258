/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeping a policy brings: the census as if all came within their limits, and the backup
 * window of that.
 *
 * Whose files go is an assumption, always the same:
 * - Over a limit on counts (files, inodes, tiny files, their share, files per TB), files are
 *   packed into archives: tiny ones first, from all tiny classes in proportion, then those of the
 *   next classes, the smallest first. Directories stay. Holes do not get into the archives.
 * - Over a limit on bytes, files of all sizes go in proportion.
 * - Over a limit on age, old files go, as the ages know them.
 * All come down to their soft limit, or to the hard one where there is no soft one.
 */
#ifndef ANALYZER_POLICY_WITHIN_H
#define ANALYZER_POLICY_WITHIN_H

#include "analyzer/policy/evaluation.h"
#include "analyzer/window/calibration.h"
#include "base/err.h"

/*
 * Fills @after, initialised and empty, with the cube as it would be. Packed files lie in archives
 * of @archive_bytes; 0 leaves archives out. Returns 0 or -ENOMEM; @after is the caller's in any
 * case.
 */
int policy_within(const struct policy_material *material,
	const struct policy_evaluation *evaluation, uint64_t archive_bytes, struct cube *after);

/* What a window is predicted by. */
struct policy_window_basis {
	const struct calibration *calibration;
	double factor; /* of what was told of the scan as it is to its prediction_seconds() */
};

/*
 * The size of archives that packed files are put into: 1 GiB, or the largest class below that the
 * calibration has read a file of, so that the archives have a price; 0 if that is below 1 MiB.
 */
uint64_t policy_archive_bytes(const struct calibration *calibration);

/*
 * The predicted seconds of a level-0 dump once all came within their limits. Archives that the
 * calibration has no price for are left out. Returns 0; -ENODATA with a message if the calibration
 * cannot price the rest; -ENOMEM.
 */
int policy_window_after(const struct policy_material *material,
	const struct policy_evaluation *evaluation, const struct policy_window_basis *basis,
	double *seconds, struct err *err);

#endif
