/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a sample of runs to what all files of a filesystem cost, and how sure that is.
 *
 * A class costs files × (seconds per file) + stream bytes × (seconds per stream byte). Both rates
 * are sums over the sample divided by each other (ratio estimates), and what they are multiplied
 * by is known for the whole filesystem from its census, so it does not matter much that the sample
 * has a few big files too many. A class with too few files in the sample takes what its neighbours
 * say of files of its size.
 */
#ifndef ANALYZER_WINDOW_ESTIMATE_H
#define ANALYZER_WINDOW_ESTIMATE_H

#include "analyzer/census/size_class.h"
#include "analyzer/window/calibration.h"

#include <stdbool.h>

/* Fewer files of a class than this in the sample, and its neighbours are asked instead. */
#define ESTIMATE_MIN_FILES 3

/* What there is of a class in a filesystem, or a part of it. */
struct class_load {
	uint64_t files;
	uint64_t stream_bytes; /* Σ dump_stream_inode_bytes() */
};

/* What a class costs, from a sample. */
struct class_cost {
	uint64_t files;          /* in the sample; below ESTIMATE_MIN_FILES: not to go by */
	double file_seconds;     /* per file */
	double data_seconds;     /* of reading, per file */
	double stream_bytes;     /* per file */
	double seconds_per_byte; /* of reading, per stream byte */
};

struct cost_table {
	struct class_cost classes[SIZE_CLASSES];
	unsigned sampled; /* classes to go by */
};

/* What a load costs. */
struct load_seconds {
	double file_seconds;
	double data_seconds;
	bool borrowed; /* by the rates of other classes */
};

/*
 * The costs from @calibration, its run r counted weights[r] times (NULL: once). Returns 0, or
 * -ENODATA if there is no class to go by.
 */
int estimate_costs(
	const struct calibration *calibration, const uint32_t *weights, struct cost_table *table);

/* What @load of @size_class costs. @table must be one that estimate_costs() returned 0 for. */
struct load_seconds estimate_load(
	const struct cost_table *table, unsigned size_class, const struct class_load *load);

/* An estimate of all files: seconds and their standard error. */
struct estimate {
	double seconds;
	double standard_error;   /* by resampling runs; 0 if all runs were sampled */
	double freedom;          /* degrees of freedom: runs - 1 */
	double borrowed_seconds; /* of it, by the rates of other classes */
	double drift;            /* see estimate_drift() */
};

/*
 * Estimates what @loads (one for each class) cost, with @replicates resamples of the runs drawn
 * from a generator started at @seed. Returns 0, -ENODATA, -ENOMEM.
 */
int estimate_files(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], unsigned replicates, uint64_t seed,
	struct estimate *estimate);

/*
 * How much the speed of the array drifted while the runs were sampled, as a part of itself: the
 * standard deviation of stretches of consecutive runs from what @table says of them, beyond what
 * single runs differ. Load by others makes it large; 0 for fewer than 24 runs. Returns 0 or
 * -ENOMEM.
 */
int estimate_drift(
	const struct calibration *calibration, const struct cost_table *table, double *drift);

/* Half the width of the 95 % interval: standard error × Student's t. */
double estimate_half_width(const struct estimate *estimate);

#endif
