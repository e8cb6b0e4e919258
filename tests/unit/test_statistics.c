// SPDX-License-Identifier: GPL-2.0-or-later
/* Our statistics against those of the GNU Scientific Library, which were written by others. */
#include "tests/unit/near.h"

#include "analyzer/window/estimate.h"
#include "analyzer/window/learn.h"
#include "analyzer/window/random.h"
#include "base/cleanup.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <string.h>

#define RUNS       60
#define CASES      300
#define REPLICATES 4000

static gsl_rng *generator(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	assert_non_null(rng);
	gsl_rng_set(rng, seed);
	return rng;
}

static void students_t(void **state)
{
	(void)state;
	for (unsigned freedom = 1; freedom < 5000; freedom++) {
		const struct estimate estimate = {.standard_error = 1, .freedom = freedom};
		double t = gsl_cdf_tdist_Pinv(0.975, freedom);

		assert_near(estimate_half_width(&estimate), t, t * 0.002);
	}
}

/* The price of a byte is a fit through zero where what is read varies as its bytes do. */
static void prices_are_weighted_fits(void **state)
{
	gsl_rng *rng = generator(1);

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct calibration_cell cells[RUNS];
		const struct calibration calibration = {
			.runs = RUNS, .cells = cells, .cell_count = RUNS};
		double files[RUNS], bytes[RUNS], weights[RUNS], by_bytes[RUNS], by_files[RUNS];
		double data[RUNS], opening[RUNS], slope, variance, sum;
		uint32_t resampled[RUNS];
		struct cost_table table;

		for (unsigned run = 0; run < RUNS; run++) {
			files[run] = (double)(1 + gsl_rng_uniform_int(rng, 100));
			bytes[run] = files[run] * (double)(1000 + gsl_rng_uniform_int(rng, 9000));
			data[run] = bytes[run] * 1e-6 * gsl_ran_lognormal(rng, 0, 0.5);
			opening[run] = files[run] * 1e-4 * gsl_ran_lognormal(rng, 0, 0.5);
			resampled[run] = (uint32_t)gsl_rng_uniform_int(rng, 3);
			weights[run] = resampled[run];
			by_bytes[run] = weights[run] / bytes[run];
			by_files[run] = weights[run] / files[run];
			cells[run] = (struct calibration_cell){.run = run,
				.size_class = 14,
				.files = (uint64_t)files[run],
				.stream_bytes = (uint64_t)bytes[run],
				.file_seconds = opening[run],
				.data_seconds = data[run]};
		}
		cost_table_make(&calibration, resampled, &table);
		gsl_fit_wmul(bytes, 1, by_bytes, 1, data, 1, RUNS, &slope, &variance, &sum);
		assert_near(table.classes[14].seconds_per_byte, slope, slope * 1e-10);
		gsl_fit_wmul(files, 1, by_files, 1, opening, 1, RUNS, &slope, &variance, &sum);
		assert_near(table.classes[14].file_seconds, slope, slope * 1e-10);
		slope = gsl_stats_wmean(weights, 1, data, 1, RUNS) /
			gsl_stats_wmean(weights, 1, files, 1, RUNS);
		assert_near(table.classes[14].data_seconds, slope, slope * 1e-10);
	}
	gsl_rng_free(rng);
}

/* The standard error against runs that GSL resamples, and its own deviation of the outcome. */
static void standard_errors_are_a_bootstrap(void **state)
{
	gsl_rng *rng = generator(2);

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct calibration_cell cells[RUNS];
		const struct calibration calibration = {
			.runs = RUNS, .runs_in_all = 4 * RUNS, .cells = cells, .cell_count = RUNS};
		struct class_load loads[SIZE_CLASSES] = {[14] = {100000, 400000000}};
		double bytes[RUNS], data[RUNS], replicates[REPLICATES], wanted;
		struct estimate estimate;
		size_t order[RUNS], drawn[RUNS];

		for (unsigned run = 0; run < RUNS; run++) {
			bytes[run] = (double)(1000 + gsl_rng_uniform_int(rng, 900000));
			data[run] = bytes[run] * 1e-6 * gsl_ran_lognormal(rng, 0, 0.6);
			cells[run] = (struct calibration_cell){.run = run,
				.size_class = 14,
				.files = 10,
				.stream_bytes = (uint64_t)bytes[run],
				.data_seconds = data[run]};
			order[run] = run;
		}
		for (int replicate = 0; replicate < REPLICATES; replicate++) {
			double seconds = 0, read = 0;

			gsl_ran_sample(rng, drawn, RUNS, order, RUNS, sizeof(*order));
			for (int j = 0; j < RUNS; j++) {
				seconds += data[drawn[j]];
				read += bytes[drawn[j]];
			}
			replicates[replicate] = (double)loads[14].stream_bytes * seconds / read;
		}
		/* drawn without replacement from four times as many, and few */
		wanted = gsl_stats_sd(replicates, 1, REPLICATES) * sqrt(0.75 * RUNS / (RUNS - 1.0));
		assert_int_equal(estimate_files(&calibration, loads, REPLICATES, 9, &estimate), 0);
		assert_near(estimate.standard_error, wanted, wanted * 0.06);
	}
	gsl_rng_free(rng);
}

