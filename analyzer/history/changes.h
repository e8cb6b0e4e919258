/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a series changed for good, in level or in pace: what came before tells nothing of today. */
#ifndef ANALYZER_HISTORY_CHANGES_H
#define ANALYZER_HISTORY_CHANGES_H

#include "analyzer/history/forecast.h"

#include <stddef.h>

/* Points that changes_last() looks at, at most: its work grows with their square. */
#define CHANGES_MAX_POINTS 2000

/*
 * Sets *@first to the first of @points (in order of time, 1 ≤ count ≤ CHANGES_MAX_POINTS) that
 * belongs to the present: 0 if nothing ever changed for good. A value or two that stand out and
 * are back are no change, unless they are the last: nobody knows yet. Returns 0 or -ENOMEM.
 */
int changes_last(const struct forecast_point *points, size_t count, size_t *first);

#endif
