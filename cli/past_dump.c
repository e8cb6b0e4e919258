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
	char said[FS_ID_BYTES] = "";
	bool is_said = session->fs_id[0] && !store_find_fs_id(store, session->fs_id, said, NULL);
	int rc;

	if (!fs && is_said)
		memcpy(fs_id, said, FS_ID_BYTES);
	if (!fs)
		return is_said ? 0 : identify_by_mount_point(store, session, fs_id, why);
	rc = store_find_fs_id(store, fs, fs_id, why);
	if (!rc && is_said && strcmp(said, fs_id) != 0)
		return err_set(why, -EINVAL,
			"its log says that it is of filesystem %s: read that log without --fs",
			said);
	return rc;
}

/* --- How long --------------------------------------------------------------------------------- */

/* What a prediction is made from. */
struct past {
	struct scan_info scan;
	struct cube cube;
	struct ages ages;
	struct dump_facts facts;
	struct calibration calibration;
};

static void past_init(struct past *past)
{
	memset(past, 0, sizeof(*past));
	cube_init(&past->cube);
	ages_init(&past->ages, 0);
	dump_facts_init(&past->facts, 0);
}

static void past_fini(struct past *past)
{
	calibration_fini(&past->calibration);
	dump_facts_fini(&past->facts);
	ages_fini(&past->ages);
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
	if (!rc)
		rc = store_load_ages(store, past->scan.scan_id, &past->ages, err);
	return rc ? rc : store_load_dump(store, past->scan.scan_id, &past->facts, err);
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

/* The dump as xfsdump was told to make it, as far as its log says. */
static int find_options(const struct past *past, const struct dump_session *session,
	const struct sink *sink, struct dump_options *dump, struct err *why)
{
	const struct sink *measured = &past->calibration.sink;

	*dump = (struct dump_options){
		.incremental = session->level > 0,
		.level = session->level,
		.since_seconds = session->base_seconds,
		.streams = session->streams,
		.sink = sink,
	};
	if (dump->incremental && !session->has_base_date)
		return err_set(why, -ENODATA, "its log does not say since when it takes changes");
	if (dump->streams > DUMP_STREAMS_MAX)
		return err_set(why, -ENODATA, "it has more streams than xfsdump can have");
	if (sink->bytes_per_second > 0)
		return 0;
	if (!measured->spec || strcmp(measured->spec, sink->spec) != 0)
		return err_set(why, -ENODATA,
			"sink %s was not measured: run xfscensus calibrate --sink=%s", sink->spec,
			sink->spec);
	dump->sink = measured;
	return 0;
}

static int predict(const struct past *past, struct dump_record *record, const struct sink *sink,
	struct err *why)
{
	struct prediction_request request = {
		.scan = &past->scan,
		.cube = &past->cube,
		.ages = &past->ages,
		.facts = &past->facts,
		.calibration = &past->calibration,
	};
	struct prediction prediction;
	int rc = find_options(past, &record->session, sink, &request.dump, why);

	if (!rc)
		rc = prediction_make(&request, &prediction, why);
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
	struct past past;
	int rc;

	record->sink = strdup(sink->spec);
	if (!record->sink)
		return err_set(err, -ENOMEM, "out of memory");
	past_init(&past);
	rc = load(store, record, &past, why, err);
	if (!rc)
		rc = predict(&past, record, sink, why);
	past_fini(&past);
	if (!rc || why->code)
		return rc == -ENOMEM ? err_set(err, rc, "out of memory") : 0;
	return rc;
}
