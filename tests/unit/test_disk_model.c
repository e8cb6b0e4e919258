// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated disk takes the times that its parameters say. */
#include "tests/lab/disk_model.h"
#include "tests/unit/test.h"

#include <math.h>

#define SIZE (100ULL << 30)
#define MS   1e-3

static const struct disk_parameters parameters = {
	.size_bytes = SIZE,
	.rpm = 7200,
	.track_seek_seconds = 0.5 * MS,
	.average_seek_seconds = 8.5 * MS,
	.full_seek_seconds = 16 * MS,
	.outer_bps = 150e6,
	.inner_bps = 150e6,
	.read_ahead_bytes = 2 << 20,
};

static void make(struct disk_model *disk, const struct disk_parameters *wanted)
{
	assert_null(disk_model_init(disk, wanted));
}

static void assert_near(double got, double wanted, double tolerance)
{
	if (fabs(got - wanted) > tolerance * wanted)
		fail_msg("%g instead of %g", got, wanted);
}

/* Requests of 1 MiB from @place on, each as soon as the one before is done and @pause later. */
static double sequential_bps(struct disk_model *disk, uint64_t place, double pause, bool write)
{
	const unsigned count = 200;
	double start = disk_model_serve(disk, 0, place, 4096, write), now = start;

	for (unsigned i = 0; i < count; i++)
		now = disk_model_serve(
			disk, now + pause, place + 4096 + ((uint64_t)i << 20), 1 << 20, write);
	return count * (double)(1 << 20) / (now - start);
}

static void test_sequential(void **state)
{
	struct disk_parameters zoned = parameters;
	struct disk_model disk;

	(void)state;
	make(&disk, &parameters);
	assert_near(sequential_bps(&disk, 0, 0, false), 150e6, 0.001);
	make(&disk, &parameters); /* the buffer hides pauses */
	assert_near(sequential_bps(&disk, 0, 2 * MS, false), 150e6, 0.01);
	zoned.inner_bps = 75e6;
	make(&disk, &zoned);
	assert_near(sequential_bps(&disk, 0, 0, false), 150e6, 0.01);
	make(&disk, &zoned);
	assert_near(sequential_bps(&disk, SIZE / 2, 0, false), 112.5e6, 0.01);
}

/* Without a write cache, a write that comes a little late waits a turn. */
static void test_write(void **state)
{
	struct disk_model disk;
	const double turn = 60.0 / 7200, transfer = (1 << 20) / 150e6;
	const double pause = 0.1 * MS;

	(void)state;
	make(&disk, &parameters);
	assert_near(sequential_bps(&disk, 0, pause, true), (1 << 20) / (transfer + turn), 0.01);
}

static uint64_t random_place(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 20) % (SIZE / 4096) * 4096;
}

static void test_random(void **state)
{
	const unsigned count = 20000;
	struct disk_model disk;
	uint64_t seed = 1;
	double now = 0;

	(void)state;
	make(&disk, &parameters);
	for (unsigned i = 0; i < count; i++)
		now = disk_model_serve(&disk, now, random_place(&seed), 4096, false);
	assert_near(now / count, (8.5 + 60000.0 / 7200 / 2 + 4096 / 150e3) * MS, 0.02);
}

static void test_seek_curve(void **state)
{
	struct disk_model disk;
	double before = 0;

	(void)state;
	make(&disk, &parameters);
	assert_true(disk_model_seek_seconds(&disk, 0) == 0);
	assert_near(disk_model_seek_seconds(&disk, 1), 0.5 * MS, 0.01);
	assert_near(disk_model_seek_seconds(&disk, SIZE), 16 * MS, 1e-9);
	for (uint64_t i = 1; i <= 1000; i++) {
		double seconds = disk_model_seek_seconds(&disk, SIZE / 1000 * i);

		assert_true(seconds > before);
		before = seconds;
	}
}

/* A gap within the buffer costs its transfer, one beyond it a seek and a rotation. */
static void test_gap(void **state)
{
	struct disk_model disk;
	double start, done;

	(void)state;
	make(&disk, &parameters);
	start = disk_model_serve(&disk, 0, 0, 1 << 20, false);
	done = disk_model_serve(&disk, start, 2 << 20, 1 << 20, false);
	assert_near(done - start, (2 << 20) / 150e6, 0.001);
	start = done;
	done = disk_model_serve(&disk, start, 64 << 20, 4096, false);
	assert_true(done - start > 0.5 * MS && done - start < 10 * MS);
}

/* What was read on in the meantime is there at once, what comes after costs at most a turn. */
static void test_buffer_full(void **state)
{
	struct disk_model disk;
	double done;

	(void)state;
	make(&disk, &parameters);
	disk_model_serve(&disk, 0, 0, 1 << 20, false);
	assert_true(disk_model_serve(&disk, 10, 1 << 20, 1 << 20, false) == 10);
	done = disk_model_serve(&disk, 10, 2 << 20, 2 << 20, false);
	assert_true(done > 10 && done < 10 + 60.0 / 7200 + (2 << 20) / 150e6);
}

static void test_nonsense(void **state)
{
	struct disk_parameters wrong = parameters;
	struct disk_model disk;

	(void)state;
	wrong.average_seek_seconds = 30 * MS;
	assert_non_null(disk_model_init(&disk, &wrong));
	wrong = parameters;
	wrong.rpm = 0;
	assert_non_null(disk_model_init(&disk, &wrong));
	wrong = parameters;
	wrong.inner_bps = 200e6;
	assert_non_null(disk_model_init(&disk, &wrong));
	wrong = parameters;
	wrong.size_bytes = 0;
	assert_non_null(disk_model_init(&disk, &wrong));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_seek_curve),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_buffer_full),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
