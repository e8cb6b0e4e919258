/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The middle of values, and how far they lie from it, neither of which a few wild ones can move. */
#ifndef ANALYZER_HISTORY_MEDIAN_H
#define ANALYZER_HISTORY_MEDIAN_H

#include <stddef.h>

/* Orders @values, the smallest first. */
void values_sort(double *values, size_t count);

/* The median of sorted values, count > 0. */
double median_of_sorted(const double *values, size_t count);

/* The median of values in any order, count > 0; reorders them. */
double median(double *values, size_t count);

/*
 * The median distance of @values from @centre, as the standard deviation of normal values with
 * that distance; @values become the distances.
 */
double median_spread(double *values, size_t count, double centre);

#endif
