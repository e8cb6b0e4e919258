// SPDX-License-Identifier: GPL-2.0-or-later
/* The estimator on made-up filesystems whose truth is known. */
#include "tests/unit/test.h"

#include "analyzer/window/estimate.h"
#include "analyzer/window/random.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define RUNS       400 /* in the filesystem */
#define SAMPLED    40
#define DRAWS      1000
#define RUN_CELLS  3
#define REPLICATES 150

/* A filesystem: what every run would cost, by class, and all of them together. */
struct truth {
	struct calibration_cell cells[RUNS][RUN_CELLS];
	struct class_load loads[SIZE_CLASSES];
	double seconds;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * M_PI * random_unit(random));
}

/* Runs differ in what they hold and, by a log-normal factor of their own, in what they cost. */
static void make_truth(struct truth *truth, uint64_t seed)
{
	static const unsigned classes[RUN_CELLS] = {8, 12, 16};
	struct random random = {.state = seed};

	memset(truth, 0, sizeof(*truth));
	for (unsigned run = 0; run < RUNS; run++) {
		double slow = exp(0.4 * normal(&random));

		for (unsigned i = 0; i < RUN_CELLS; i++) {
			struct calibration_cell *cell = &truth->cells[run][i];
			uint64_t files = 20 + random_below(&random, 60);

			*cell = (struct calibration_cell){.run = run,
				.size_class = (uint8_t)classes[i],
				.files = files,
				.bytes = files << (classes[i] - 1),
				.stream_bytes = files * (600 + (1U << (classes[i] - 1))),
				.file_seconds = (double)files * 2e-5,
				.data_seconds = (double)files * 3e-3 * slow * (1 + i)};
			truth->loads[classes[i]].files += files;
			truth->loads[classes[i]].stream_bytes += cell->stream_bytes;
			truth->seconds += cell->file_seconds + cell->data_seconds;
		}
	}
}

/* Draws @count runs of it without replacement into @cells. */
static void draw(const struct truth *truth, unsigned count, struct random *random,
	struct calibration_cell *cells, struct calibration *calibration)
{
	unsigned order[RUNS];

	for (unsigned i = 0; i < RUNS; i++)
		order[i] = i;
	*calibration = (struct calibration){.runs = count,
		.runs_in_all = RUNS,
		.cells = cells,
		.cell_count = count * RUN_CELLS};
	for (unsigned i = 0; i < count; i++) {
		unsigned other = i + (unsigned)random_below(random, RUNS - i);
		unsigned run = order[other];

		order[other] = order[i];
		memcpy(&cells[i * RUN_CELLS], truth->cells[run], sizeof(truth->cells[run]));
		for (unsigned j = 0; j < RUN_CELLS; j++)
			cells[i * RUN_CELLS + j].run = i;
	}
}

static void unbiased_and_covered(void **state)
{
	static struct truth truth;
	static struct calibration_cell cells[SAMPLED * RUN_CELLS];
	struct random random = {.state = 11};
	unsigned covered = 0;
	double sum = 0;

	(void)state;
	make_truth(&truth, 7);
	for (unsigned i = 0; i < DRAWS; i++) {
		struct calibration calibration;
		struct estimate estimate;

		draw(&truth, SAMPLED, &random, cells, &calibration);
		assert_int_equal(
			estimate_files(&calibration, truth.loads, REPLICATES, i, &estimate), 0);
		sum += estimate.seconds;
		covered += fabs(estimate.seconds - truth.seconds) <= estimate_half_width(&estimate);
	}
	assert_float_equal(sum / DRAWS / truth.seconds, 1, 0.01);
	assert_in_range(covered, 925, 975);
}

static void all_runs_are_exact(void **state)
{
	static struct truth truth;
	static struct calibration_cell cells[RUNS * RUN_CELLS];
	struct random random = {.state = 1};
	struct calibration calibration;
	struct estimate estimate;

	(void)state;
	make_truth(&truth, 3);
	draw(&truth, RUNS, &random, cells, &calibration);
	assert_int_equal(estimate_files(&calibration, truth.loads, 50, 1, &estimate), 0);
	assert_float_equal(estimate.seconds, truth.seconds, (float)(truth.seconds * 1e-6));
	assert_float_equal(estimate_half_width(&estimate), 0, 1e-9F);
}

