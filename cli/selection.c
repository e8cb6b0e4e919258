// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/selection.h"

#include "base/cleanup.h"
#include "cli/database.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* That which is asked for must be there; of the newest, there may be none. */
static int load_calibration(struct store *store, const struct selection_args *args,
	struct selection *selection, struct err *err)
{
	const char *fs_id = selection->scan.fs_id;
	int rc = args->calibration
			 ? store_load_calibration_of(store, fs_id, (int64_t)args->calibration,
				   &selection->calibration, err)
			 : store_load_calibration(store, fs_id, &selection->calibration, err);

	selection->has_calibration = !rc;
	return rc == -ENOENT && !args->calibration ? 0 : rc;
}

int selection_load_history(struct store *store, struct selection *selection,
	const struct dump_options *dump, struct err *err)
{
	dump_history_fini(&selection->history);
	return store_load_lessons(store, selection->scan.fs_id, dump->incremental,
		dump->sink ? dump->sink->spec : "null", &selection->history, err);
}

static void correct(struct selection *selection)
{
	struct prediction *prediction = &selection->prediction;

	selection->uncorrected = (struct uncorrected){
		.seconds = prediction->seconds,
		.low_seconds = prediction->low_seconds,
		.high_seconds = prediction->high_seconds,
	};
	learn_correct(prediction, &selection->history.correction);
}

/*
 * A dump takes a whole filesystem, so a tree alone says nothing of it; and a calibration without a
 * usable sample is no reason not to show the census.
 */
int selection_predict(
	struct selection *selection, const struct prediction_request *wish, struct err *err)
{
	struct err *why = &selection->no_prediction;
	struct prediction_request request = *wish;
	int rc;

	if (!selection->has_calibration || !selection->scan.whole_filesystem)
		return 0;
	request.scan = &selection->scan;
	request.cube = &selection->cube;
	request.ages = &selection->ages;
	request.facts = &selection->facts;
	request.calibration = &selection->calibration;
	rc = prediction_make(&request, &selection->prediction, why);
	selection->has_prediction = !rc;
	if (!rc)
		correct(selection);
	else
		err_prefix(why, "calibration %" PRId64 " of %s",
			selection->calibration.calibration_id, selection->calibration.path);
	return rc && rc != -ENODATA ? err_set(err, rc, "%s", why->message) : 0;
}

static int load_scan(struct store *store, const struct selection_args *args, struct scan_info *scan,
	struct err *err)
{
	autofree char *fs = database_fs(store, args->fs, err);
	const struct store_selector selector = {
		.scan_id = (int64_t)args->scan,
		.fs = fs,
		.whole_filesystem = args->whole_filesystem,
	};

	if (args->fs && !fs)
		return err->code;
	return store_load_scan(store, &selector, scan, err);
}

/* One stream to a null sink. */
static const struct prediction_request level_0;

int selection_load(struct store *store, const struct selection_args *args,
	struct selection *selection, struct err *err)
{
	int rc;

	memset(selection, 0, sizeof(*selection));
	cube_init(&selection->cube);
	ages_init(&selection->ages, 0);
	dump_facts_init(&selection->facts, 0);
	rc = load_scan(store, args, &selection->scan, err);
	if (!rc)
		rc = store_load_cube(store, selection->scan.scan_id, &selection->cube, err);
	if (!rc && args->ages)
		rc = store_load_ages(store, selection->scan.scan_id, &selection->ages, err);
	if (!rc)
		rc = store_load_dump(store, selection->scan.scan_id, &selection->facts, err);
	if (!rc)
		rc = load_calibration(store, args, selection, err);
	if (!rc && !args->predict_later)
		rc = selection_load_history(store, selection, &level_0.dump, err);
	if (!rc && !args->predict_later)
		rc = selection_predict(selection, &level_0, err);
	if (rc)
		selection_fini(selection);
	return rc;
}

void selection_fini(struct selection *selection)
{
	if (selection->has_prediction)
		prediction_fini(&selection->prediction);
	dump_history_fini(&selection->history);
	if (selection->has_calibration)
		calibration_fini(&selection->calibration);
	dump_facts_fini(&selection->facts);
	ages_fini(&selection->ages);
	cube_fini(&selection->cube);
	scan_info_fini(&selection->scan);
}
