/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came before a selected scan: the series that leads to it, and what changed since. */
#ifndef CLI_PAST_H
#define CLI_PAST_H

#include "analyzer/history/trend.h"
#include "cli/selection.h"
#include "storage/store.h"

/*
 * Loads the scans up to the selected one, prices them with the newest calibration where there is
 * one, makes the forecasts, and compares the selected scan with the one at which the leading
 * forecast begins. Of one user (@uid not NULL) there are no windows, and nobody to compare. The
 * result is the caller's, to be freed by trend_fini() also after an error.
 */
int past_load_trend(struct store *store, const struct selection *selection, const uint32_t *uid,
	struct trend *trend, struct err *err);

/* Compares the selected scan with the older one @scan_id. The result is the caller's. */
int past_load_growth(struct store *store, const struct selection *selection, int64_t scan_id,
	struct growth *growth, struct err *err);

/*
 * The scan of the history up to the selected one, its last, that began at @seconds or was the last
 * before; the oldest if all began later. -ENODATA with a message if there is no older scan at all.
 */
int past_find_since(const struct history *history, const struct selection *selection,
	int64_t seconds, int64_t *scan_id, struct err *err);

/* The one that began nearest to @seconds, but before the selected one. Else as above. */
int past_find_near(const struct history *history, const struct selection *selection,
	int64_t seconds, int64_t *scan_id, struct err *err);

#endif
