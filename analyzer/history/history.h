/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scans of a filesystem as a series: what each found, and what a dump would have taken then.
 *
 * All scans are priced with one calibration, so that the series shows what the contents did, not
 * what the array or its load did meanwhile.
 */
#ifndef ANALYZER_HISTORY_HISTORY_H
#define ANALYZER_HISTORY_HISTORY_H

#include "analyzer/census/census.h"
#include "analyzer/history/forecast.h"
#include "analyzer/window/calibration.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history_scan {
	int64_t scan_id;
	int64_t started_seconds; /* since 1970-01-01 UTC */
	uint64_t errors;         /* failures of all kinds */
	struct cube cube;        /* by kind and size class; all else in the keys is 0 */
	struct census_totals totals;
	bool has_window;
	double window_seconds; /* of a level-0 dump of it, as predicted today */
};

/* Scans, the oldest first. */
struct history {
	size_t count;
	struct history_scan *scans; /* owned */
};

/* What is followed from scan to scan. */
enum history_measure {
	HISTORY_FILES,
	HISTORY_TINY_FILES,
	HISTORY_BYTES,
	HISTORY_WINDOW,
	HISTORY_MEASURES,
};

/* The name of a measure, unit included, as in JSON: "files", "window_seconds". */
const char *history_measure_name(enum history_measure measure);

/* Appends an empty scan, valid until the next; NULL without memory. */
struct history_scan *history_add(struct history *history);
void history_fini(struct history *history);

/*
 * Takes away the scans that began after @seconds, when the newest of them did: they were taken
 * before it, so that a clock was wrong. Returns how many.
 */
size_t history_drop_later(struct history *history, int64_t seconds);

/* Sets the totals of every scan from its cube, with one edge of tiny for all. */
void history_total(struct history *history, uint64_t tiny_bytes);

/*
 * Predicts the window of every scan with @calibration; a scan that it has no sample for has none.
 * Returns 0, -ENOMEM, or -EINVAL if the calibration makes no sense, with a message.
 */
int history_price(struct history *history, const struct calibration *calibration, struct err *err);

/* What @measure was in @scan; false if that is not known. */
bool history_value(const struct history_scan *scan, enum history_measure measure, double *value);

/*
 * The values of @measure, where known, to be freed; *@count of them. NULL without memory.
 */
struct forecast_point *history_points(
	const struct history *history, enum history_measure measure, size_t *count);

#endif
