// SPDX-License-Identifier: GPL-2.0-or-later
/* Of which inodes the device engine reads attributes that lie in blocks. */
#include "tests/unit/test.h"

#include "analyzer/scan/device_attrs.h"
#include "base/cleanup.h"

#include <math.h>

#define AG_BITS 31 /* where a large filesystem's second allocation group begins */

static uint64_t sampled(uint64_t first, uint64_t count, uint64_t step, uint64_t inodes)
{
	uint64_t found = 0;

	for (uint64_t i = 0; i < count; i++)
		found += device_attrs_sampled(first + i * step, inodes);
	return found;
}

static void few_are_all_read(void **state)
{
	(void)state;
	assert_int_equal(sampled(128, 1000, 1, 1000), 1000);
	assert_int_equal(
		sampled(128, DEVICE_ATTRS_INODES, 1, DEVICE_ATTRS_INODES), DEVICE_ATTRS_INODES);
	assert_int_equal(sampled(128, 1000, 1, 0), 1000);
}

/* As large as wanted within five standard deviations, wherever the inodes lie. */
static void of_many_a_sample(void **state)
{
	static const uint64_t firsts[] = {128, 1ULL << AG_BITS, (77ULL << AG_BITS) + 64};
	static const uint64_t steps[] = {1, 2, 64, 4096};
	const uint64_t count = 10 * DEVICE_ATTRS_INODES;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(firsts); i++) {
		for (size_t j = 0; j < ARRAY_LENGTH(steps); j++) {
			uint64_t found = sampled(firsts[i], count, steps[j], count);

			assert_true(fabs((double)found - DEVICE_ATTRS_INODES) <
				    5 * sqrt(DEVICE_ATTRS_INODES));
		}
	}
	assert_int_equal(sampled(128, 1000, 1, UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_all_read),
		cmocka_unit_test(of_many_a_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