static void same_seed_same_estimate(void **state)
{
	static struct truth truth;
	static struct calibration_cell cells[SAMPLED * RUN_CELLS];
	struct random random = {.state = 5};
	struct calibration calibration;
	struct estimate a, b, c;

	(void)state;
	make_truth(&truth, 3);
	draw(&truth, SAMPLED, &random, cells, &calibration);
	estimate_files(&calibration, truth.loads, 100, 42, &a);
	estimate_files(&calibration, truth.loads, 100, 42, &b);
	estimate_files(&calibration, truth.loads, 100, 43, &c);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(a.standard_error != c.standard_error);
	assert_true(a.seconds == c.seconds);
}

/* Runs of equal files, the speed of which rises by @slope from the first to the last. */
static double drift_with(double slope, double noise)
{
	static struct calibration_cell cells[SAMPLED];
	const struct calibration calibration = {
		.runs = SAMPLED, .cells = cells, .cell_count = SAMPLED};
	struct random random = {.state = 9};
	struct cost_table table;
	double drift;

	for (unsigned run = 0; run < SAMPLED; run++)
		cells[run] = (struct calibration_cell){.run = run,
			.size_class = 12,
			.files = 100,
			.stream_bytes = 300000,
			.data_seconds = 1 + slope * run / SAMPLED + noise * normal(&random)};
	cost_table_make(&calibration, NULL, &table);
	assert_int_equal(estimate_drift(&calibration, &table, &drift), 0);
	return drift;
}

static void drift_is_told_from_noise(void **state)
{
	(void)state;
	assert_float_equal(drift_with(0, 0), 0, 1e-6F);
	assert_true(drift_with(0, 0.2) < 0.06);
	/* A ramp from 1 to 2 has a standard deviation of 0.29 around 1.5. */
	assert_float_equal(drift_with(1, 0), 0.29 / 1.5, 0.02F);
	assert_float_equal(drift_with(1, 0.2), 0.29 / 1.5, 0.05F);
}

static struct calibration_cell cell(unsigned size_class, uint64_t files, double data_seconds)
{
	return (struct calibration_cell){
		.size_class = (uint8_t)size_class,
		.files = files,
		.stream_bytes = files * (size_class ? size_class_low(size_class) : 288),
		.file_seconds = (double)files * 1e-5,
		.data_seconds = (double)files * data_seconds,
	};
}

static double data_of(const struct cost_table *table, unsigned size_class, uint64_t files)
{
	const struct class_load load = {files, files * (1ULL << (size_class - 1))};
	struct load_seconds seconds = cost_of_load(table, size_class, &load);

	assert_true(seconds.borrowed == (table->classes[size_class].files < COST_MIN_FILES));
	/* What is borrowed may be off by a share of it. */
	assert_true(!seconds.borrowed || seconds.error_seconds > 0.2 * seconds.data_seconds);
	return seconds.data_seconds / (double)files;
}

static void neighbours_price_what_was_not_sampled(void **state)
{
	struct calibration_cell cells[] = {
		cell(10, 50, 0.004), cell(12, 2, 0.02), cell(20, 10, 0.004 * 32)};
	const struct calibration calibration = {
		.runs = 1, .cells = cells, .cell_count = ARRAY_LENGTH(cells)};
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	assert_int_equal(table.sampled, 3);
	/* Below: as much as the next one up. Above: in proportion to bytes. */
	assert_float_equal(data_of(&table, 3, 7), 0.004, 1e-9F);
	assert_float_equal(data_of(&table, 22, 7), 0.004 * 32 * 4, 1e-6F);
	/* Between: half way in logarithms. */
	assert_float_equal(data_of(&table, 15, 7), 0.004 * sqrt(32), 1e-6F);
	/* Two files have two thirds of a say. */
	assert_float_equal(data_of(&table, 12, 7), 0.02 * 2 / 3 + 0.004 * pow(32, 0.2) / 3, 1e-6F);
	/* What was sampled stays as it is. */
	assert_float_equal(data_of(&table, 10, 7), 0.004, 1e-9F);
	/* Empty files have no data. */
	assert_float_equal(
		cost_of_load(&table, 0, &(struct class_load){9, 9 * 288}).data_seconds, 0, 1e-9F);
}

/* A sparse file of 1 TiB with a block of data is a small file. */
static void neighbours_are_of_like_bytes(void **state)
{
	struct calibration_cell cells[] = {cell(13, 50, 0.004), cell(25, 10, 1.0)};
	const struct calibration calibration = {
		.runs = 1, .cells = cells, .cell_count = ARRAY_LENGTH(cells)};
	const struct class_load sparse = {1, 4096 + 600};
	struct load_seconds seconds;
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	seconds = cost_of_load(&table, 41, &sparse);
	assert_in_range(seconds.data_seconds * 1e6, 3900, 6000);
}

