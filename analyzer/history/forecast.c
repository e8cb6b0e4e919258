// SPDX-License-Identifier: GPL-2.0-or-later
/* See forecast.h. */
#include "analyzer/history/forecast.h"

#include "analyzer/history/changes.h"
#include "analyzer/history/season.h"
#include "analyzer/history/slope.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FITTED_POINTS 500 /* the newest of them: pairs grow with their square */
#define REACH             3   /* times the history that it rests on */
#define LEAST_REACH_DAYS  30
#define MOST_REACH_DAYS   (3 * 365)

const char *forecast_state_name(enum forecast_state state)
{
	static const char *const names[] = {
		[FORECAST_NONE] = "none",
		[FORECAST_MADE] = "made",
		[FORECAST_SHORT] = "too-short",
		[FORECAST_CHANGED] = "changed",
	};

	return names[state];
}

static int by_time(const void *left, const void *right)
{
	const struct forecast_point *a = left, *b = right;

	return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static bool is_enough(const struct forecast_point *points, size_t count)
{
	return count >= FORECAST_MIN_SCANS &&
	       points[count - 1].seconds - points[0].seconds >= FORECAST_MIN_DAYS * SECONDS_PER_DAY;
}

/* What it is made of: the points from @first on. */
static void set_present(
	struct forecast *forecast, const struct forecast_point *points, size_t first, size_t count)
{
	forecast->scans = count - first;
	forecast->since_seconds = points[first].seconds;
	forecast->until_seconds = points[count - 1].seconds;
	forecast->last_value = points[count - 1].value;
	forecast->changed = first > 0;
}

static void set_horizon(struct forecast *forecast)
{
	double days = REACH * (forecast->until_seconds - forecast->since_seconds) / SECONDS_PER_DAY;

	days = fmin(fmax(days, LEAST_REACH_DAYS), MOST_REACH_DAYS);
	forecast->horizon_seconds = forecast->until_seconds + days * SECONDS_PER_DAY;
}

static void set_line(struct forecast *forecast, const struct slope *slope)
{
	forecast->state = FORECAST_MADE;
	forecast->per_day = slope->per_day;
	forecast->low_per_day = slope->low_per_day;
	forecast->high_per_day = slope->high_per_day;
	forecast->centre_seconds = slope->centre_seconds;
	forecast->centre_value = slope->centre_value;
	forecast->spread = slope->spread;
	set_horizon(forecast);
}

static int fit(struct forecast *forecast, const struct forecast_point *points, size_t count)
{
	size_t skipped = count > MAX_FITTED_POINTS ? count - MAX_FITTED_POINTS : 0;
	struct slope slope;
	int rc = slope_fit(points + skipped, count - skipped, &slope);

	if (!rc)
		set_line(forecast, &slope);
	return rc;
}

/* @points are in order of time. */
static int make(struct forecast *forecast, const struct forecast_point *points, size_t count)
{
	struct slope slope;
	size_t first = 0;
	int rc;

	if (count > CHANGES_MAX_POINTS) {
		points += count - CHANGES_MAX_POINTS;
		count = CHANGES_MAX_POINTS;
	}
	set_present(forecast, points, 0, count);
	forecast->state = FORECAST_SHORT;
	if (!is_enough(points, count))
		return 0;
	if (season_fit(points, count, &slope, &first)) {
		set_present(forecast, points, first, count);
		forecast->changed = false;
		forecast->seasonal = true;
		set_line(forecast, &slope);
		return 0;
	}
	rc = changes_last(points, count, &first);
	if (rc)
		return rc;
	set_present(forecast, points, first, count);
	forecast->state = FORECAST_CHANGED;
	if (!is_enough(points + first, count - first))
		return 0;
	return fit(forecast, points + first, count - first);
}

int forecast_make(const struct forecast_point *points, size_t count, struct forecast *forecast)
{
	struct forecast_point *sorted;
	int rc;

	memset(forecast, 0, sizeof(*forecast));
	if (!count)
		return 0;
	sorted = reallocarray(NULL, count, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, points, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_time);
	rc = make(forecast, sorted, count);
	free(sorted);
	return rc;
}

double forecast_value(const struct forecast *forecast, double seconds, double *low, double *high)
{
	double days = (seconds - forecast->centre_seconds) / SECONDS_PER_DAY;
	double slow = fmin(forecast->low_per_day * days, forecast->high_per_day * days);
	double fast = fmax(forecast->low_per_day * days, forecast->high_per_day * days);

	*low = forecast->centre_value + slow - forecast->spread;
	*high = forecast->centre_value + fast + forecast->spread;
	return forecast->centre_value + forecast->per_day * days;
}

const char *crossing_state_name(const struct forecast *forecast, enum crossing_state state)
{
	static const char *const names[] = {
		[CROSSING_NONE] = "never",
		[CROSSING_BEYOND] = "beyond",
		[CROSSING_AHEAD] = "ahead",
		[CROSSING_PAST] = "past",
	};

	if (state == CROSSING_NONE && forecast->state != FORECAST_MADE)
		return "unknown";
	return names[state];
}

/* When the line from @value at the centre passes @limit; not before now, INFINITY if too late. */
static double passes(const struct forecast *forecast, double value, double per_day, double limit)
{
	double seconds;

	if (per_day <= 0)
		return INFINITY;
	seconds = forecast->centre_seconds + (limit - value) / per_day * SECONDS_PER_DAY;
	seconds = fmax(seconds, forecast->until_seconds);
	return seconds <= forecast->horizon_seconds ? seconds : INFINITY;
}

void forecast_crossing(const struct forecast *forecast, double limit, struct crossing *crossing)
{
	double value = forecast->centre_value, spread = forecast->spread;

	*crossing = (struct crossing){
		.seconds = INFINITY, .early_seconds = INFINITY, .late_seconds = INFINITY};
	if (forecast->state != FORECAST_NONE && forecast->last_value > limit) {
		crossing->state = CROSSING_PAST;
		return;
	}
	if (forecast->state != FORECAST_MADE)
		return;
	crossing->seconds = passes(forecast, value, forecast->per_day, limit);
	crossing->early_seconds = passes(forecast, value + spread, forecast->high_per_day, limit);
	crossing->late_seconds = passes(forecast, value - spread, forecast->low_per_day, limit);
	if (isfinite(crossing->seconds))
		crossing->state = CROSSING_AHEAD;
	else if (forecast->per_day > 0)
		crossing->state = CROSSING_BEYOND;
}
