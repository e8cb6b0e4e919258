// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/window/prediction.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Two users: 7 has 900 tiny files and ten directories, 8 has 100 files of 1 MiB and 5 links. */
static void make_cube(struct cube *cube)
{
	static const struct {
		struct cube_key key;
		struct cube_sums sums;
	} cells[] = {
		{{.uid = 7, .kind = KIND_REGULAR, .size_class = 10},
			{.inodes = 900, .size_bytes = 900 * 600, .stream_bytes = 900 * 1344}},
		{{.uid = 7, .gid = 1, .kind = KIND_DIRECTORY, .size_class = 8},
			{.inodes = 10, .size_bytes = 2000, .stream_bytes = 5000}},
		{{.uid = 8, .kind = KIND_REGULAR, .size_class = 21},
			{.inodes = 100, .size_bytes = 100 << 20, .stream_bytes = 100 << 20}},
		{{.uid = 8, .kind = KIND_SYMLINK, .size_class = 4},
			{.inodes = 5, .size_bytes = 40, .stream_bytes = 1480}},
	};

	cube_init(cube);
	for (size_t i = 0; i < ARRAY_LENGTH(cells); i++)
		assert_int_equal(cube_add(cube, &cells[i].key, &cells[i].sums), 0);
}

/* 1 ms + 4 ms a tiny file, 1 ms + 50 ms a MiB, in ten equal runs of 100. */
static void make_calibration(struct calibration *calibration)
{
	*calibration = (struct calibration){.runs = 10,
		.runs_in_all = 100,
		.passes = {
			[PASS_INODE_MAP] = {PASS_INODE_MAP, 1015, 0, 0, 1.015},
			[PASS_DIRECTORIES] = {PASS_DIRECTORIES, 5, 400, 0, 0.05},
			[PASS_INODES] = {PASS_INODES, 2000, 0, 0, 0.2},
		}};
	for (unsigned run = 0; run < 10; run++) {
		struct calibration_cell *cell = calibration_add_cell(calibration, run, 10);

		assert_non_null(cell);
		cell->files = 20;
		cell->stream_bytes = 20 * 1344;
		cell->file_seconds = 0.02;
		cell->data_seconds = 0.08;
		cell = calibration_add_cell(calibration, run, 21);
		assert_non_null(cell);
		cell->files = 2;
		cell->stream_bytes = 2 << 20;
		cell->file_seconds = 0.002;
		cell->data_seconds = 0.1;
	}
}

/* A level-0 dump by one stream to a null sink. */
static int predict(const struct cube *cube, const struct calibration *calibration,
	struct prediction *prediction, struct err *err)
{
	const struct scan_info scan = {.inode_chunks = 20, .tiny_bytes = 4096};
	const struct prediction_request request = {
		.scan = &scan,
		.cube = cube,
		.calibration = calibration,
	};

	return prediction_make(&request, prediction, err);
}

static void every_term_is_there(void **state)
{
	struct calibration calibration;
	struct prediction prediction;
	struct err err = {0};
	struct cube cube;

	(void)state;
	make_cube(&cube);
	make_calibration(&calibration);
	assert_int_equal(predict(&cube, &calibration, &prediction, &err), 0);
	assert_float_equal(prediction.phases[PHASE_INODE_MAP], 1.015, 1e-6F);
	assert_float_equal(prediction.phases[PHASE_DIRECTORIES], 0.1015 + 10 * 0.01, 1e-6F);
	assert_float_equal(prediction.phases[PHASE_FILES],
		0.1015 + 5 * 0.001 + 900 * 0.005 + 100 * 0.051 + 1015 * 1.6e-6, 1e-6F);
	assert_float_equal(prediction.phases[PHASE_SINK], 0, 1e-9F);
	assert_float_equal(prediction.seconds, 1.015 + 0.2015 + 9.7065 + 1015 * 1.6e-6, 1e-5F);
	assert_int_equal(prediction.files, 1000);
	assert_int_equal(prediction.dump_bytes,
		900 * 1344 + 5000 + (100 << 20) + 1480 + dump_stream_overhead_bytes(20));
	assert_int_equal(prediction.class_count, 2);
	assert_int_equal(prediction.classes[1].size_class, 21);
	assert_float_equal(prediction.classes[1].seconds, 5.1, 1e-6F);
	assert_int_equal(prediction.classes[0].bytes, 900 * 600);
	prediction_fini(&prediction);
	calibration_fini(&calibration);
	cube_fini(&cube);
}

static void users_share_all_of_it(void **state)
{
	struct calibration calibration;
	struct prediction prediction;
	struct cube cube;

	(void)state;
	make_cube(&cube);
	make_calibration(&calibration);
	assert_int_equal(predict(&cube, &calibration, &prediction, NULL), 0);
	assert_int_equal(prediction.user_count, 2);
	assert_float_equal(prediction.users[0].seconds + prediction.users[1].seconds,
		prediction.seconds, 1e-6F);
	assert_true(prediction.users[0].seconds > prediction.users[1].seconds);
	assert_int_equal(prediction.users[0].uid, 7);
	assert_int_equal(prediction.users[0].tiny_files, 900);
	assert_int_equal(prediction.users[1].tiny_files, 0);
	assert_int_equal(prediction.users[1].files, 100);
	prediction_fini(&prediction);
	calibration_fini(&calibration);
	cube_fini(&cube);
}

