// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waiting for a sink: record by record against the formula, and whole dumps, whose files come in
 * some order, against what must come out and against every file played by itself.
 */
#include "tests/unit/test.h"

#include "analyzer/census/dump_ranges.h"
#include "analyzer/window/dump_wait.h"
#include "analyzer/window/random.h"
#include "analyzer/window/sink_queue.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define RECORD ((double)SINK_RECORD_BYTES)

static double sum(const double *values, unsigned count)
{
	double all = 0;

	for (unsigned i = 0; i < count; i++)
		all += values[i];
	return all;
}

/* --- The queue -------------------------------------------------------------------------------- */

/* What @records that take @seconds each wait for a sink of a record a second. */
static double waited(double records, double seconds, double buffer, double record_seconds)
{
	const struct sink sink = {.kind = SINK_RATE,
		.bytes_per_second = RECORD,
		.buffer_bytes = (uint64_t)buffer,
		.record_seconds = record_seconds};
	struct sink_queue queue;

	sink_queue_init(&queue, &sink);
	sink_queue_put(&queue, 3, records * RECORD, records * seconds);
	sink_queue_end(&queue);
	assert_float_equal(sum(queue.wait, SINK_QUEUE_PARTS), queue.wait[3], 1e-12F);
	return queue.wait[3];
}

static void records_wait_as_the_formula_says(void **state)
{
	(void)state;
	/* without a buffer, writing a record takes a second whatever reading takes */
	assert_float_equal(waited(10, 0, 0, 0), 10, 1e-6F);
	assert_float_equal(waited(10, 100, 0, 0), 10, 1e-6F);
	assert_float_equal(waited(10.5, 100, 0, 0), 10.5F, 1e-6F);
	/* a buffer of a quarter, given time to empty, saves a quarter */
	assert_float_equal(waited(10, 100, RECORD / 4, 0), 7.5F, 1e-6F);
	/* in a tenth of a second it passes on a tenth only; at first it is empty */
	assert_float_equal(waited(10, 0.1, RECORD / 4, 0), 0.75F + 9 * 0.9F, 1e-6F);
	/* a buffer of more than a record leaves the copying */
	assert_float_equal(waited(10, 100, 4 * RECORD, 0.001), 0.01F, 1e-6F);
	/* one that fills takes what fits, then everything waits: 1000 - 4 - 0.5 × 999 */
	assert_float_equal(waited(1000, 0.5, 4 * RECORD, 0), 496.5F, 1e-6F);
	/* a buffer of 64 MiB, in records of 4 MiB: 1000 - 256, and a large record early or late */
	assert_float_equal(waited(1000, 0, 256 * RECORD, 0), 744, 1e-6F);
}

/* Many records at once are as many one by one, whatever came before. */
static void together_is_one_by_one(void **state)
{
	struct random random = {7};

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		const struct sink sink = {.kind = SINK_RATE,
			.bytes_per_second = RECORD,
			.buffer_bytes = random_below(&random, 12 * SINK_RECORD_BYTES),
			.record_seconds = random_unit(&random) < 0.5 ? 0 : 0.01};
		struct sink_queue together, one_by_one;

		sink_queue_init(&together, &sink);
		sink_queue_init(&one_by_one, &sink);
		for (unsigned step = 0; step < 8; step++) {
			double records = random_unit(&random) * 30;
			double pace = random_unit(&random) * 3;
			double left = records;

			sink_queue_put(&together, step, records * RECORD, records * pace);
			for (; left > 0; left -= 0.75) {
				double now = fmin(left, 0.75);

				sink_queue_put(&one_by_one, step, now * RECORD, now * pace);
			}
		}
		for (unsigned i = 0; i < 8; i++)
			assert_true(fabs(together.wait[i] - one_by_one.wait[i]) <
				    1e-6 + 0.011 * (sink.record_seconds > 0));
	}
}

/* --- A dump ----------------------------------------------------------------------------------- */

#define TINY 10 /* classes */
#define BIG  22

static const struct dump_costs no_costs;

/* @tiny files of 2 KiB that take 2 ms, @big ones of 1 MiB that take 10 ms, in one range. */
static void make_model(struct dump_model *model, struct dump_plan *plan, double tiny, double big)
{
	memset(plan, 0, sizeof(*plan));
	*model = (struct dump_model){.plan = plan, .costs = &no_costs};
	model->parts[TINY] = (struct model_part){.inodes = tiny,
		.stream_bytes = tiny * 2 * KIB,
		.media_bytes = tiny * 2 * KIB,
		.seconds = tiny * 0.002};
	model->parts[BIG] = (struct model_part){.inodes = big,
		.stream_bytes = big * MIB,
		.media_bytes = big * MIB,
		.data_seconds = big * 0.01};
}

static double wait_for(const struct dump_model *model, double rate, double buffer)
{
	const struct sink sink = {
		.kind = SINK_RATE, .bytes_per_second = rate, .buffer_bytes = (uint64_t)buffer};
	double wait[MODEL_PARTS];

	dump_wait_find(model, 1, &sink, wait);
	return sum(wait, MODEL_PARTS);
}

static void sinks_that_need_no_order(void **state)
{
	const struct sink nothing = {.kind = SINK_PIPE};
	const struct sink all = {.kind = SINK_NULL, .bytes_per_second = INFINITY};
	const struct sink memory = {
		.kind = SINK_FILE, .bytes_per_second = INFINITY, .record_seconds = 0.001};
	double wait[MODEL_PARTS];
	struct dump_model model;
	struct dump_plan plan;

	(void)state;
	make_model(&model, &plan, 0, 100);
	dump_wait_find(&model, 1, NULL, wait);
	assert_true(sum(wait, MODEL_PARTS) == 0);
	dump_wait_find(&model, 1, &all, wait);
	assert_true(sum(wait, MODEL_PARTS) == 0);
	dump_wait_find(&model, 1, &nothing, wait);
	assert_true(isinf(wait[BIG]) && wait[TINY] == 0);
	dump_wait_find(&model, 1, &memory, wait);
	assert_float_equal(wait[BIG], 0.4F, 1e-6F);
	assert_float_equal(wait_for(&model, MIB, 0), 100, 1e-6F);
}

