// SPDX-License-Identifier: GPL-2.0-or-later
/* See trend.h. */
#include "analyzer/history/trend.h"

#include <errno.h>
#include <stdlib.h>

static int forecast_measure(struct trend *trend, enum history_measure measure)
{
	size_t count;
	struct forecast_point *points = history_points(&trend->history, measure, &count);
	int rc = points ? forecast_make(points, count, &trend->forecasts[measure]) : -ENOMEM;

	free(points);
	return rc;
}

int trend_forecast(struct trend *trend)
{
	int rc = 0;

	for (int measure = 0; measure < HISTORY_MEASURES && !rc; measure++)
		rc = forecast_measure(trend, (enum history_measure)measure);
	return rc;
}

void trend_fini(struct trend *trend)
{
	history_fini(&trend->history);
	growth_fini(&trend->growth);
}

enum history_measure trend_leading(const struct trend *trend)
{
	const struct history *history = &trend->history;

	return history->count && history->scans[history->count - 1].has_window ? HISTORY_WINDOW
									       : HISTORY_TINY_FILES;
}

const struct history_scan *trend_since(const struct trend *trend, enum history_measure measure)
{
	const struct forecast *forecast = &trend->forecasts[measure];
	const struct history *history = &trend->history;

	if (forecast->state != FORECAST_MADE)
		return NULL;
	for (size_t i = 0; i < history->count; i++) {
		if ((double)history->scans[i].started_seconds >= forecast->since_seconds)
			return &history->scans[i];
	}
	return NULL;
}