/* The only file of its class needs nobody else's say, however it was sampled. */
static void a_single_file_prices_itself(void **state)
{
	struct calibration_cell cells[] = {cell(10, 10000, 0.0003), cell(31, 1, 5.0)};
	const struct calibration calibration = {.runs = 1, .cells = cells, .cell_count = 2};
	const struct class_load one = {1, 1ULL << 30}, many = {9, 9ULL << 30};
	struct load_seconds seconds;
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	seconds = cost_of_load(&table, 31, &one);
	assert_false(seconds.borrowed);
	assert_float_equal(seconds.data_seconds, 5, 1e-6F);
	assert_float_equal(seconds.error_seconds, 0, 1e-6F);
	/* It prices its like as well; tiny files have little say, but it may be far off. */
	seconds = cost_of_load(&table, 31, &many);
	assert_float_equal(seconds.data_seconds, 45, 45 * 0.1F);
	assert_true(seconds.error_seconds > 20);
	assert_true(seconds.worst_seconds == 0);
}

static void tiny_files_tell_no_rate(void **state)
{
	struct calibration_cell tiny[] = {cell(10, 10000, 0.0003)};
	struct calibration_cell empty[] = {cell(0, 2500, 0)};
	struct calibration_cell big[] = {cell(31, 5, 5.0)};
	struct calibration calibration = {
		.runs = 1, .cells = tiny, .cell_count = 1, .cached_files = 2};
	struct class_load loads[SIZE_CLASSES] = {[10] = {10000, 5120000}};
	struct err err = {0};

	(void)state;
	assert_int_equal(cost_check(&calibration, loads, &err), 0);
	loads[31] = (struct class_load){1, 1ULL << 30};
	assert_int_equal(cost_check(&calibration, loads, &err), -ENODATA);
	assert_non_null(strstr(err.message, "no file of about 1 GiB was sampled"));
	assert_non_null(strstr(err.message, "drop_caches"));
	err_clear(&err);
	calibration.cached_files = 0;
	assert_int_equal(cost_check(&calibration, loads, &err), -ENODATA);
	assert_non_null(strstr(err.message, "larger --budget"));
	/* Empty files tell nothing at all of it, and big ones nothing of a million tiny ones. */
	calibration.cells = empty;
	assert_int_equal(cost_check(&calibration, loads, NULL), -ENODATA);
	calibration.cells = big;
	loads[10].files = 1000000;
	loads[10].stream_bytes = 512000000;
	assert_int_equal(cost_check(&calibration, loads, NULL), -ENODATA);
	/* A few hardly matter. */
	loads[10].files = 1;
	loads[10].stream_bytes = 512;
	loads[31].files = 100;
	loads[31].stream_bytes = 100ULL << 30;
	assert_int_equal(cost_check(&calibration, loads, NULL), 0);
}

/* Of a file with data, and of an empty one, what opening and closing takes. */
static void empty_files_stand_in_for_nobody(void **state)
{
	struct calibration_cell empty[] = {cell(0, 3000, 0)};
	struct calibration_cell small[] = {cell(9, 100, 0.001)};
	struct calibration calibration = {.runs = 1, .cells = empty, .cell_count = 1};
	const struct class_load tiny = {1000, 512000}, none = {1000, 288000};
	struct load_seconds seconds;
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	for (unsigned size_class = 1; size_class <= 12; size_class++) {
		seconds = cost_of_load(&table, size_class, &tiny);
		assert_true(isinf(seconds.worst_seconds));
		assert_true(seconds.file_seconds == 0 && seconds.data_seconds == 0);
	}
	calibration.cells = small;
	cost_table_make(&calibration, NULL, &table);
	seconds = cost_of_load(&table, 0, &none);
	assert_float_equal(seconds.file_seconds, 1000 * 1e-5, 1e-9F);
	assert_true(seconds.data_seconds == 0 && seconds.worst_seconds == 0);
}

/* Files of a class in the sample, and those left out as the page cache held them. */
static struct calibration_cell partly(
	unsigned size_class, uint64_t files, uint64_t left_out, double data_seconds)
{
	struct calibration_cell made = cell(size_class, files, data_seconds);

	made.left_out = left_out;
	return made;
}

