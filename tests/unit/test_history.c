// SPDX-License-Identifier: GPL-2.0-or-later
/* Series and growth: what is followed, at whose prices, and who made it grow. */
#include "tests/unit/test.h"

#include "analyzer/history/trend.h"
#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NIGHTS 20

static void add_cell(
	struct cube *cube, uint32_t uid, enum inode_kind kind, unsigned size_class, uint64_t inodes)
{
	const struct cube_key key = {
		.uid = uid, .kind = (uint8_t)kind, .size_class = (uint8_t)size_class};
	const struct cube_sums sums = {inodes, inodes << size_class, inodes * 4096, inodes,
		inodes * (600 + (1ULL << size_class))};

	assert_int_equal(cube_add(cube, &key, &sums), 0);
}

/* Ten runs that met files of the classes 10, 20, … up to @largest. */
static void calibrate(struct calibration *calibration, unsigned largest)
{
	*calibration = (struct calibration){.inodes = 1000,
		.runs = 10,
		.runs_in_all = 10,
		.passes = {[PASS_INODE_MAP] = {PASS_INODE_MAP, 1000, 0, 0, 0.5}}};
	for (uint32_t run = 0; run < 10; run++) {
		for (unsigned size_class = 10; size_class <= largest; size_class += 10) {
			struct calibration_cell *cell =
				calibration_add_cell(calibration, run, size_class);

			assert_non_null(cell);
			cell->files = 10;
			cell->bytes = 10ULL << size_class;
			cell->stream_bytes = 10 * (600 + (1ULL << size_class));
			cell->file_seconds = 0.01;
			cell->data_seconds = 0.002 * size_class;
		}
	}
}

/* The fast price of a scan is the one that a whole prediction has. */
static void the_same_price(void **state)
{
	struct calibration calibration;
	struct prediction prediction;
	double seconds = 0;
	struct cube cube;
	struct err err = {0};
	const struct scan_info scan = {.inode_chunks = 9, .tiny_bytes = 4096};
	const struct prediction_request request = {
		.scan = &scan,
		.cube = &cube,
		.calibration = &calibration,
	};

	(void)state;
	calibrate(&calibration, 20);
	cube_init(&cube);
	add_cell(&cube, 1, KIND_REGULAR, 10, 5000);
	add_cell(&cube, 2, KIND_REGULAR, 20, 300);
	add_cell(&cube, 2, KIND_DIRECTORY, 13, 70);
	add_cell(&cube, 2, KIND_SYMLINK, 5, 9);
	assert_int_equal(prediction_make(&request, &prediction, &err), 0);
	assert_int_equal(prediction_seconds(&cube, &calibration, &seconds, &err), 0);
	assert_true(seconds > 1);
	assert_true(fabs(seconds - prediction.seconds) < 1e-9 * seconds);
	prediction_fini(&prediction);
	cube_fini(&cube);
	calibration_fini(&calibration);
}

/* What is dated after the newest scan was taken when a clock was wrong. */
static void later_scans_are_left_out(void **state)
{
	static const int64_t dates[] = {1000, 2000, 2000, 9000, 9001};
	struct history history = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(dates); i++)
		history_add(&history)->started_seconds = dates[i];
	assert_int_equal(history_drop_later(&history, 2000), 2);
	assert_int_equal(history.count, 3);
	assert_int_equal(history_drop_later(&history, 2000), 0);
	assert_int_equal(history_drop_later(&history, -1), 3);
	assert_int_equal(history.count, 0);
	history_fini(&history);
}

/* A scan that the calibration has nothing like has no window, and the others have theirs. */
static void unpriced_scans_are_left_out(void **state)
{
	struct calibration calibration;
	struct history history = {0};
	struct forecast_point *points;
	struct err err = {0};
	double value;
	size_t count;

	(void)state;
	calibrate(&calibration, 10);
	for (int i = 0; i < 3; i++) {
		struct history_scan *scan = history_add(&history);

		assert_non_null(scan);
		scan->started_seconds = i;
		add_cell(&scan->cube, 0, KIND_REGULAR, i == 1 ? 35 : 10, 1000);
	}
	history_total(&history, 4096);
	assert_int_equal(history_price(&history, &calibration, &err), 0);
	assert_true(history.scans[0].has_window);
	assert_false(history.scans[1].has_window);
	assert_false(history_value(&history.scans[1], HISTORY_WINDOW, &value));
	points = history_points(&history, HISTORY_WINDOW, &count);
	assert_int_equal(count, 2);
	assert_true(points[1].seconds > 1.5);
	free(points);
	points = history_points(&history, HISTORY_TINY_FILES, &count);
	assert_int_equal(count, 3);
	assert_true(points[1].value < 1 && points[2].value > 999);
	free(points);
	history_fini(&history);
	calibration_fini(&calibration);
}

