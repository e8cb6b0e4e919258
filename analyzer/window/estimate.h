/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a sample of runs to what all files of a filesystem cost, and how sure that is.
 */
#ifndef ANALYZER_WINDOW_ESTIMATE_H
#define ANALYZER_WINDOW_ESTIMATE_H

#include "analyzer/window/cost_table.h"

/* An estimate of all files: seconds and their standard error. */
struct estimate {
	double seconds;
	double standard_error; /* by resampling runs; 0 if all runs were sampled */
	double freedom;        /* degrees of freedom: runs - 1 */
	double error_seconds;  /* half of a 95 % interval that resampling cannot tell */
	double drift;          /* see estimate_drift() */
};

/*
 * Estimates what @loads (one for each class) cost, with @replicates resamples of the runs drawn
 * from a generator started at @seed. Returns 0, -ENODATA if nothing was sampled that any of them
 * can be priced by, -EINVAL for more runs than CALIBRATION_MAX_RUNS, -ENOMEM.
 */
int estimate_files(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], unsigned replicates, uint64_t seed,
	struct estimate *estimate);

/*
 * How much the speed of the array drifted while the runs were sampled, as a part of itself: the
 * standard deviation of stretches of consecutive runs from what @table says of them, beyond what
 * single runs differ. Load by others makes it large; 0 for fewer than 24 runs. Returns 0, -EINVAL
 * as above, or -ENOMEM.
 */
int estimate_drift(
	const struct calibration *calibration, const struct cost_table *table, double *drift);

/* Half the width of the 95 % interval: standard error × Student's t. */
double estimate_half_width(const struct estimate *estimate);

#endif
