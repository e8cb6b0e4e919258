/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history with what follows from it. */
#ifndef ANALYZER_HISTORY_TREND_H
#define ANALYZER_HISTORY_TREND_H

#include "analyzer/history/growth.h"
#include "analyzer/history/history.h"

struct trend {
	struct history history; /* owned */
	size_t later; /* scans that are not in it, since a clock was wrong: history_drop_later() */
	struct forecast forecasts[HISTORY_MEASURES]; /* FORECAST_NONE where nothing is known */
	struct growth growth; /* since the leading measure's forecast begins; no users: unknown */
};

/* Makes the forecasts of trend->history. Returns 0 or -ENOMEM. */
int trend_forecast(struct trend *trend);
void trend_fini(struct trend *trend);

/* What matters most of what is known: the window, else the tiny files. */
enum history_measure trend_leading(const struct trend *trend);

/* The scan at which the forecast of @measure begins, or NULL if there is none. */
const struct history_scan *trend_since(const struct trend *trend, enum history_measure measure);

#endif