/* With another edge of tiny, scans of the past are counted anew. */
static void one_edge_for_all(void **state)
{
	struct history history = {0};
	struct history_scan *scan = history_add(&history);

	(void)state;
	add_cell(&scan->cube, 0, KIND_REGULAR, 10, 7);
	add_cell(&scan->cube, 0, KIND_REGULAR, 14, 5);
	history_total(&history, 4096);
	assert_int_equal(history.scans[0].totals.tiny_files, 7);
	history_total(&history, 65536);
	assert_int_equal(history.scans[0].totals.tiny_files, 12);
	history_fini(&history);
}

static void who_came_grew_and_went(void **state)
{
	struct cube before, after;
	const struct growth_scan old = {.scan_id = 3, .started_seconds = 100, .cube = &before};
	const struct growth_scan new = {.scan_id = 8, .started_seconds = 900, .cube = &after};
	struct growth growth;

	(void)state;
	cube_init(&before);
	cube_init(&after);
	add_cell(&before, 1, KIND_REGULAR, 10, 500); /* went */
	add_cell(&before, 2, KIND_REGULAR, 10, 100);
	add_cell(&before, 3, KIND_REGULAR, 10, 40);
	add_cell(&after, 2, KIND_REGULAR, 10, 150);
	add_cell(&after, 2, KIND_REGULAR, 20, 10);
	add_cell(&after, 3, KIND_REGULAR, 10, 30);
	add_cell(&after, 4, KIND_REGULAR, 20, 11); /* came */
	add_cell(&after, 4, KIND_DIRECTORY, 13, 999);
	assert_int_equal(growth_make(&old, &new, 4096, &growth), 0);
	assert_int_equal(growth.count, 4);
	assert_int_equal(growth.before_scan_id, 3);
	assert_int_equal(growth.after_seconds, 900);
	assert_false(growth.has_seconds);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(growth.users[i].uid, i + 1);
	assert_int_equal(growth_change(&growth.users[0], HISTORY_FILES), -500);
	assert_int_equal(growth_change(&growth.users[1], HISTORY_TINY_FILES), 50);
	assert_int_equal(growth_change(&growth.users[1], HISTORY_FILES), 60);
	assert_int_equal(growth_change(&growth.users[3], HISTORY_BYTES), 11 << 20);
	assert_int_equal(growth.users[3].after.allocated_bytes, (11 + 999) * 4096);
	assert_int_equal(growth_most(&growth, HISTORY_TINY_FILES)->uid, 2);
	assert_int_equal(growth_most(&growth, HISTORY_BYTES)->uid, 4);
	assert_null(growth_most(&growth, HISTORY_WINDOW));
	growth_fini(&growth);
	assert_int_equal(growth_make(&new, &new, 4096, &growth), 0);
	assert_null(growth_most(&growth, HISTORY_FILES)); /* nobody grew */
	growth_fini(&growth);
	cube_fini(&before);
	cube_fini(&after);
}

/* A trend leads by the window where there is one, and begins where its forecast does. */
static void what_leads(void **state)
{
	struct trend trend = {0};

	(void)state;
	assert_int_equal(trend_forecast(&trend), 0);
	assert_int_equal(trend_leading(&trend), HISTORY_TINY_FILES);
	assert_null(trend_since(&trend, HISTORY_TINY_FILES));
	for (int i = 0; i < NIGHTS; i++) {
		struct history_scan *scan = history_add(&trend.history);

		scan->scan_id = 100 + i;
		scan->started_seconds = i * SECONDS_PER_DAY;
		scan->has_window = true;
		scan->window_seconds = i < 8 ? 50000 : 20000 + 100 * i;
		add_cell(&scan->cube, 0, KIND_REGULAR, 10, (uint64_t)(1000 + 10 * i));
	}
	history_total(&trend.history, 4096);
	assert_int_equal(trend_forecast(&trend), 0);
	assert_int_equal(trend_leading(&trend), HISTORY_WINDOW);
	assert_int_equal(trend_since(&trend, HISTORY_WINDOW)->scan_id, 108);
	assert_int_equal(trend_since(&trend, HISTORY_TINY_FILES)->scan_id, 100);
	assert_true(fabs(trend.forecasts[HISTORY_WINDOW].per_day - 100) < 1e-6);
	assert_true(fabs(trend.forecasts[HISTORY_TINY_FILES].per_day - 10) < 1e-6);
	trend_fini(&trend);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_scans_are_left_out),
		cmocka_unit_test(the_same_price),
		cmocka_unit_test(unpriced_scans_are_left_out),
		cmocka_unit_test(one_edge_for_all),
		cmocka_unit_test(who_came_grew_and_went),
		cmocka_unit_test(what_leads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
