/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line through points that single wild values cannot turn: the Theil-Sen estimate, the median of
 * the slopes between all pairs, with the interval that Kendall's statistic gives.
 */
#ifndef ANALYZER_HISTORY_SLOPE_H
#define ANALYZER_HISTORY_SLOPE_H

#include "analyzer/history/forecast.h"

#include <stdbool.h>
#include <stddef.h>

struct slope {
	double per_day;
	double low_per_day; /* 95 % interval */
	double high_per_day;
	double centre_seconds; /* the line goes through (centre_seconds, centre_value) */
	double centre_value;
	double spread; /* half of what 95 % of the points keep within, around the line */
};

/*
 * Fits @points, in order of time, two or more at different times. Where there are weeks of them,
 * only points of the same day of the week are compared, so that weekends do not matter. Returns 0
 * or -ENOMEM.
 */
int slope_fit(const struct forecast_point *points, size_t count, struct slope *slope);

#endif
