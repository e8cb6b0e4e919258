// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See estimate.h.
 *
 * Error: resampling runs with replacement (bootstrap) gives the spread of the estimate, whatever
 * the files of a run have in common. With n runs it is too narrow by √((n-1)/n), and as the runs
 * were drawn without replacement from N, too wide by 1/√(1 - n/N); both are put right.
 *
 * Drift: the time of a run, less what its files should have cost, is noise if neighbours in time
 * differ as much as any two. Their differences tell the noise; what eight stretches of the sampling
 * stray from zero beyond it is drift.
 */
#include "analyzer/window/estimate.h"

#include "analyzer/window/random.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRETCHES   8
#define STRETCH_MIN 3 /* runs */

/*
 * Runs, what was picked among them; -EINVAL for too many. Runs without a regular file have no cell,
 * and say as much as others.
 */
static int64_t count_runs(const struct calibration *calibration)
{
	uint64_t runs =
		(uint64_t)calibration->runs + calibration->picked_runs + calibration->picked_files;

	for (size_t i = 0; i < calibration->cell_count; i++)
		if (calibration->cells[i].run >= runs)
			runs = (uint64_t)calibration->cells[i].run + 1;
	return runs <= CALIBRATION_MAX_RUNS ? (int64_t)runs : -EINVAL;
}

/* What a run took, and what it should have taken. */
struct run_seconds {
	double actual;
	double told;
};

static void sum_runs(const struct calibration *calibration, const struct cost_table *table,
	struct run_seconds *runs)
{
	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];
		const struct class_load load = {cell->files, cell->stream_bytes};
		struct load_seconds told = cost_of_load(table, cell->size_class, &load);

		runs[cell->run].actual += cell->file_seconds + cell->data_seconds;
		runs[cell->run].told += load_seconds_all(&told);
	}
}

/* The variance of a single run's excess, from those of neighbours in time. */
static double noise_variance(const struct run_seconds *runs, uint32_t count)
{
	double squares = 0;

	for (uint32_t i = 1; i < count; i++) {
		double step =
			(runs[i].actual - runs[i].told) - (runs[i - 1].actual - runs[i - 1].told);

		squares += step * step / 2;
	}
	return squares / (count - 1);
}

/* The variance of the speed between stretches beyond the noise, as a part of the speed squared. */
static double drift_variance(const struct run_seconds *runs, uint32_t count)
{
	double noise = noise_variance(runs, count), strayed = 0, by_noise = 0;

	for (uint32_t stretch = 0; stretch < STRETCHES; stretch++) {
		uint32_t first = (uint32_t)((uint64_t)count * stretch / STRETCHES);
		uint32_t end = (uint32_t)((uint64_t)count * (stretch + 1) / STRETCHES);
		double excess = 0, told = 0;

		for (uint32_t i = first; i < end; i++) {
			excess += runs[i].actual - runs[i].told;
			told += runs[i].told;
		}
		if (told > 0) {
			strayed += excess * excess / (told * told);
			by_noise += noise * (end - first) / (told * told);
		}
	}
	/* Noise alone is this far from itself in less than one case of fifty (χ² of 7). */
	if (strayed < 2.5 * by_noise)
		return 0;
	return (strayed - by_noise) / (STRETCHES - 1);
}

