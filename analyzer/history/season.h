/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A season of a year: semesters, closings, holidays. To a line through some months it looks like a
 * trend; two years of history show that it comes again.
 */
#ifndef ANALYZER_HISTORY_SEASON_H
#define ANALYZER_HISTORY_SEASON_H

#include "analyzer/history/slope.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the months of the last year went as those of the year before, in @points, in order of
 * time. If so, @slope is the pace over whole years, its interval the paces that two months in a row
 * had, and *@first the first point that it rests on.
 */
bool season_fit(
	const struct forecast_point *points, size_t count, struct slope *slope, size_t *first);

#endif
