// SPDX-License-Identifier: GPL-2.0-or-later
/* See history.h. Room is made at powers of two, so that a series costs few copies. */
#include "analyzer/history/history.h"

#include "analyzer/window/prediction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *history_measure_name(enum history_measure measure)
{
	static const char *const names[HISTORY_MEASURES] = {
		[HISTORY_FILES] = "files",
		[HISTORY_TINY_FILES] = "tiny_files",
		[HISTORY_BYTES] = "bytes",
		[HISTORY_WINDOW] = "window_seconds",
	};

	return names[measure];
}

struct history_scan *history_add(struct history *history)
{
	struct history_scan *scan;

	if (!(history->count & (history->count - 1))) {
		size_t wanted = history->count ? 2 * history->count : 1;
		struct history_scan *scans = reallocarray(history->scans, wanted, sizeof(*scans));

		if (!scans)
			return NULL;
		history->scans = scans;
	}
	scan = &history->scans[history->count++];
	memset(scan, 0, sizeof(*scan));
	cube_init(&scan->cube);
	return scan;
}

void history_fini(struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		cube_fini(&history->scans[i].cube);
	free(history->scans);
	memset(history, 0, sizeof(*history));
}

size_t history_drop_later(struct history *history, int64_t seconds)
{
	size_t dropped = 0;

	while (history->count && history->scans[history->count - 1].started_seconds > seconds) {
		cube_fini(&history->scans[--history->count].cube);
		dropped++;
	}
	return dropped;
}

void history_total(struct history *history, uint64_t tiny_bytes)
{
	for (size_t i = 0; i < history->count; i++)
		census_total(&history->scans[i].cube, tiny_bytes, &history->scans[i].totals);
}

int history_price(struct history *history, const struct calibration *calibration, struct err *err)
{
	for (size_t i = 0; i < history->count; i++) {
		struct history_scan *scan = &history->scans[i];
		struct err why = {0};
		int rc = prediction_seconds(&scan->cube, calibration, &scan->window_seconds, &why);

		scan->has_window = !rc;
		if (rc && rc != -ENODATA)
			return err_set(err, rc, "%s", why.message);
	}
	return 0;
}

bool history_value(const struct history_scan *scan, enum history_measure measure, double *value)
{
	switch (measure) {
	case HISTORY_FILES:
		*value = (double)scan->totals.regular_files;
		return true;
	case HISTORY_TINY_FILES:
		*value = (double)scan->totals.tiny_files;
		return true;
	case HISTORY_BYTES:
		*value = (double)scan->totals.bytes;
		return true;
	case HISTORY_WINDOW:
		*value = scan->window_seconds;
		return scan->has_window;
	case HISTORY_MEASURES:
		break;
	}
	return false;
}

struct forecast_point *history_points(
	const struct history *history, enum history_measure measure, size_t *count)
{
	struct forecast_point *points = reallocarray(NULL, history->count + 1, sizeof(*points));

	*count = 0;
	for (size_t i = 0; points && i < history->count; i++) {
		const struct history_scan *scan = &history->scans[i];

		points[*count].seconds = (double)scan->started_seconds;
		*count += history_value(scan, measure, &points[*count].value);
	}
	return points;
}
