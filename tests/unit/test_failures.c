// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/census/failures.h"

#include <errno.h>
#include <stdio.h>

static void the_smallest_examples_are_kept_in_order(void **state)
{
	struct failures failures;

	(void)state;
	failures_init(&failures);
	for (int i = 0; i < 100; i++) {
		char what[16];

		snprintf(what, sizeof(what), "/d%02d", i * 37 % 100);
		failures_add(&failures, FAILURE_STAT, 1, -EIO, what);
	}
	assert_int_equal(failures.count[FAILURE_STAT], 100);
	assert_int_equal(failures.inodes[FAILURE_STAT], 100);
	assert_int_equal(failures_total(&failures), 100);
	for (int i = 0; i < FAILURE_EXAMPLES; i++) {
		char expected[16];

		snprintf(expected, sizeof(expected), "/d%02d", i);
		assert_string_equal(failures.examples[FAILURE_STAT][i].what, expected);
		assert_int_equal(failures.examples[FAILURE_STAT][i].code, -EIO);
	}
	failures_fini(&failures);
}

static void merging_in_any_order_is_the_same(void **state)
{
	struct failures a, b, sum[2];

	(void)state;
	failures_init(&a);
	failures_init(&b);
	for (int i = 0; i < 10; i++) {
		char what[16];

		snprintf(what, sizeof(what), "%c", 'a' + i);
		failures_add(i % 3 ? &a : &b, i % 2 ? FAILURE_AG : FAILURE_LOG, 0, 0, what);
	}
	for (int order = 0; order < 2; order++) {
		failures_init(&sum[order]);
		failures_merge(&sum[order], order ? &a : &b);
		failures_merge(&sum[order], order ? &b : &a);
	}
	assert_int_equal(sum[0].count[FAILURE_AG], 5);
	for (int i = 0; i < FAILURE_EXAMPLES; i++) {
		assert_string_equal(
			sum[0].examples[FAILURE_AG][i].what, sum[1].examples[FAILURE_AG][i].what);
		assert_string_equal(
			sum[0].examples[FAILURE_LOG][i].what, sum[1].examples[FAILURE_LOG][i].what);
	}
	failures_fini(&a);
	failures_fini(&b);
	failures_fini(&sum[0]);
	failures_fini(&sum[1]);
}

static void every_kind_has_a_name(void **state)
{
	(void)state;
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		assert_non_null(failure_kind_name((enum failure_kind)kind));
		assert_non_null(failure_kind_text((enum failure_kind)kind));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_examples_are_kept_in_order),
		cmocka_unit_test(merging_in_any_order_is_the_same),
		cmocka_unit_test(every_kind_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