static double sum_of(const double phases[PREDICTION_PHASES])
{
	double sum = 0;

	for (unsigned i = 0; i < PREDICTION_PHASES; i++)
		sum += phases[i];
	return sum;
}

static void the_interval_is_around_it_and_repeats(void **state)
{
	struct calibration calibration;
	struct prediction a, b;
	struct cube cube;

	(void)state;
	make_cube(&cube);
	make_calibration(&calibration);
	calibration.cells[0].data_seconds *= 2;
	assert_int_equal(predict(&cube, &calibration, &a, NULL), 0);
	assert_int_equal(predict(&cube, &calibration, &b, NULL), 0);
	assert_true(a.low_seconds > 0 && a.low_seconds < a.seconds && a.seconds < a.high_seconds);
	assert_true(a.low_seconds == b.low_seconds && a.high_seconds == b.high_seconds);
	assert_float_equal(sum_of(a.phases), a.seconds, 1e-9F);
	assert_float_equal(sum_of(a.phases_low), a.low_seconds, 1e-9F);
	assert_float_equal(sum_of(a.phases_high), a.high_seconds, 1e-9F);
	prediction_fini(&a);
	prediction_fini(&b);
	calibration_fini(&calibration);
	cube_fini(&cube);
}

/* The ends of the phases are those of the whole, also where the sink was measured. */
static void a_measured_sink_widens_its_phase(void **state)
{
	const struct scan_info scan = {.inode_chunks = 20, .tiny_bytes = 4096};
	struct sink sink = {.kind = SINK_PIPE, .bytes_per_second = 1e6};
	struct prediction_request request = {.scan = &scan, .dump = {.sink = &sink}};
	struct calibration calibration;
	struct prediction prediction;
	struct err err = {0};
	struct cube cube;

	(void)state;
	make_cube(&cube);
	make_calibration(&calibration);
	request.cube = &cube;
	request.calibration = &calibration;
	assert_int_equal(prediction_make(&request, &prediction, &err), 0);
	assert_true(prediction.phases[PHASE_SINK] > 90);
	assert_float_equal(sum_of(prediction.phases), prediction.seconds, 1e-6F);
	assert_float_equal(sum_of(prediction.phases_low), prediction.low_seconds, 1e-6F);
	assert_float_equal(sum_of(prediction.phases_high), prediction.high_seconds, 1e-6F);
	assert_float_equal(prediction.high_seconds, 1.1 * prediction.seconds, 1);
	prediction_fini(&prediction);
	calibration_fini(&calibration);
	cube_fini(&cube);
}

static const char *bottleneck_of(const struct calibration *calibration, char name[16])
{
	struct prediction prediction;
	struct cube cube;

	make_cube(&cube);
	assert_int_equal(predict(&cube, calibration, &prediction, NULL), 0);
	memcpy(name, prediction.bottleneck, sizeof(prediction.bottleneck));
	prediction_fini(&prediction);
	cube_fini(&cube);
	return name;
}

static void the_bottleneck_is_what_takes_the_time(void **state)
{
	struct calibration calibration;
	char name[16];

	(void)state;
	make_calibration(&calibration);
	for (size_t i = 0; i < calibration.cell_count; i++)
		if (calibration.cells[i].size_class == 10)
			calibration.cells[i].data_seconds *= 10;
	assert_string_equal(bottleneck_of(&calibration, name), "contents");
	for (size_t i = 0; i < calibration.cell_count; i++)
		calibration.cells[i].data_seconds *=
			calibration.cells[i].size_class == 10 ? 0.01 : 10;
	assert_string_equal(bottleneck_of(&calibration, name), "array");
	calibration.cpu_seconds = 1e3;
	assert_string_equal(bottleneck_of(&calibration, name), "cpu");
	calibration_fini(&calibration);
}

static void without_a_sample_it_says_why(void **state)
{
	struct calibration calibration = {.cached_files = 12};
	struct prediction prediction;
	struct err err = {0};
	struct cube cube;

	(void)state;
	make_cube(&cube);
	assert_int_equal(predict(&cube, &calibration, &prediction, &err), -ENODATA);
	assert_non_null(strstr(err.message, "page cache"));
	err_clear(&err);
	calibration.cached_files = 0;
	assert_int_equal(predict(&cube, &calibration, &prediction, &err), -ENODATA);
	assert_non_null(strstr(err.message, "no file was sampled"));
	cube_fini(&cube);
}

static void phases_have_names(void **state)
{
	(void)state;
	assert_string_equal(prediction_phase_name(PHASE_INODE_MAP), "inode-map");
	assert_string_equal(prediction_phase_name(PHASE_DIRECTORIES), "directories");
	assert_string_equal(prediction_phase_name(PHASE_FILES), "files");
	assert_string_equal(prediction_phase_name(PHASE_SINK), "sink");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_term_is_there),
		cmocka_unit_test(users_share_all_of_it),
		cmocka_unit_test(the_interval_is_around_it_and_repeats),
		cmocka_unit_test(the_bottleneck_is_what_takes_the_time),
		cmocka_unit_test(without_a_sample_it_says_why),
		cmocka_unit_test(a_measured_sink_widens_its_phase),
		cmocka_unit_test(phases_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
