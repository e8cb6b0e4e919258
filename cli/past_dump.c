// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/past_dump.h"

#include "analyzer/window/prediction.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- Of what ---------------------------------------------------------------------------------- */

/* Whether two names are of the same machine, with or without its domain. */
static bool same_host(const char *a, const char *b)
{
	size_t length = strcspn(a, ".");

	return length && strcspn(b, ".") == length && !strncasecmp(a, b, length);
}

static int identify_by_mount_point(struct store *store, const struct dump_session *session,
	char fs_id[FS_ID_BYTES], struct err *why)
{
	char here[HOST_NAME_MAX + 1] = "";

	gethostname(here, sizeof(here) - 1);
	if (!same_host(session->host, here))
		return err_set(why, -ENOENT,
			"dumped on %s, and this is %s: say which filesystem it is with --fs",
			session->host, here);
	if (!store_find_fs_id(store, session->mount_point, fs_id, NULL))
		return 0;
	return err_set(why, -ENOENT,
		"no scan is known of %s: say which filesystem it is with --fs, or scan it",
		session->mount_point);
}

int past_dump_identify(struct store *store, const struct dump_session *session, const char *fs,
	char fs_id[FS_ID_BYTES], struct err *why)
{
	if (fs)
		return store_find_fs_id(store, fs, fs_id, why);
	if (session->fs_id[0] && !store_find_fs_id(store, session->fs_id, fs_id, NULL))
		return 0;
	return identify_by_mount_point(store, session, fs_id, why);
}

/* --- How long --------------------------------------------------------------------------------- */

/* What a prediction is made from. */
struct past {
	struct scan_info scan;
	struct cube cube;
	struct calibration calibration;
};

static void past_fini(struct past *past)
{
	calibration_fini(&past->calibration);
	cube_fini(&past->cube);
	scan_info_fini(&past->scan);
}

static int load_scan(struct store *store, const char *fs_id, int64_t by_seconds, struct past *past,
	struct err *why, struct err *err)
{
	struct store_selector selector = {0};
	int rc = store_find_scan_by(store, fs_id, by_seconds, &selector.scan_id, err);

	if (rc == -ENOENT)
		return err_set(why, -ENODATA, "there is no scan of all of it");
	if (!rc)
		rc = store_load_scan(store, &selector, &past->scan, err);
	if (!rc)
		rc = store_load_cube(store, past->scan.scan_id, &past->cube, err);
	return rc;
}

static int load(struct store *store, const struct dump_record *record, struct past *past,
	struct err *why, struct err *err)
{
	const struct dump_session *session = &record->session;
	int64_t by_seconds = session->has_date ? session->started_seconds : INT64_MAX;
	int rc = load_scan(store, record->fs_id, by_seconds, past, why, err);

	if (rc)
		return rc;
	rc = store_load_calibration_by(store, record->fs_id, by_seconds, &past->calibration, err);
	return rc == -ENOENT ? err_set(why, -ENODATA, "there is no calibration of it") : rc;
}

static int predict(const struct past *past, struct dump_record *record, struct err *why)
{
	struct prediction prediction;
	int rc;

	if (record->session.level)
		return err_set(why, -ENODATA, "nothing is predicted of levels above 0");
	rc = prediction_make(&past->cube, &past->calibration, past->scan.inode_chunks,
		past->scan.tiny_bytes, &prediction, why);
	if (rc)
		return rc;
	record->has_prediction = true;
	record->scan_id = past->scan.scan_id;
	record->calibration_id = past->calibration.calibration_id;
	record->predicted_seconds = prediction.seconds;
	record->predicted_low_seconds = prediction.low_seconds;
	record->predicted_high_seconds = prediction.high_seconds;
	record->predicted_bytes = prediction.dump_bytes;
	prediction_fini(&prediction);
	return 0;
}

int past_dump_predict(struct store *store, struct dump_record *record, const struct sink *sink,
	struct err *why, struct err *err)
{
	struct past past = {0};
	int rc;

	record->sink = strdup(sink->spec);
	if (!record->sink)
		return err_set(err, -ENOMEM, "out of memory");
	cube_init(&past.cube);
	rc = load(store, record, &past, why, err);
	if (!rc)
		rc = predict(&past, record, why);
	past_fini(&past);
	if (!rc || why->code)
		return rc == -ENOMEM ? err_set(err, rc, "out of memory") : 0;
	return rc;
}
