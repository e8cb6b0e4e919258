// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See estimate.h.
 *
 * Neighbours: below the smallest class to go by, a file costs what one of that class costs, since
 * the way to it is what takes the time. Above the largest, its data costs in proportion to its
 * bytes. Between two, the data seconds of a file lie on a straight line in logarithms of bytes and
 * seconds, which holds where seeks dominate, where transfer does, and passably in between.
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

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRETCHES   8
#define STRETCH_MIN 3 /* runs */

/* The sums of a class over a sample. */
struct class_sums {
	double files;
	double stream_bytes;
	double file_seconds;
	double data_seconds;
};

static struct class_cost cost_of(const struct class_sums *sums)
{
	struct class_cost cost = {.files = (uint64_t)sums->files};

	if (cost.files < ESTIMATE_MIN_FILES)
		return cost;
	cost.file_seconds = sums->file_seconds / sums->files;
	cost.data_seconds = sums->data_seconds / sums->files;
	cost.stream_bytes = sums->stream_bytes / sums->files;
	if (sums->stream_bytes > 0)
		cost.seconds_per_byte = sums->data_seconds / sums->stream_bytes;
	return cost;
}

int estimate_costs(
	const struct calibration *calibration, const uint32_t *weights, struct cost_table *table)
{
	struct class_sums sums[SIZE_CLASSES] = {0};

	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];
		double weight = weights ? weights[cell->run] : 1;
		struct class_sums *to = &sums[cell->size_class];

		to->files += weight * (double)cell->files;
		to->stream_bytes += weight * (double)cell->stream_bytes;
		to->file_seconds += weight * cell->file_seconds;
		to->data_seconds += weight * cell->data_seconds;
	}
	table->sampled = 0;
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		table->classes[i] = cost_of(&sums[i]);
		table->sampled += table->classes[i].files >= ESTIMATE_MIN_FILES;
	}
	return table->sampled ? 0 : -ENODATA;
}

/* The nearest class to go by from @from on, in steps of @step; NULL if there is none. */
static const struct class_cost *neighbour(const struct cost_table *table, int from, int step)
{
	for (int i = from; i >= 0 && i < SIZE_CLASSES; i += step)
		if (table->classes[i].files >= ESTIMATE_MIN_FILES)
			return &table->classes[i];
	return NULL;
}

/* Data seconds of a file of @bytes, on the line through two classes. */
static double between(const struct class_cost *below, const struct class_cost *above, double bytes)
{
	double span = log(above->stream_bytes) - log(below->stream_bytes);
	double at;

	if (below->data_seconds <= 0 || above->data_seconds <= 0 || span <= 0)
		return above->data_seconds;
	at = fmin(1, fmax(0, (log(bytes) - log(below->stream_bytes)) / span));
	return exp(log(below->data_seconds) * (1 - at) + log(above->data_seconds) * at);
}

static struct load_seconds borrow(
	const struct cost_table *table, unsigned size_class, const struct class_load *load)
{
	const struct class_cost *below = neighbour(table, (int)size_class - 1, -1);
	const struct class_cost *above = neighbour(table, (int)size_class + 1, 1);
	const struct class_cost *nearest = below ? below : above;
	double files = (double)load->files;
	struct load_seconds seconds = {
		.file_seconds = files * nearest->file_seconds, .borrowed = true};

	if (!size_class)
		return seconds;
	if (below && above)
		seconds.data_seconds =
			files * between(below, above, (double)load->stream_bytes / files);
	else if (below)
		seconds.data_seconds = fmax(files * below->data_seconds,
			(double)load->stream_bytes * below->seconds_per_byte);
	else
		seconds.data_seconds = files * above->data_seconds;
	return seconds;
}

struct load_seconds estimate_load(
	const struct cost_table *table, unsigned size_class, const struct class_load *load)
{
	const struct class_cost *cost = &table->classes[size_class];

	if (!load->files)
		return (struct load_seconds){0};
	if (cost->files < ESTIMATE_MIN_FILES)
		return borrow(table, size_class, load);
	return (struct load_seconds){
		.file_seconds = (double)load->files * cost->file_seconds,
		.data_seconds = (double)load->stream_bytes * cost->seconds_per_byte,
	};
}