/* 40 s of tiny files, 10 s of big ones, 1078 MiB. */
static void a_large_buffer_sees_the_mixture(void **state)
{
	double together = 20000 * 2 * KIB + 1000.0 * MIB;
	struct dump_model model;
	struct dump_plan plan;

	(void)state;
	make_model(&model, &plan, 20000, 1000);
	/* slower than the mixture: it always works, but for start and what it holds at the end */
	assert_float_equal(
		wait_for(&model, 10 * MIB, 64 * MIB), together / (10 * MIB) - 50 - 6.4F, 1.5F);
	/* faster than the mixture, slower than big files: the buffer helps over them */
	assert_true(wait_for(&model, 30 * MIB, 256 * MIB) < 1);
	/* with a pipe's buffer each big file waits by itself, 100 s less 10 s */
	assert_float_equal(wait_for(&model, 10 * MIB, 64 * KIB), 90, 8);
	/* one file of 1000 MiB after all the tiny ones is a mixture for nobody */
	model.parts[BIG].inodes = 1;
	assert_true(wait_for(&model, 10 * MIB, 64 * MIB) > 70);
}

static void add_range(struct dump_ranges *ranges, uint64_t index, uint64_t tiny, uint64_t big)
{
	struct dump_range range = {0};

	range.parts[TINY] = (struct dump_range_sums){tiny, tiny * 2 * (uint64_t)KIB};
	range.parts[BIG] = (struct dump_range_sums){big, big * (uint64_t)MIB};
	assert_int_equal(dump_ranges_add(ranges, ranges->shift, index, &range), 0);
}

/* The same files, first all tiny ones and then all big ones: a buffer has nothing to even out. */
static void the_order_is_that_of_the_ranges(void **state)
{
	struct dump_ranges mixed, apart;
	struct dump_model model;
	struct dump_plan plan;
	double waits;

	(void)state;
	dump_ranges_init(&mixed, DUMP_RANGE_INODE_SHIFT);
	dump_ranges_init(&apart, DUMP_RANGE_INODE_SHIFT);
	for (unsigned i = 0; i < 100; i++) {
		add_range(&mixed, i, 200, 10);
		add_range(&apart, i, i < 50 ? 400 : 0, i < 50 ? 0 : 20);
	}
	dump_ranges_sort(&mixed);
	dump_ranges_sort(&apart);
	make_model(&model, &plan, 20000, 1000);
	plan.ranges = &mixed;
	waits = wait_for(&model, 10 * MIB, 64 * MIB);
	assert_float_equal(waits, 103.9F - 50 - 6.4F, 1);
	plan.ranges = &apart;
	waits = wait_for(&model, 10 * MIB, 64 * MIB);
	assert_float_equal(waits, 100 - 10 - 6.4F, 1.5F);
	/* an option that leaves out half of the big files leaves half of the waiting */
	model.parts[BIG].inodes = 500;
	model.parts[BIG].stream_bytes = model.parts[BIG].media_bytes = 500.0 * MIB;
	model.parts[BIG].data_seconds = 5;
	assert_float_equal(wait_for(&model, 10 * MIB, 64 * MIB), 50 - 5 - 6.4F, 1.5F);
	dump_ranges_fini(&mixed);
	dump_ranges_fini(&apart);
}

/* Every file by itself, in some order. */
static double brute_force(double tiny, double big, double rate, double buffer)
{
	const struct sink sink = {
		.kind = SINK_RATE, .bytes_per_second = rate, .buffer_bytes = (uint64_t)buffer};
	struct random random = {11};
	struct sink_queue queue;

	sink_queue_init(&queue, &sink);
	while (tiny + big > 0) {
		if (random_unit(&random) * (tiny + big) < tiny) {
			sink_queue_put(&queue, TINY, 2 * KIB, 0.002);
			tiny--;
		} else {
			sink_queue_put(&queue, BIG, MIB, 0.01);
			big--;
		}
	}
	sink_queue_end(&queue);
	return sum(queue.wait, SINK_QUEUE_PARTS);
}

static void a_part_stands_for_all(void **state)
{
	static const double buffers[] = {0, 64 * KIB, MIB, 16 * MIB, 256 * MIB};
	static const double rates[] = {2 * MIB, 10 * MIB, 20 * MIB, 40 * MIB, 90 * MIB};
	const double tiny = 400000, big = 20000;
	struct dump_model model;
	struct dump_plan plan;

	(void)state;
	make_model(&model, &plan, tiny, big);
	for (unsigned b = 0; b < sizeof(buffers) / sizeof(*buffers); b++)
		for (unsigned r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
			double reading = tiny * 0.002 + big * 0.01;
			double truth = brute_force(tiny, big, rates[r], buffers[b]);
			double told = wait_for(&model, rates[r], buffers[b]);

			if (fabs(told - truth) > 0.03 * (reading + truth))
				fail_msg("buffer %.0f, rate %.0f: %.1f s told, %.1f s by brute "
					 "force",
					buffers[b], rates[r], told, truth);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_wait_as_the_formula_says),
		cmocka_unit_test(together_is_one_by_one),
		cmocka_unit_test(sinks_that_need_no_order),
		cmocka_unit_test(a_large_buffer_sees_the_mixture),
		cmocka_unit_test(the_order_is_that_of_the_ranges),
		cmocka_unit_test(a_part_stands_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
