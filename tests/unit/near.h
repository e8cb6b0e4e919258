/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real numbers that are to be as good as equal; cmocka's own are of single precision. */
#ifndef TESTS_UNIT_NEAR_H
#define TESTS_UNIT_NEAR_H

#include "tests/unit/test.h"

#include <math.h>

#define assert_near(actual, expected, tolerance)                                                 \
	do {                                                                                     \
		double near_actual = (actual), near_expected = (expected);                       \
                                                                                                 \
		if (!(fabs(near_actual - near_expected) <= (tolerance)))                         \
			fail_msg("%s is %.12g, not %.12g", #actual, near_actual, near_expected); \
	} while (0)

#endif
