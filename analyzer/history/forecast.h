/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a series leads to: a line through its present, that is, what came after the last change for
 * good (changes.h), fitted so that days of the week and wild values do not matter (slope.h).
 *
 * It is modest. With too little history there is no forecast, and none reaches further than three
 * times what it rests on. A season of a year is a trend to it before it has come twice; from then
 * on, the pace is that of whole years (season.h).
 */
#ifndef ANALYZER_HISTORY_FORECAST_H
#define ANALYZER_HISTORY_FORECAST_H

#include <stdbool.h>
#include <stddef.h>

/* Less than this, in scans or in days, is no history. */
#define FORECAST_MIN_SCANS 5
#define FORECAST_MIN_DAYS  7

struct forecast_point {
	double seconds; /* since 1970-01-01 UTC */
	double value;
};

enum forecast_state {
	FORECAST_NONE,    /* nothing is known */
	FORECAST_MADE,    /* the other members below tell */
	FORECAST_SHORT,   /* fewer than FORECAST_MIN_SCANS scans, or days */
	FORECAST_CHANGED, /* as few since the last change for good, at `since_seconds` */
};

/* The name of a state as in JSON: "none", "made", "too-short", "changed". */
const char *forecast_state_name(enum forecast_state state);

struct forecast {
	enum forecast_state state;
	size_t scans;         /* since then */
	double since_seconds; /* the first scan that it rests on */
	double until_seconds; /* the last */
	bool changed;         /* since_seconds is where something changed for good */
	bool seasonal;        /* there is a season of a year: per_day is over whole years */
	double last_value;
	double per_day;
	double low_per_day; /* 95 % interval */
	double high_per_day;
	double centre_seconds; /* the line goes through this time and value */
	double centre_value;
	double spread;          /* half the width of the band around the line, 95 % */
	double horizon_seconds; /* until when anything is said */
};

/*
 * Makes a forecast from @points in any order. Returns 0, whatever the state, or -ENOMEM.
 */
int forecast_make(const struct forecast_point *points, size_t count, struct forecast *forecast);

/* What is expected at @seconds, and the 95 % interval of it; state must be FORECAST_MADE. */
double forecast_value(const struct forecast *forecast, double seconds, double *low, double *high);

enum crossing_state {
	CROSSING_NONE,   /* there is no forecast, or it does not go there */
	CROSSING_BEYOND, /* later than the forecast reaches */
	CROSSING_AHEAD,  /* `seconds` tells when */
	CROSSING_PAST,   /* it is above already */
};

/* The name of a state as in JSON: "never", "beyond", "ahead", "past"; "unknown" for no forecast. */
const char *crossing_state_name(const struct forecast *forecast, enum crossing_state state);

/* When a limit is passed from below. */
struct crossing {
	enum crossing_state state;
	double seconds;       /* CROSSING_AHEAD: most likely */
	double early_seconds; /* AHEAD, BEYOND: at the earliest (95 %); INFINITY past the horizon */
	double late_seconds;  /* at the latest; INFINITY likewise */
};

/* Finds when @limit is crossed. Without a forecast it only knows whether it is crossed already. */
void forecast_crossing(const struct forecast *forecast, double limit, struct crossing *crossing);

#endif
