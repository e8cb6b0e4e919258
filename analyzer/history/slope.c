// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See slope.h. References: Sen (1968) for the interval, Hirsch and Slack (1984) for comparing
 * within seasons only. Both take values as independent; where what is left over after the line
 * depends on the scan before (correlation r), there are (1 - r) / (1 + r) times as many.
 */
#include "analyzer/history/slope.h"

#include "analyzer/history/median.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WEEK            7
#define SEASON_DAYS     21 /* history from which on days of the week are told apart */
#define SEASON_POINTS   15
#define SEASON_GAP_DAYS 3.5 /* scans less often than twice a week show no week */
#define LEAST_PAIR_DAYS 0.5 /* scans of the same day say nothing of growth */
#define LEAST_PAIRS     10
#define MOST_DEPENDENCE 0.9
#define NORMAL_95       1.96

/* What is compared with what. */
struct fit {
	const struct forecast_point *points;
	size_t count;
	int seasons;         /* 7, or 1: all with all */
	double *slopes;      /* of the pairs, ascending */
	size_t pairs;        /* of them */
	double *left;        /* of the values after the line */
	double *work;        /* room for as many again */
	double kendall_root; /* standard deviation of Kendall's statistic */
};

static double days_between(const struct forecast_point *a, const struct forecast_point *b)
{
	return (b->seconds - a->seconds) / SECONDS_PER_DAY;
}

/* The season of point @i: its day of the week, counted from the last point's time of day. */
static int season(const struct fit *fit, size_t i)
{
	double days = days_between(&fit->points[i], &fit->points[fit->count - 1]);

	return (int)fmod(floor(days + 0.5), fit->seasons);
}

static bool has_weeks(const struct fit *fit)
{
	double days = days_between(&fit->points[0], &fit->points[fit->count - 1]);

	return days >= SEASON_DAYS && fit->count >= SEASON_POINTS &&
	       days / (double)(fit->count - 1) <= SEASON_GAP_DAYS;
}

/* The slopes between all pairs that are compared. */
static void take_pairs(struct fit *fit, double least_days)
{
	fit->pairs = 0;
	for (size_t j = 1; j < fit->count; j++) {
		for (size_t i = 0; i < j; i++) {
			double days = days_between(&fit->points[i], &fit->points[j]);

			if (days >= least_days && season(fit, i) == season(fit, j))
				fit->slopes[fit->pairs++] =
					(fit->points[j].value - fit->points[i].value) / days;
		}
	}
	values_sort(fit->slopes, fit->pairs);
}

/* Pairs of the same day of the week if there are enough, else all. */
static void choose_pairs(struct fit *fit)
{
	fit->seasons = has_weeks(fit) ? WEEK : 1;
	take_pairs(fit, LEAST_PAIR_DAYS);
	if (fit->pairs >= LEAST_PAIRS)
		return;
	fit->seasons = 1;
	take_pairs(fit, LEAST_PAIR_DAYS);
	if (!fit->pairs)
		take_pairs(fit, 1e-9);
}

/* The variance of Kendall's statistic is n (n - 1) (2n + 5) / 18 for each season. */
static void kendall(struct fit *fit)
{
	double members[WEEK] = {0}, variance = 0;

	for (size_t i = 0; i < fit->count; i++)
		members[season(fit, i)]++;
	for (int i = 0; i < fit->seasons; i++)
		variance += members[i] * (members[i] - 1) * (2 * members[i] + 5) / 18;
	fit->kendall_root = sqrt(variance);
}

/* Takes away what the days of the week differ by. */
static void take_seasons_away(struct fit *fit)
{
	for (int s = 0; s < fit->seasons; s++) {
		size_t members = 0;
		double usual;

		for (size_t i = 0; i < fit->count; i++) {
			if (season(fit, i) == s)
				fit->work[members++] = fit->left[i];
		}
		usual = members ? median(fit->work, members) : 0;
		for (size_t i = 0; i < fit->count; i++) {
			if (season(fit, i) == s)
				fit->left[i] -= usual;
		}
	}
}

/* How much what is left of a value depends on that of the scan before, 0 to MOST_DEPENDENCE. */
static double dependence(const struct fit *fit)
{
	double square = 0, product = 0;

	for (size_t i = 0; i < fit->count; i++) {
		square += fit->left[i] * fit->left[i];
		if (i)
			product += fit->left[i] * fit->left[i - 1];
	}
	return square > 0 ? fmin(fmax(product / square, 0), MOST_DEPENDENCE) : 0;
}

/* Through the middle of the points, with the slope known already. */
static void place_line(struct fit *fit, struct slope *slope)
{
	double level;

	slope->centre_seconds = (fit->points[0].seconds + fit->points[fit->count - 1].seconds) / 2;
	for (size_t i = 0; i < fit->count; i++) {
		double days = (fit->points[i].seconds - slope->centre_seconds) / SECONDS_PER_DAY;

		fit->left[i] = fit->points[i].value - slope->per_day * days;
		fit->work[i] = fit->left[i];
	}
	level = median(fit->work, fit->count);
	slope->centre_value = level;
	for (size_t i = 0; i < fit->count; i++) {
		fit->left[i] -= level;
		fit->work[i] = fit->left[i];
	}
	slope->spread = NORMAL_95 * median_spread(fit->work, fit->count, 0);
}

static void find_interval(struct fit *fit, struct slope *slope)
{
	double r, half, low, high;

	kendall(fit);
	take_seasons_away(fit);
	r = dependence(fit);
	half = NORMAL_95 * fit->kendall_root * sqrt((1 + r) / (1 - r)) / 2;
	low = floor((double)fit->pairs / 2 - half);
	high = ceil((double)fit->pairs / 2 + half);
	slope->low_per_day = fit->slopes[(size_t)fmax(low, 0)];
	slope->high_per_day = fit->slopes[(size_t)fmin(high, (double)fit->pairs - 1)];
}

int slope_fit(const struct forecast_point *points, size_t count, struct slope *slope)
{
	struct fit fit = {
		.points = points,
		.count = count,
		.slopes = calloc(count * (count - 1) / 2, sizeof(double)),
		.left = calloc(2 * count, sizeof(double)),
	};
	int rc = fit.slopes && fit.left ? 0 : -ENOMEM;

	if (!rc) {
		fit.work = fit.left + count;
		choose_pairs(&fit);
		slope->per_day = median_of_sorted(fit.slopes, fit.pairs);
		place_line(&fit, slope);
		find_interval(&fit, slope);
	}
	free(fit.slopes);
	free(fit.left);
	return rc;
}