static void past_errors_are_medians(void **state)
{
	gsl_rng *rng = generator(3);

	(void)state;
	for (int i = 0; i < CASES; i++) {
		double ratios[LEARN_SHOWN], errors[LEARN_SHOWN];
		size_t count = 1 + gsl_rng_uniform_int(rng, LEARN_SHOWN);
		struct correction correction;

		for (size_t j = 0; j < count; j++) {
			ratios[j] = gsl_ran_lognormal(rng, 0.1, 0.4);
			errors[j] = 1 / ratios[j] - 1;
		}
		learn(ratios, count, &correction);
		assert_near(correction.lowest_error, gsl_stats_min(errors, 1, count), 1e-12);
		assert_near(correction.highest_error, gsl_stats_max(errors, 1, count), 1e-12);
		assert_near(correction.median_error, gsl_stats_median(errors, 1, count), 1e-12);
	}
	gsl_rng_free(rng);
}

/* Where no night is odd, the correction is a mean in which "no error" counts as one of them. */
static void corrections_are_weighted_means(void **state)
{
	gsl_rng *rng = generator(4);

	(void)state;
	for (int i = 0; i < CASES; i++) {
		double ratios[LEARN_LESSONS], logs[LEARN_LESSONS + 1] = {0};
		size_t count = 1 + gsl_rng_uniform_int(rng, LEARN_LESSONS);
		struct correction correction;
		double squares;

		for (size_t j = 0; j < count; j++) {
			logs[j] = gsl_ran_flat(rng, 0, 0.1);
			ratios[j] = exp(logs[j]);
		}
		logs[count] = 0;
		learn(ratios, count, &correction);
		assert_near(log(correction.factor), gsl_stats_mean(logs, 1, count + 1), 1e-9);
		squares = gsl_stats_tss_m(logs, 1, count, log(correction.factor));
		assert_near(correction.spread, sqrt(squares / (double)count), 1e-9);
	}
	gsl_rng_free(rng);
}

/* What the correction makes zero, for GSL to make zero. */
struct pulls {
	const double *logs;
	size_t count;
	double scale;
};

static double sum_of_pulls(double bias, void *context)
{
	const struct pulls *pulls = context;
	double sum = bias / 0.01;

	for (size_t i = 0; i < pulls->count; i++) {
		double off = (bias - pulls->logs[i]) / pulls->scale;

		sum += (fabs(off) > 1.345 ? copysign(1.345, off) : off) / pulls->scale;
	}
	return sum;
}

/* Odd nights among them: GSL's scale (median absolute deviation) and GSL's root. */
static void corrections_are_roots(void **state)
{
	gsl_rng *rng = generator(5);
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);

	(void)state;
	assert_non_null(solver);
	for (int i = 0; i < CASES; i++) {
		double ratios[LEARN_LESSONS], logs[LEARN_LESSONS], work[LEARN_LESSONS];
		struct pulls pulls = {logs, 1 + gsl_rng_uniform_int(rng, LEARN_LESSONS), 0};
		gsl_function function = {sum_of_pulls, &pulls};
		struct correction correction;

		for (size_t j = 0; j < pulls.count; j++) {
			double odd = gsl_rng_uniform_int(rng, 6) ? 0 : gsl_ran_flat(rng, -3, 3);

			logs[j] = 0.3 + odd + gsl_ran_gaussian(rng, 0.15);
			ratios[j] = exp(logs[j]);
		}
		pulls.scale = fmax(0.1, gsl_stats_mad(logs, 1, pulls.count, work));
		gsl_root_fsolver_set(solver, &function, -5, 5);
		do
			gsl_root_fsolver_iterate(solver);
		while (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
			       gsl_root_fsolver_x_upper(solver), 1e-11, 0) == GSL_CONTINUE);
		learn(ratios, pulls.count, &correction);
		assert_near(log(correction.factor), gsl_root_fsolver_root(solver), 1e-4);
	}
	gsl_root_fsolver_free(solver);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_t),
		cmocka_unit_test(prices_are_weighted_fits),
		cmocka_unit_test(standard_errors_are_a_bootstrap),
		cmocka_unit_test(past_errors_are_medians),
		cmocka_unit_test(corrections_are_weighted_means),
		cmocka_unit_test(corrections_are_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
