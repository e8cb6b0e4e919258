// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/window/sample.h"

#include <stdlib.h>

#define CHUNKS 1000

static void fill(struct sample *sample, uint64_t seed, uint32_t alloc_count)
{
	sample_init(sample, seed);
	for (uint64_t i = 0; i < CHUNKS; i++) {
		const struct xfs_chunk chunk = {
			.first_ino = 128 + 64 * i, .alloc_count = alloc_count};

		assert_int_equal(sample_add_chunk(sample, &chunk), 0);
	}
}

static void runs_are_consecutive_chunks(void **state)
{
	struct sample sample;

	(void)state;
	fill(&sample, 1, 50);
	/* Six chunks of 50 bring a run to 256 inodes; the last four make a smaller one. */
	assert_int_equal(sample.count, 167);
	assert_int_equal(sample.inodes, 50000);
	assert_int_equal(sample.runs[0].first_ino, 128);
	assert_int_equal(sample.runs[0].last_ino, 128 + 6 * 64 - 1);
	assert_int_equal(sample.runs[0].inodes, 300);
	assert_int_equal(sample.runs[1].first_ino, 128 + 6 * 64);
	assert_int_equal(sample.runs[166].inodes, 200);
	sample_fini(&sample);
}

static void empty_chunks_are_passed_over(void **state)
{
	struct sample sample;

	(void)state;
	fill(&sample, 1, 0);
	assert_int_equal(sample.count, 0);
	assert_null(sample_draw(&sample));
	sample_fini(&sample);
}

static void every_run_is_drawn_once(void **state)
{
	struct sample sample;
	char seen[CHUNKS] = {0};
	const struct sample_run *run;
	unsigned drawn = 0;

	(void)state;
	fill(&sample, 5, 64);
	while ((run = sample_draw(&sample))) {
		assert_false(seen[(run->first_ino - 128) / 64]);
		seen[(run->first_ino - 128) / 64] = 1;
		drawn++;
	}
	assert_int_equal(drawn, CHUNKS / 4);
	sample_fini(&sample);
}

static void the_seed_decides_the_order(void **state)
{
	struct sample a, b, c;
	unsigned differ = 0;

	(void)state;
	fill(&a, 5, 64);
	fill(&b, 5, 64);
	fill(&c, 6, 64);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t first = sample_draw(&a)->first_ino;

		assert_int_equal(first, sample_draw(&b)->first_ino);
		differ += first != sample_draw(&c)->first_ino;
	}
	assert_true(differ > 90);
	sample_fini(&a);
	sample_fini(&b);
	sample_fini(&c);
}

/* Each run is as likely as any other to be among the first tenth drawn. */
static void draws_are_even(void **state)
{
	unsigned drawn[CHUNKS / 4] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct sample sample;

		fill(&sample, seed, 64);
		for (unsigned i = 0; i < CHUNKS / 40; i++)
			drawn[(sample_draw(&sample)->first_ino - 128) / 256]++;
		sample_fini(&sample);
	}
	/* 100 expected, 9.5 the standard deviation, 250 runs. */
	for (unsigned i = 0; i < CHUNKS / 4; i++)
		assert_in_range(drawn[i], 60, 140);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_consecutive_chunks),
		cmocka_unit_test(empty_chunks_are_passed_over),
		cmocka_unit_test(every_run_is_drawn_once),
		cmocka_unit_test(the_seed_decides_the_order),
		cmocka_unit_test(draws_are_even),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