static double total_seconds(const struct cost_table *table,
	const struct class_load loads[SIZE_CLASSES], double *borrowed)
{
	double total = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		struct load_seconds seconds = estimate_load(table, i, &loads[i]);

		total += seconds.file_seconds + seconds.data_seconds;
		if (seconds.borrowed && borrowed)
			*borrowed += seconds.file_seconds + seconds.data_seconds;
	}
	return total;
}

/* Runs that a cell names; those without a regular file have none, and say as much as others. */
static uint32_t count_runs(const struct calibration *calibration)
{
	uint32_t runs = calibration->runs;

	for (size_t i = 0; i < calibration->cell_count; i++)
		if (calibration->cells[i].run >= runs)
			runs = calibration->cells[i].run + 1;
	return runs;
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
		struct load_seconds told = estimate_load(table, cell->size_class, &load);

		runs[cell->run].actual += cell->file_seconds + cell->data_seconds;
		runs[cell->run].told += told.file_seconds + told.data_seconds;
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
	uint32_t count = count_runs(calibration);
	struct run_seconds *runs;

	*drift = 0;
	if (count < STRETCHES * STRETCH_MIN)
		return 0;
	runs = calloc(count, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	sum_runs(calibration, table, runs);
	*drift = sqrt(drift_variance(runs, count));
	free(runs);
	return 0;
}

static void draw_weights(uint32_t *weights, uint32_t runs, struct random *random)
{
	memset(weights, 0, runs * sizeof(*weights));
	for (uint32_t i = 0; i < runs; i++)
		weights[random_below(random, runs)]++;
}

/* The standard error, not yet corrected for how many runs there are. */
static double resample(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], uint32_t *weights, uint32_t runs,
	unsigned replicates, struct random *random)
{
	double mean = 0, squares = 0;
	unsigned taken = 0;

	for (unsigned i = 0; i < replicates; i++) {
		struct cost_table table;
		double seconds, from_mean;

		draw_weights(weights, runs, random);
		if (estimate_costs(calibration, weights, &table))
			continue;
		seconds = total_seconds(&table, loads, NULL);
		from_mean = seconds - mean;
		mean += from_mean / ++taken;
		squares += from_mean * (seconds - mean);
	}
	return taken > 1 ? sqrt(squares / (taken - 1)) : 0;
}

int estimate_files(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], unsigned replicates, uint64_t seed,
	struct estimate *estimate)
{
	uint32_t runs = count_runs(calibration);
	struct random random = {.state = seed};
	struct cost_table table;
	uint32_t *weights;
	double left = 1;
	int rc = estimate_costs(calibration, NULL, &table);

	*estimate = (struct estimate){0};
	if (rc)
		return rc;
	estimate->seconds = total_seconds(&table, loads, &estimate->borrowed_seconds);
	rc = estimate_drift(calibration, &table, &estimate->drift);
	if (rc)
		return rc;
	if (runs < 2) {
		/* One run says nothing of the others: as if they spread by half of it. */
		estimate->standard_error = estimate->seconds / 2;
		estimate->freedom = 1;
		return 0;
	}
	weights = calloc(runs, sizeof(*weights));
	if (!weights)
		return -ENOMEM;
	if (calibration->runs_in_all)
		left = 1 - fmin(1, (double)runs / calibration->runs_in_all);
	estimate->standard_error =
		resample(calibration, loads, weights, runs, replicates, &random) *
		sqrt(left * runs / (runs - 1.0));
	estimate->freedom = runs - 1;
	free(weights);
	return 0;
}

/*
 * Student's t for 95 %, two-sided, by the first terms of its Cornish-Fisher expansion around the
 * normal's 1.96; below three degrees of freedom the values themselves.
 */
static double student_t(double freedom)
{
	const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (freedom < 2)
		return 12.706;
	if (freedom < 3)
		return 4.303;
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

double estimate_half_width(const struct estimate *estimate)
{
	return estimate->standard_error * student_t(estimate->freedom);
}
