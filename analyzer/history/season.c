// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See season.h. The value at the end of a month is the median of the week before, so that neither
 * nights that stand out nor days of the week matter. The months of one year are held against those
 * of the other by correlation: what happened once, such as a culprit that came or went, has no
 * counterpart and spoils it, and then there is no season.
 */
#include "analyzer/history/season.h"

#include "analyzer/history/median.h"
#include "base/clock.h"

#include <math.h>

#define MONTHS           12
#define MONTH_DAYS       (365.25 / MONTHS)
#define WEEK_DAYS        7
#define WEEK_POINTS      64   /* more of a week are not needed */
#define LEAST_ALIKE      0.7  /* correlation: one in 150 where months have nothing in common */
#define LEAST_DIFFERENCE 0.02 /* of the largest value, between two pairs of months */
#define NORMAL_95        1.96

struct months {
	double values[2 * MONTHS + 1]; /* at the end of each, the newest first */
	double paces[2 * MONTHS];      /* a day */
};

/* The median of the week up to @seconds; false where there was no scan. */
static bool week_value(
	const struct forecast_point *points, size_t count, double seconds, double *value)
{
	double values[WEEK_POINTS];
	size_t found = 0;

	for (size_t i = count; i-- > 0 && found < WEEK_POINTS;) {
		double days = (seconds - points[i].seconds) / SECONDS_PER_DAY;

		if (days >= WEEK_DAYS)
			break;
		if (days >= 0)
			values[found++] = points[i].value;
	}
	if (found)
		*value = median(values, found);
	return found;
}

static bool take_months(const struct forecast_point *points, size_t count, struct months *months)
{
	double end = points[count - 1].seconds;

	for (int i = 0; i <= 2 * MONTHS; i++) {
		if (!week_value(points, count, end - i * MONTH_DAYS * SECONDS_PER_DAY,
			    &months->values[i]))
			return false;
	}
	for (int i = 0; i < 2 * MONTHS; i++)
		months->paces[i] = (months->values[i] - months->values[i + 1]) / MONTH_DAYS;
	return true;
}

/* The correlation of the paces of one year with those of the other. */
static double likeness(const struct months *months)
{
	const double *new = months->paces, *old = new + MONTHS;
	double new_mean = 0, old_mean = 0, product = 0, new_square = 0, old_square = 0;

	for (int i = 0; i < MONTHS; i++) {
		new_mean += new[i] / MONTHS;
		old_mean += old[i] / MONTHS;
	}
	for (int i = 0; i < MONTHS; i++) {
		product += (new[i] - new_mean) * (old[i] - old_mean);
		new_square += (new[i] - new_mean) * (new[i] - new_mean);
		old_square += (old[i] - old_mean) * (old[i] - old_mean);
	}
	return new_square > 0 && old_square > 0 ? product / sqrt(new_square * old_square) : 0;
}

/* The slowest and the fastest pace of two months in a row. */
static void find_range(const struct months *months, struct slope *slope)
{
	slope->low_per_day = INFINITY;
	slope->high_per_day = -INFINITY;
	for (int i = 0; i + 1 < 2 * MONTHS; i++) {
		double pace = (months->paces[i] + months->paces[i + 1]) / 2;

		slope->low_per_day = fmin(slope->low_per_day, pace);
		slope->high_per_day = fmax(slope->high_per_day, pace);
	}
}

/* Whether that range is more than nothing, as parts of the largest value. */
static bool is_worth_it(const struct months *months, const struct slope *slope)
{
	double largest = 0;

	for (int i = 0; i <= 2 * MONTHS; i++)
		largest = fmax(largest, fabs(months->values[i]));
	return (slope->high_per_day - slope->low_per_day) * 2 * MONTH_DAYS >
	       LEAST_DIFFERENCE * largest;
}

/* The line through the last week at the pace of years, and how far a year is off the other. */
static void place_line(const struct months *months, double end, struct slope *slope)
{
	double off[MONTHS + 1];

	for (int i = 0; i <= MONTHS; i++)
		off[i] = months->values[i] - months->values[i + MONTHS];
	slope->per_day = median(off, MONTHS + 1) / (MONTHS * MONTH_DAYS);
	for (int i = 0; i <= MONTHS; i++)
		off[i] -= slope->per_day * MONTHS * MONTH_DAYS;
	slope->spread = NORMAL_95 * median_spread(off, MONTHS + 1, 0);
	slope->centre_value = months->values[0];
	slope->centre_seconds = end - WEEK_DAYS / 2.0 * SECONDS_PER_DAY;
}

bool season_fit(
	const struct forecast_point *points, size_t count, struct slope *slope, size_t *first)
{
	struct months months;
	double end, since;

	if (!count || !take_months(points, count, &months))
		return false;
	find_range(&months, slope);
	if (likeness(&months) < LEAST_ALIKE || !is_worth_it(&months, slope))
		return false;
	end = points[count - 1].seconds;
	place_line(&months, end, slope);
	since = end - 2 * MONTHS * MONTH_DAYS * SECONDS_PER_DAY;
	for (*first = 0; points[*first].seconds < since; (*first)++)
		;
	return true;
}
