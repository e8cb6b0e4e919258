// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `xfscensus calibrate PATH`: measures how fast files can be read, and the sink if one is named,
 * and stores it. The sink comes first: what is wrong with it is known before anything long is
 * done.
 */
#include "analyzer/scan/target.h"
#include "analyzer/window/calibrate.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/long_job.h"
#include "cli/output.h"
#include "reports/report.h"

#include <errno.h>
#include <math.h>

struct calibrate_args {
	struct common_args common;
	double budget_seconds;
	double patience_seconds;
	const char *sink;
	uint64_t seed;
	bool nice;
};

#define MAX_BUDGET_SECONDS (7 * 86400.0)
#define SINK_SHARE         (1.0 / 6) /* of the budget */
#define SINK_MAX_SECONDS   60.0

static const struct option_spec options[] = {
	{.name = "budget",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct calibrate_args, budget_seconds),
		.value = "DURATION",
		.help = "how long it may take at most; 60s by default"},
	{.name = "sink",
		.type = OPTION_TEXT,
		.offset = offsetof(struct calibrate_args, sink),
		.value = "SINK",
		.help = "also measure where dumps go: null, rate:BYTES, file:PATH or "
			"pipe:COMMAND"},
	{.name = "nice",
		.type = OPTION_FLAG,
		.offset = offsetof(struct calibrate_args, nice),
		.help = "leave the array to others for two thirds of the time, and let their reads "
			"go first"},
	{.name = "seed",
		.type = OPTION_COUNT,
		.offset = offsetof(struct calibrate_args, seed),
		.value = "N",
		.max = INT64_MAX,
		.help = "start of the random choice of files; the same number chooses the same "
			"ones"},
	{.name = "patience",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct calibrate_args, patience_seconds),
		.value = "DURATION",
		.help = "how long to wait for a locked database at the end",
		.hidden = true},
	{0},
};

static void defaults(void *arguments)
{
	struct calibrate_args *args = arguments;
	struct calibrate_options calibrate_options;

	calibrate_options_init(&calibrate_options);
	args->budget_seconds = calibrate_options.budget_seconds;
	args->patience_seconds = DATABASE_PATIENCE_SECONDS;
	args->seed = calibrate_options.seed;
}

static int show(
	const struct calibrate_args *args, const struct calibration *calibration, struct err *err)
{
	const struct report_options report_options = {0};
	const struct report_input input = {.calibration = calibration, .options = &report_options};
	struct document document;
	int rc = report_calibration(&input, &document, err);

	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

static int save(struct store *store, void *context, struct err *err)
{
	return store_save_calibration(store, context, err);
}

/* What took long to measure is shown even if it cannot be stored. */
static int save_and_show(const struct calibrate_args *args, struct store *store,
	struct calibration *calibration, struct err *err)
{
	int saved = database_write(
		&args->common, store, args->patience_seconds, save, calibration, err);
	int shown = show(args, calibration, err);

	if (!saved && shown)
		err_prefix(err, "stored as calibration %lld, but not shown",
			(long long)calibration->calibration_id);
	return saved ? saved : shown;
}

/* Measures @sink, if there is one, and then the filesystem with what is left of the budget. */
static int measure(const struct calibrate_args *args, const struct scan_target *target,
	struct sink *sink, struct calibration *calibration, struct err *err)
{
	struct calibrate_options calibrate_options;
	struct progress progress;
	int64_t start_ns = clock_monotonic_ns();
	int rc = 0;

	long_job_start(&progress, &args->common);
	if (sink->spec)
		rc = sink_measure(sink, fmin(SINK_MAX_SECONDS, SINK_SHARE * args->budget_seconds),
			&progress, err);
	calibrate_options_init(&calibrate_options);
	calibrate_options.path = target->path;
	calibrate_options.budget_seconds = args->budget_seconds - clock_seconds_since(start_ns);
	if (calibrate_options.budget_seconds < args->budget_seconds / 2)
		calibrate_options.budget_seconds = args->budget_seconds / 2;
	calibrate_options.seed = args->seed;
	calibrate_options.nice = args->nice;
	calibrate_options.progress = &progress;
	if (!rc)
		rc = calibrate_run(&calibrate_options, target->fd, calibration, err);
	long_job_end(&progress);
	calibration->budget_seconds = args->budget_seconds;
	return rc;
}

/* Measures, then stores and shows the result. */
static int calibrate(const struct calibrate_args *args, const struct scan_target *target,
	struct sink *sink, struct store *store, struct err *err)
{
	struct calibration calibration = {0};
	int rc = measure(args, target, sink, &calibration, err);

	if (rc == -ECANCELED) {
		err_clear(err);
		err_set(err, rc, "interrupted; nothing was stored");
	}
	if (!rc) {
		calibration.sink = *sink;
		*sink = (struct sink){0};
		rc = save_and_show(args, store, &calibration, err);
	}
	calibration_fini(&calibration);
	return rc;
}

static int open_and_calibrate(
	const struct calibrate_args *args, const char *path, struct sink *sink, struct err *err)
{
	struct scan_target target;
	struct store *store;
	int rc = target_open(&target, path, err);

	if (rc)
		return rc;
	if (!target.mount_point)
		rc = err_set(err, -EOPNOTSUPP,
			"%s is not mounted: mount it, and calibrate where it is "
			"mounted",
			target.path);
	else
		rc = database_open(&args->common, STORE_WRITE, &store, err);
	if (!rc) {
		rc = calibrate(args, &target, sink, store, err);
		store_close(store);
	}
	target_close(&target);
	return rc;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct calibrate_args *args = arguments;
	struct sink sink = {0};
	int rc;

	if (!(args->budget_seconds > 0))
		return command_usage_error(err, "--budget: it must be more than nothing");
	if (args->budget_seconds > MAX_BUDGET_SECONDS)
		return command_usage_error(err, "--budget: it must be a week at most");
	if (args->sink) {
		struct err sink_err = {0};

		if (sink_parse(args->sink, &sink, &sink_err))
			return command_usage_error(err, "--sink: %s", sink_err.message);
	}
	rc = open_and_calibrate(args, operands[0], &sink, err);
	sink_fini(&sink);
	return rc ? STATUS_FAILED : STATUS_CLEAN;
}

const struct command command_calibrate = {
	.name = "calibrate",
	.summary = "measure how fast files can be read, by size class, and store it",
	.operands = "PATH",
	.min_operands = 1,
	.max_operands = 1,
	.options = options,
	.args_bytes = sizeof(struct calibrate_args),
	.defaults = defaults,
	.run = run,
};