int estimate_drift(
	const struct calibration *calibration, const struct cost_table *table, double *drift)
{
	int64_t count = count_runs(calibration);
	struct run_seconds *runs;

	*drift = 0;
	if (count < 0)
		return (int)count;
	if (calibration->runs < STRETCHES * STRETCH_MIN)
		return 0;
	runs = calloc((size_t)count, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	sum_runs(calibration, table, runs);
	*drift = sqrt(drift_variance(runs, calibration->runs));
	free(runs);
	return 0;
}

/* Resamples the runs; what was picked counts once. */
static void draw_runs(uint32_t *weights, uint32_t runs, uint32_t with_picked, struct random *random)
{
	memset(weights, 0, runs * sizeof(*weights));
	for (uint32_t i = 0; i < runs; i++)
		weights[random_below(random, runs)]++;
	for (uint32_t i = runs; i < with_picked; i++)
		weights[i] = 1;
}

/*
 * Resamples the picked cells of each class among themselves: they lie in a row. One less is drawn
 * than there are, which for a ratio makes up for what a resample of few is too narrow by.
 */
static void draw_picked(
	uint32_t *weights, const struct calibration *calibration, struct random *random)
{
	const struct calibration_cell *cells = calibration->cells;
	size_t count = calibration->cell_count, first = 0, end;

	while (first < count && cells[first].run < calibration->runs)
		first++;
	for (; first < count; first = end) {
		for (end = first; end < count && cells[end].size_class == cells[first].size_class;
			end++)
			weights[cells[end].run] = 0;
		for (size_t i = first; i < end - (end - first > 1); i++)
			weights[cells[first + random_below(random, end - first)].run]++;
	}
}

/* The standard error. */
static double resample(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], uint32_t *weights, uint32_t with_picked,
	unsigned replicates, struct random *random)
{
	double mean = 0, squares = 0;

	for (unsigned i = 0; i < replicates; i++) {
		struct cost_table table;
		struct load_seconds seconds;
		double from_mean;

		draw_runs(weights, calibration->runs, with_picked, random);
		draw_picked(weights, calibration, random);
		cost_table_make(calibration, weights, &table);
		seconds = cost_of_loads(&table, loads);
		from_mean = load_seconds_all(&seconds) - mean;
		mean += from_mean / (i + 1);
		squares += from_mean * (load_seconds_all(&seconds) - mean);
	}
	return replicates > 1 ? sqrt(squares / (replicates - 1)) : 0;
}

/* The factor that makes the spread of resampled runs that of runs drawn from all there are. */
static double correction(const struct calibration *calibration)
{
	double runs = calibration->runs, left = 1;

	if (runs < 2)
		return 1;
	if (calibration->runs_in_all)
		left = 1 - fmin(1, runs / calibration->runs_in_all);
	return sqrt(left * runs / (runs - 1));
}

static int find_standard_error(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], unsigned replicates, uint64_t seed,
	struct estimate *estimate)
{
	struct random random = {.state = seed};
	int64_t with_picked = count_runs(calibration);
	uint32_t *weights;

	estimate->freedom = calibration->runs > 1 ? calibration->runs - 1 : 1;
	if (calibration->runs == 1 && calibration->runs_in_all > 1) {
		/* One run says nothing of the others: as if they spread by half of it. */
		estimate->standard_error = estimate->seconds / 2;
		return 0;
	}
	weights = calloc((size_t)with_picked + 1, sizeof(*weights));
	if (!weights)
		return -ENOMEM;
	estimate->standard_error =
		correction(calibration) *
		resample(calibration, loads, weights, (uint32_t)with_picked, replicates, &random);
	free(weights);
	return 0;
}

int estimate_files(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], unsigned replicates, uint64_t seed,
	struct estimate *estimate)
{
	struct cost_table table;
	struct load_seconds seconds;
	int rc;

	*estimate = (struct estimate){0};
	cost_table_make(calibration, NULL, &table);
	seconds = cost_of_loads(&table, loads);
	if (isinf(seconds.worst_seconds))
		return -ENODATA;
	estimate->seconds = load_seconds_all(&seconds);
	estimate->error_seconds = seconds.error_seconds;
	rc = estimate_drift(calibration, &table, &estimate->drift);
	return rc ? rc : find_standard_error(calibration, loads, replicates, seed, estimate);
}

/*
 * Student's t for 95 %, two-sided, by the first terms of its Cornish-Fisher expansion around the
 * normal's 1.96; below five degrees of freedom the values themselves.
 */
static double student_t(double freedom)
{
	static const double few[] = {12.7062, 12.7062, 4.3027, 3.1824, 2.7764};
	const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (freedom < ARRAY_LENGTH(few))
		return few[(unsigned)freedom];
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

double estimate_half_width(const struct estimate *estimate)
{
	return estimate->standard_error * student_t(estimate->freedom);
}
