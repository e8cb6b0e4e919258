// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus calibrate PATH`: measures how fast files can be read, and stores it. */
#include "analyzer/scan/target.h"
#include "analyzer/window/calibrate.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/long_job.h"
#include "cli/output.h"
#include "reports/report.h"

#include <errno.h>

struct calibrate_args {
	struct common_args common;
	double budget_seconds;
	uint64_t seed;
};

#define MAX_BUDGET_SECONDS (7 * 86400.0)

static const struct option_spec options[] = {
	{.name = "budget",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct calibrate_args, budget_seconds),
		.value = "TIME",
		.help = "how long it may take at most; 60s by default"},
	{.name = "seed",
		.type = OPTION_COUNT,
		.offset = offsetof(struct calibrate_args, seed),
		.value = "N",
		.max = INT64_MAX,
		.help = "start of the random choice of files; the same number chooses the same "
			"ones"},
	{0},
};

static void defaults(void *arguments)
{
	struct calibrate_args *args = arguments;
	struct calibrate_options calibrate_options;

	calibrate_options_init(&calibrate_options);
	args->budget_seconds = calibrate_options.budget_seconds;
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

/* Measures, then stores and shows the result. */
static int calibrate(const struct calibrate_args *args, const struct scan_target *target,
	struct store *store, struct err *err)
{
	struct calibrate_options calibrate_options;
	struct calibration calibration;
	struct progress progress;
	int rc;

	calibrate_options_init(&calibrate_options);
	calibrate_options.path = target->path;
	calibrate_options.budget_seconds = args->budget_seconds;
	calibrate_options.seed = args->seed;
	calibrate_options.progress = &progress;
	long_job_start(&progress, &args->common);
	rc = calibrate_run(&calibrate_options, target->fd, &calibration, err);
	long_job_end(&progress);
	if (rc == -ECANCELED) {
		err_clear(err);
		err_set(err, rc, "interrupted; nothing was stored");
	}
	if (!rc)
		rc = store_save_calibration(store, &calibration, err);
	if (!rc)
		rc = show(args, &calibration, err);
	calibration_fini(&calibration);
	return rc;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct calibrate_args *args = arguments;
	struct scan_target target;
	struct store *store;
	int rc;

	if (!(args->budget_seconds > 0))
		return command_usage_error(err, "--budget: it must be more than nothing");
	if (args->budget_seconds > MAX_BUDGET_SECONDS)
		return command_usage_error(err, "--budget: it must be a week at most");
	if (target_open(&target, operands[0], err))
		return STATUS_FAILED;
	if (!target.mount_point)
		rc = err_set(err, -EOPNOTSUPP,
			"%s is not mounted: mount it, and calibrate where it is "
			"mounted",
			target.path);
	else
		rc = database_open(&args->common, STORE_WRITE, &store, err);
	if (!rc) {
		rc = calibrate(args, &target, store, err);
		store_close(store);
	}
	target_close(&target);
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
