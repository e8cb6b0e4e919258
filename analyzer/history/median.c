// SPDX-License-Identifier: GPL-2.0-or-later
/* See median.h. */
#include "analyzer/history/median.h"

#include <math.h>
#include <stdlib.h>

#define MAD_TO_SIGMA 1.4826 /* of a normal distribution: 1 / its third quartile */

static int ascending(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void values_sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), ascending);
}

double median_of_sorted(const double *values, size_t count)
{
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double median(double *values, size_t count)
{
	values_sort(values, count);
	return median_of_sorted(values, count);
}

double median_spread(double *values, size_t count, double centre)
{
	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - centre);
	return MAD_TO_SIGMA * median(values, count);
}
