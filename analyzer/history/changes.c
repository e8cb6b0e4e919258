// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See changes.h. The series is cut into pieces, each near a line of its own, such that the squared
 * distances from the lines plus a price for every piece are least (optimal partitioning: exact,
 * n² steps, each of them constant by way of prefix sums).
 *
 * The price decides what a change is. It is a multiple of the noise, and noise is how far values
 * lie off lines through half a month around them: those follow trends, but not the days of the
 * week, so that a weekend is no change; and their median does not see the few that are near a step.
 * Noise is seldom independent from scan to scan, so the price is four times what theory asks for
 * where it is.
 */
#include "analyzer/history/changes.h"

#include "analyzer/history/median.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISE_DAYS    7    /* that a line is fitted to, to either side */
#define NOISE_POINTS  3    /* at least so many to either side */
#define NOISE_MAX     50   /* and at most */
#define LEAST_NOISE   1e-3 /* of the largest value: what nobody would call a change */
#define OUTLIER       6    /* times the spread of its neighbours */
#define NEIGHBOURS    2    /* to either side of a value that may stand out */
#define MOST_LEVERAGE 0.9  /* of a point on its line: above, it always lies on it */
#define PIECE_PRICE   12   /* squared noise · ln n: level, slope and place, times four */

/* Prefix sums: entry i is over the points before i. */
struct sums {
	double t, y, tt, ty, yy;
};

/* A series scaled to numbers near 1, and what is known of its pieces. */
struct series {
	size_t count;
	double *days;   /* since the middle */
	double *values; /* of the largest; outliers removed */
	struct sums *sums;
	double *cost;    /* of the best partition of the points before i */
	size_t *started; /* where its last piece starts */
};

/* Puts values that stand out among those beside them back in line. */
static void remove_outliers(struct series *series, const double *raw)
{
	double window[2 * NEIGHBOURS + 1], spread, middle;

	for (size_t i = NEIGHBOURS; i + NEIGHBOURS < series->count; i++) {
		memcpy(window, raw + i - NEIGHBOURS, sizeof(window));
		middle = median(window, 2 * NEIGHBOURS + 1);
		spread = median_spread(window, 2 * NEIGHBOURS + 1, middle);
		if (fabs(raw[i] - middle) > OUTLIER * fmax(spread, LEAST_NOISE))
			series->values[i] = middle;
	}
}

static void add_up(struct series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct sums *before = &series->sums[i];
		double t = series->days[i], y = series->values[i];

		series->sums[i + 1] = (struct sums){.t = before->t + t,
			.y = before->y + y,
			.tt = before->tt + t * t,
			.ty = before->ty + t * y,
			.yy = before->yy + y * y};
	}
}

/* A piece of the series: its centre, and sums of squares and products around that. */
struct line {
	double days, value, tt, ty, yy;
};

/* Of the points first ≤ i < end. */
static struct line fit_line(const struct series *series, size_t first, size_t end)
{
	const struct sums *a = &series->sums[first], *b = &series->sums[end];
	double n = (double)(end - first), t = b->t - a->t, y = b->y - a->y;

	return (struct line){.days = t / n,
		.value = y / n,
		.tt = b->tt - a->tt - t * t / n,
		.ty = b->ty - a->ty - t * y / n,
		.yy = b->yy - a->yy - y * y / n};
}

/* Squared distances of a piece from the line that fits it best. */
static double piece_cost(const struct series *series, size_t first, size_t end)
{
	const struct line line = fit_line(series, first, end);

	if (end - first <= 2)
		return 0;
	return fmax(0, line.tt > 0 ? line.yy - line.ty * line.ty / line.tt : line.yy);
}

/* The points around @i that its line is fitted to: first ≤ i < *end. */
static size_t neighbourhood(const struct series *series, size_t i, size_t *end)
{
	size_t first = i, last = i;

	while (first > 0 && i - first < NOISE_MAX &&
		(i - first < NOISE_POINTS ||
			series->days[i] - series->days[first - 1] <= NOISE_DAYS))
		first--;
	while (last + 1 < series->count && last - i < NOISE_MAX &&
		(last - i < NOISE_POINTS || series->days[last + 1] - series->days[i] <= NOISE_DAYS))
		last++;
	*end = last + 1;
	return first;
}

/* How far value @i is off the line that fits its neighbourhood best, as noise of its own. */
static double distance(const struct series *series, size_t i)
{
	size_t end, first = neighbourhood(series, i, &end);
	const struct line line = fit_line(series, first, end);
	double from_centre = series->days[i] - line.days, leverage;

	if (line.tt <= 0)
		return 0;
	leverage = 1 / (double)(end - first) + from_centre * from_centre / line.tt;
	if (leverage > MOST_LEVERAGE)
		return 0;
	return (series->values[i] - line.value - line.ty / line.tt * from_centre) /
	       sqrt(1 - leverage);
}

/* The standard deviation of the noise; @work has room for all values. */
static double noise(const struct series *series, double *work)
{
	for (size_t i = 0; i < series->count; i++)
		work[i] = distance(series, i);
	return fmax(median_spread(work, series->count, 0), LEAST_NOISE);
}

static void partition(struct series *series, double price)
{
	series->cost[0] = -price;
	for (size_t end = 1; end <= series->count; end++) {
		series->cost[end] = INFINITY;
		for (size_t first = 0; first < end; first++) {
			double cost = series->cost[first] + price + piece_cost(series, first, end);

			if (cost < series->cost[end]) {
				series->cost[end] = cost;
				series->started[end] = first;
			}
		}
	}
}

static int series_init(struct series *series, size_t count)
{
	*series = (struct series){
		.count = count,
		.days = calloc(count, sizeof(*series->days)),
		.values = calloc(count, sizeof(*series->values)),
		.sums = calloc(count + 1, sizeof(*series->sums)),
		.cost = calloc(count + 1, sizeof(*series->cost)),
		.started = calloc(count + 1, sizeof(*series->started)),
	};
	return series->days && series->values && series->sums && series->cost && series->started
		       ? 0
		       : -ENOMEM;
}

static void series_fini(struct series *series)
{
	free(series->days);
	free(series->values);
	free(series->sums);
	free(series->cost);
	free(series->started);
}

/* The values as parts of the largest, around 0: what is far from 0 would cost digits. */
static void scale(
	struct series *series, const struct forecast_point *points, size_t count, double *raw)
{
	double largest = 0, middle = (points[0].seconds + points[count - 1].seconds) / 2;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(points[i].value));
	for (size_t i = 0; i < count; i++) {
		series->days[i] = (points[i].seconds - middle) / SECONDS_PER_DAY;
		raw[i] = largest > 0 ? points[i].value / largest - 0.5 : 0;
		series->values[i] = raw[i];
	}
}

int changes_last(const struct forecast_point *points, size_t count, size_t *first)
{
	struct series series;
	double *raw = calloc(2 * count, sizeof(*raw));
	int rc = series_init(&series, count);

	if (raw && !rc) {
		double sigma;

		scale(&series, points, count, raw);
		add_up(&series);
		sigma = noise(&series, raw + count);
		remove_outliers(&series, raw);
		add_up(&series);
		partition(&series, PIECE_PRICE * sigma * sigma * log((double)count + 1));
		*first = series.started[count];
	}
	series_fini(&series);
	rc = raw ? rc : -ENOMEM;
	free(raw);
	return rc;
}
