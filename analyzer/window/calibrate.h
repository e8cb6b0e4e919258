/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration: measures on a mounted XFS filesystem what a dump of it costs. */
#ifndef ANALYZER_WINDOW_CALIBRATE_H
#define ANALYZER_WINDOW_CALIBRATE_H

#include "analyzer/window/calibration.h"
#include "base/err.h"
#include "base/progress.h"

#include <stdint.h>

#define CALIBRATE_BUDGET_SECONDS 60.0

struct calibrate_options {
	const char *path;      /* the mount point, or anything on the filesystem */
	double budget_seconds; /* the most that it may take, > 0 */
	double precision;      /* end before if the 95 % interval is ± this part of the files */
	uint64_t seed;         /* of the choice of runs */
	bool nice;             /* pause for others, and let their reads go first */
	struct progress *progress; /* may be NULL */
};

/* CALIBRATE_BUDGET_SECONDS, ±2 %, a fixed seed, not nice. */
void calibrate_options_init(struct calibrate_options *options);

/*
 * Calibrates the filesystem that @fd (a directory) is open on. Fills @calibration, which the
 * caller frees with calibration_fini(), also after an error.
 *
 * Reads only: no access time changes, and pages leave the page cache again unless they had been
 * there. Inodes and directory entries stay in the kernel's caches as after any look at them. The
 * device is read past all caches, where it can be opened.
 *
 * Returns 0, also on a filesystem without files; -ECANCELED if the user stopped it; with a message:
 * -ENODATA if what was read is not enough to predict anything by (all in the page cache, or the
 * budget too small), -EOPNOTSUPP off XFS, -EPERM without CAP_SYS_ADMIN, -ENOMEM, errors of the
 * ioctls, with the place where they met damage.
 */
int calibrate_run(const struct calibrate_options *options, int fd, struct calibration *calibration,
	struct err *err);

#endif
