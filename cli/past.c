// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/past.h"

#include <errno.h>
#include <string.h>

/* An older scan of the selected one's filesystem. */
struct older {
	struct scan_info scan;
	struct cube cube;
	bool has_prediction;
	struct prediction prediction;
};

static void older_fini(struct older *older)
{
	if (older->has_prediction)
		prediction_fini(&older->prediction);
	cube_fini(&older->cube);
	scan_info_fini(&older->scan);
}

/* Its contents at today's prices; a calibration that has no sample for them is no error. */
static int predict(struct older *older, const struct selection *selection, struct err *err)
{
	struct scan_info scan = older->scan; /* with the edge of today */
	const struct prediction_request request = {
		.scan = &scan,
		.cube = &older->cube,
		.calibration = &selection->calibration,
	};
	struct err why = {0};
	int rc;

	if (!selection->has_prediction)
		return 0;
	scan.tiny_bytes = selection->scan.tiny_bytes;
	rc = prediction_make(&request, &older->prediction, &why);
	older->has_prediction = !rc;
	return rc && rc != -ENODATA ? err_set(err, rc, "%s", why.message) : 0;
}

static int older_load(struct older *older, struct store *store, const struct selection *selection,
	int64_t scan_id, struct err *err)
{
	int rc;

	memset(older, 0, sizeof(*older));
	cube_init(&older->cube);
	rc = store_load_scan(
		store, &(struct store_selector){.scan_id = scan_id}, &older->scan, err);
	if (!rc)
		rc = store_load_cube(store, scan_id, &older->cube, err);
	if (!rc)
		rc = predict(older, selection, err);
	if (rc)
		older_fini(older);
	return rc;
}

static int compare(const struct older *older, const struct selection *selection,
	struct growth *growth, struct err *err)
{
	const struct growth_scan before = {
		.scan_id = older->scan.scan_id,
		.started_seconds = older->scan.started_seconds,
		.cube = &older->cube,
		.prediction = older->has_prediction ? &older->prediction : NULL,
	};
	const struct growth_scan after = {
		.scan_id = selection->scan.scan_id,
		.started_seconds = selection->scan.started_seconds,
		.cube = &selection->cube,
		.prediction = selection->has_prediction ? &selection->prediction : NULL,
	};

	return growth_make(&before, &after, selection->scan.tiny_bytes, growth)
		       ? err_set(err, -ENOMEM, "out of memory")
		       : 0;
}

int past_load_growth(struct store *store, const struct selection *selection, int64_t scan_id,
	struct growth *growth, struct err *err)
{
	struct older older;
	int rc = older_load(&older, store, selection, scan_id, err);

	memset(growth, 0, sizeof(*growth));
	if (rc)
		return rc;
	rc = compare(&older, selection, growth, err);
	older_fini(&older);
	return rc;
}

static int load_driver(struct store *store, const struct selection *selection, struct trend *trend,
	struct err *err)
{
	const struct history_scan *since = trend_since(trend, trend_leading(trend));

	if (!since || since->scan_id == selection->scan.scan_id)
		return 0;
	return past_load_growth(store, selection, since->scan_id, &trend->growth, err);
}

int past_load_trend(struct store *store, const struct selection *selection, const uint32_t *uid,
	struct trend *trend, struct err *err)
{
	struct history *history = &trend->history;
	int rc;

	memset(trend, 0, sizeof(*trend));
	rc = store_load_history(store, selection->scan.scan_id, uid, history, err);
	if (rc)
		return rc;
	trend->later = history_drop_later(history, selection->scan.started_seconds);
	history_total(history, selection->scan.tiny_bytes);
	if (selection->has_prediction && !uid)
		rc = history_price(history, &selection->calibration, err);
	if (!rc && trend_forecast(trend))
		rc = err_set(err, -ENOMEM, "out of memory");
	return rc || uid ? rc : load_driver(store, selection, trend, err);
}

static int tell_alone(const struct selection *selection, struct err *err)
{
	const struct scan_info *scan = &selection->scan;
	const char *path = scan->mount_point ? scan->mount_point : scan->path;

	return err_set(err, -ENODATA,
		"scan %lld is the first of %s: there is nothing to compare it with before the "
		"next scan",
		(long long)scan->scan_id, path);
}

/* Taken before the selected one, by its number and by its date. */
static bool is_older(const struct history_scan *scan, const struct selection *selection)
{
	return scan->scan_id != selection->scan.scan_id &&
	       scan->started_seconds <= selection->scan.started_seconds;
}

int past_find_since(const struct history *history, const struct selection *selection,
	int64_t seconds, int64_t *scan_id, struct err *err)
{
	*scan_id = 0;
	for (size_t i = 0; i < history->count; i++) {
		const struct history_scan *scan = &history->scans[i];

		if (!is_older(scan, selection))
			continue;
		if (!*scan_id || scan->started_seconds <= seconds)
			*scan_id = scan->scan_id;
	}
	return *scan_id ? 0 : tell_alone(selection, err);
}

/* Times are as the clock had them, which may have been anything. */
static uint64_t apart(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

int past_find_near(const struct history *history, const struct selection *selection,
	int64_t seconds, int64_t *scan_id, struct err *err)
{
	uint64_t nearest = UINT64_MAX;

	*scan_id = 0;
	for (size_t i = 0; i < history->count; i++) {
		const struct history_scan *scan = &history->scans[i];
		uint64_t distance = apart(scan->started_seconds, seconds);

		if (!is_older(scan, selection) || distance >= nearest)
			continue;
		nearest = distance;
		*scan_id = scan->scan_id;
	}
	return *scan_id ? 0 : tell_alone(selection, err);
}