/* The few tiny files that were not in the page cache say nothing of all the others. */
static void cached_classes_are_missing(void **state)
{
	struct calibration_cell cells[] = {cell(0, 3000, 0), partly(9, 5, 9000, 1e-5),
		partly(10, 0, 9000, 0), cell(14, 400, 0.0005), cell(22, 40, 0.003)};
	const struct calibration calibration = {.runs = 90,
		.cached_files = 18000,
		.cells = cells,
		.cell_count = ARRAY_LENGTH(cells)};
	struct class_load loads[SIZE_CLASSES] = {[0] = {3000, 3000 * 288},
		[9] = {9005, 9005 * 256},
		[10] = {9000, 9000 * 512},
		[14] = {400, 400 * 8192},
		[22] = {40, 40ULL << 21}};
	struct load_seconds seconds;
	struct err err = {0};
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	seconds = cost_of_load(&table, 9, &loads[9]);
	assert_true(load_seconds_all(&seconds) < 1);         /* by the few that there are, */
	assert_true(seconds.worst_seconds >= 9005 * 0.0005); /* and as much as larger ones */
	assert_true(load_seconds_all(&seconds) + seconds.error_seconds >= 9005 * 0.0005);
	assert_int_equal(cost_check(&calibration, loads, &err), -ENODATA);
	assert_non_null(strstr(err.message, "most of the files of 256 B to 1 KiB are in the page "
					    "cache (18000 of those looked at)"));
	assert_non_null(strstr(err.message, "drop_caches"));
	/* A few of them hardly matter. */
	loads[9] = (struct class_load){20, 20 * 256};
	loads[10] = (struct class_load){20, 20 * 512};
	assert_int_equal(cost_check(&calibration, loads, NULL), 0);
}

/* The more was left out, the wider; but big files tell their rate whatever is beside them. */
static void cached_files_widen_the_interval(void **state)
{
	struct calibration_cell cells[] = {partly(10, 750, 250, 0.004), partly(22, 40, 200, 0.1)};
	const struct calibration calibration = {
		.runs = 9, .cached_files = 450, .cells = cells, .cell_count = 2};
	const struct class_load loads[SIZE_CLASSES] = {
		[10] = {1000, 512000}, [22] = {240, 240ULL << 21}};
	struct load_seconds seconds;
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	assert_int_equal(cost_check(&calibration, loads, NULL), 0);
	seconds = cost_of_load(&table, 10, &loads[10]);
	assert_float_equal(load_seconds_all(&seconds), 4.01, 1e-6F);
	assert_float_equal(seconds.error_seconds, 4.01 / 4, 1e-6F);
	seconds = cost_of_load(&table, 22, &loads[22]);
	assert_float_equal(seconds.data_seconds, 24, 1e-6F);
	assert_true(seconds.error_seconds == 0 && !seconds.borrowed);
}

/* The worst an unknown class can cost is in the interval. */
static void strangers_are_a_wide_interval(void **state)
{
	struct calibration_cell cells[] = {cell(10, 10000, 0.0003)};
	const struct calibration calibration = {.runs = 1, .cells = cells, .cell_count = 1};
	const struct class_load big = {1, 1ULL << 30};
	double by_bytes = (double)(1 << 30) / 512 * 0.0003;
	struct load_seconds seconds;
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	seconds = cost_of_load(&table, 31, &big);
	assert_true(seconds.data_seconds < by_bytes / 100);
	assert_true(load_seconds_all(&seconds) + seconds.error_seconds >= by_bytes);
	assert_true(seconds.worst_seconds >= by_bytes);
}

/* Picked files are resampled among themselves. */
static void picked_files_have_a_spread(void **state)
{
	struct calibration_cell cells[6] = {cell(10, 50, 0.004), cell(10, 50, 0.004)};
	struct class_load loads[SIZE_CLASSES] = {
		[10] = {1000, 512000}, [25] = {1000, 1000ULL << 24}};
	struct calibration calibration = {.runs = 2,
		.runs_in_all = 20,
		.picked_files = 4,
		.cells = cells,
		.cell_count = ARRAY_LENGTH(cells)};
	struct estimate estimate;

	(void)state;
	cells[1].run = 1;
	for (unsigned i = 2; i < 6; i++) {
		cells[i] = cell(25, 1, 0.1);
		cells[i].run = i;
	}
	assert_int_equal(estimate_files(&calibration, loads, 200, 1, &estimate), 0);
	assert_float_equal(estimate.seconds, 104.02, 0.01F);
	assert_float_equal(estimate.standard_error, 0, 1e-6F);
	cells[3].data_seconds = 0.3;
	assert_int_equal(estimate_files(&calibration, loads, 200, 1, &estimate), 0);
	assert_in_range(estimate.standard_error, 20, 90);
}

