// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A class of a thousandth of the files and half of the time, in few of the runs: whether it is
 * looked for, and what an estimate with runs picked for it is worth, on made-up filesystems.
 */
#include "tests/unit/test.h"

#include "analyzer/window/estimate.h"
#include "analyzer/window/random.h"
#include "analyzer/window/strata.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS       400 /* in the filesystem */
#define SAMPLED    40
#define HOLDERS    12 /* runs that hold the rare class */
#define DRAWS      1000
#define REPLICATES 120
#define COMMON     10
#define RARE       14

/* What each run would cost, and all together. */
struct truth {
	struct calibration_cell common[RUNS];
	struct calibration_cell rare[HOLDERS]; /* in the first runs */
	struct class_load loads[SIZE_CLASSES];
	double seconds;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * M_PI * random_unit(random));
}

static void add_to(struct truth *truth, const struct calibration_cell *cell)
{
	truth->loads[cell->size_class].files += cell->files;
	truth->loads[cell->size_class].stream_bytes += cell->stream_bytes;
	truth->seconds += cell->data_seconds;
}

static void make_truth(struct truth *truth)
{
	struct random random = {.state = 3};

	memset(truth, 0, sizeof(*truth));
	for (unsigned run = 0; run < RUNS; run++) {
		truth->common[run] = (struct calibration_cell){.size_class = COMMON,
			.files = 256,
			.stream_bytes = 256ULL * 1000,
			.data_seconds = 0.005 * exp(0.3 * normal(&random))};
		add_to(truth, &truth->common[run]);
	}
	for (unsigned run = 0; run < HOLDERS; run++) {
		uint64_t files = 8 + random_below(&random, 5);

		truth->rare[run] = (struct calibration_cell){.size_class = RARE,
			.files = files,
			.stream_bytes = files * 9000,
			.data_seconds = (double)files * 0.017 * exp(0.2 * normal(&random))};
		add_to(truth, &truth->rare[run]);
	}
}

static void keep(struct calibration *calibration, const struct calibration_cell *cell, uint32_t run)
{
	struct calibration_cell *kept = calibration_add_cell(calibration, run, cell->size_class);

	assert_non_null(kept);
	*kept = *cell;
	kept->run = run;
}

static void shuffle(unsigned *order, unsigned count, struct random *random)
{
	for (unsigned i = 0; i < count; i++)
		order[i] = i;
	for (unsigned i = 0; i + 1 < count; i++) {
		unsigned other = i + (unsigned)random_below(random, count - i), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
}

/* Draws runs, and then @picks of those that hold the rare class and were not drawn. */
static void draw(const struct truth *truth, unsigned picks, struct random *random,
	struct calibration *calibration)
{
	unsigned order[RUNS], holders[HOLDERS];
	bool drawn[RUNS] = {0};

	*calibration = (struct calibration){.runs = SAMPLED, .runs_in_all = RUNS};
	shuffle(order, RUNS, random);
	for (unsigned i = 0; i < SAMPLED; i++) {
		drawn[order[i]] = true;
		keep(calibration, &truth->common[order[i]], i);
		if (order[i] < HOLDERS)
			keep(calibration, &truth->rare[order[i]], i);
	}
	shuffle(holders, HOLDERS, random);
	for (unsigned i = 0; i < HOLDERS && calibration->picked_runs < picks; i++)
		if (!drawn[holders[i]])
			keep(calibration, &truth->rare[holders[i]],
				SAMPLED + calibration->picked_runs++);
}

static void picked_runs_are_unbiased_and_covered(void **state)
{
	static struct truth truth;
	struct random random = {.state = 17};
	unsigned covered = 0;
	double sum = 0;

	(void)state;
	make_truth(&truth);
	for (unsigned i = 0; i < DRAWS; i++) {
		struct calibration calibration;
		struct estimate estimate;

		draw(&truth, 4, &random, &calibration);
		assert_int_equal(
			estimate_files(&calibration, truth.loads, REPLICATES, i, &estimate), 0);
		sum += estimate.seconds;
		covered += fabs(estimate.seconds - truth.seconds) <=
			   hypot(estimate_half_width(&estimate), estimate.error_seconds);
		calibration_fini(&calibration);
	}
	print_message(
		"# mean %.4f of the truth, %u covered\n", sum / DRAWS / truth.seconds, covered);
	assert_float_equal(sum / DRAWS / truth.seconds, 1, 0.01);
	assert_in_range(covered, 900, 1000);
}

static void what_is_rare_and_may_cost_is_wanted(void **state)
{
	static struct truth truth;
	struct calibration calibration = {.runs = 1};
	bool wanted[SIZE_CLASSES];

	(void)state;
	make_truth(&truth);
	keep(&calibration, &truth.common[0], 0);
	assert_int_equal(strata_wanted(&calibration, truth.loads, wanted), 2);
	for (unsigned run = 1; run < 5; run++)
		keep(&calibration, &truth.common[run], calibration.runs++);
	assert_int_equal(strata_wanted(&calibration, truth.loads, wanted), 1);
	assert_true(wanted[RARE]);
	/* One run of it says nothing of the others, however many files it has. */
	keep(&calibration, &truth.rare[0], 1);
	assert_int_equal(strata_wanted(&calibration, truth.loads, wanted), 1);
	for (unsigned run = 1; run < 5; run++)
		keep(&calibration, &truth.rare[run], calibration.runs + calibration.picked_runs++);
	assert_int_equal(strata_wanted(&calibration, truth.loads, wanted), 0);
	/* Nor is it looked for where it cannot matter. */
	calibration.cell_count = 5;
	truth.loads[RARE].files = 2;
	assert_int_equal(strata_wanted(&calibration, truth.loads, wanted), 0);
	calibration_fini(&calibration);
}

static void big_classes_are_for_others(void **state)
{
	struct calibration calibration = {0};
	struct class_load loads[SIZE_CLASSES] = {[SURVEY_BIG_CLASS] = {9, 9ULL << 20}};
	bool wanted[SIZE_CLASSES];

	(void)state;
	assert_int_equal(strata_wanted(&calibration, loads, wanted), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picked_runs_are_unbiased_and_covered),
		cmocka_unit_test(what_is_rare_and_may_cost_is_wanted),
		cmocka_unit_test(big_classes_are_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