/* A number of runs from a damaged database takes no memory. */
static void too_many_runs_are_refused(void **state)
{
	struct calibration_cell cells[] = {cell(10, 50, 0.004)};
	struct class_load loads[SIZE_CLASSES] = {[10] = {1000, 512000}};
	struct calibration calibration = {
		.runs = UINT32_MAX, .cells = cells, .cell_count = ARRAY_LENGTH(cells)};
	struct estimate estimate;

	(void)state;
	assert_int_equal(estimate_files(&calibration, loads, 10, 1, &estimate), -EINVAL);
	calibration.runs = 1;
	cells[0].run = UINT32_MAX;
	assert_int_equal(estimate_files(&calibration, loads, 10, 1, &estimate), -EINVAL);
}

static void nothing_costs_nothing(void **state)
{
	struct calibration_cell cells[] = {cell(10, 50, 0.004)};
	const struct calibration calibration = {.runs = 1, .cells = cells, .cell_count = 1};
	struct load_seconds seconds;
	struct cost_table table;

	(void)state;
	cost_table_make(&calibration, NULL, &table);
	seconds = cost_of_load(&table, 40, &(struct class_load){0, 0});
	assert_true(seconds.file_seconds == 0 && seconds.data_seconds == 0 && !seconds.borrowed);
}

static void no_sample_no_estimate(void **state)
{
	const struct class_load loads[SIZE_CLASSES] = {{1, 288}}, none[SIZE_CLASSES] = {{0}};
	const struct calibration empty = {0};
	struct estimate estimate;

	(void)state;
	assert_int_equal(cost_check(&empty, loads, NULL), -ENODATA);
	assert_int_equal(estimate_files(&empty, loads, 10, 1, &estimate), -ENODATA);
	/* An empty filesystem needs none. */
	assert_int_equal(cost_check(&empty, none, NULL), 0);
	assert_int_equal(estimate_files(&empty, none, 10, 1, &estimate), 0);
	assert_true(estimate.seconds == 0);
}

static void one_run_is_a_wide_interval(void **state)
{
	struct calibration_cell cells[] = {cell(10, 50, 0.004)};
	const struct calibration calibration = {
		.runs = 1, .runs_in_all = 90, .cells = cells, .cell_count = 1};
	struct class_load loads[SIZE_CLASSES] = {0};
	struct estimate estimate;

	(void)state;
	loads[10] = (struct class_load){1000, 512000};
	assert_int_equal(estimate_files(&calibration, loads, 10, 1, &estimate), 0);
	assert_true(estimate_half_width(&estimate) > estimate.seconds);
}

static void student_is_wider_than_normal(void **state)
{
	static const struct {
		double freedom, t;
	} known[] = {{1, 12.706}, {2, 4.303}, {4, 2.776}, {9, 2.262}, {29, 2.045}, {1e6, 1.960}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(known); i++) {
		const struct estimate estimate = {.standard_error = 1, .freedom = known[i].freedom};

		assert_float_equal(estimate_half_width(&estimate), known[i].t, 0.01F);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unbiased_and_covered),
		cmocka_unit_test(all_runs_are_exact),
		cmocka_unit_test(same_seed_same_estimate),
		cmocka_unit_test(drift_is_told_from_noise),
		cmocka_unit_test(neighbours_price_what_was_not_sampled),
		cmocka_unit_test(neighbours_are_of_like_bytes),
		cmocka_unit_test(a_single_file_prices_itself),
		cmocka_unit_test(tiny_files_tell_no_rate),
		cmocka_unit_test(empty_files_stand_in_for_nobody),
		cmocka_unit_test(cached_classes_are_missing),
		cmocka_unit_test(cached_files_widen_the_interval),
		cmocka_unit_test(strangers_are_a_wide_interval),
		cmocka_unit_test(picked_files_have_a_spread),
		cmocka_unit_test(too_many_runs_are_refused),
		cmocka_unit_test(nothing_costs_nothing),
		cmocka_unit_test(no_sample_no_estimate),
		cmocka_unit_test(one_run_is_a_wide_interval),
		cmocka_unit_test(student_is_wider_than_normal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
