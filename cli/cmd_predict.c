// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus predict`: how long xfsdump will take, and who and what causes it. */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/dump_args.h"
#include "cli/long_job.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "analyzer/scan/target.h"
#include "analyzer/window/identity.h"
#include "analyzer/window/rates.h"
#include "base/cleanup.h"
#include "reports/report.h"

#include <errno.h>
#include <string.h>

struct predict_args {
	struct common_args common;
	struct selection_args selection;
	struct dump_args dump;
	const char *rates;
	uint64_t top;
};

/* Users shown in text unless --top says otherwise. */
#define USERS_ON_A_SCREEN 10

static void defaults(void *args)
{
	struct predict_args *predict = args;

	predict->top = OPTION_NOT_GIVEN;
	predict->selection.whole_filesystem = true;
	predict->selection.ages = true;
	predict->selection.predict_later = true;
}

static const struct option_spec options[] = {
	SELECTION_OPTIONS(struct predict_args, selection),
	DUMP_OPTIONS(struct predict_args, dump),
	{.name = "rates",
		.type = OPTION_TEXT,
		.offset = offsetof(struct predict_args, rates),
		.value = "FILE",
		.help = "go by the rates in that file instead of a calibration; - is standard "
			"input"},
	{.name = "top",
		.type = OPTION_COUNT,
		.offset = offsetof(struct predict_args, top),
		.value = "N",
		.max = 1000000000,
		.help = "show the N most expensive users, 0 for all; by default all, but 10 in "
			"text"},
	{0},
};

/* That there is what a prediction is made from. */
static int check(const struct selection *selection, struct err *err)
{
	const struct scan_info *scan = &selection->scan;
	const char *path = scan->mount_point ? scan->mount_point : scan->path;

	if (strcmp(scan->fs_type, "xfs") != 0)
		return err_set(err, -ENODATA, "scan %lld is of %s (%s), and xfsdump dumps XFS only",
			(long long)scan->scan_id, path, scan->fs_type);
	if (!scan->whole_filesystem)
		return err_set(err, -ENODATA,
			"scan %lld is of a tree only, and xfsdump dumps whole "
			"filesystems: scan %s, or choose another scan with --scan=ID",
			(long long)scan->scan_id, path);
	if (!selection->has_calibration)
		return err_set(err, -ENODATA,
			"nothing is known yet of how fast %s can be read: run "
			"xfscensus calibrate %s first, or give --rates=FILE",
			path, path);
	return 0;
}

/* What the device at @path, or behind it, is; NULL if the filesystem there is not that of @scan. */
static char *identity_at(const struct scan_info *scan, const char *path)
{
	struct scan_target target;
	struct err ignored = {0};
	char *identity = NULL;

	if (!path || target_open(&target, path, &ignored))
		return NULL;
	if (target.device_number && !strcmp(target.fs_id, scan->fs_id))
		identity = device_identity(target.device_number);
	target_close(&target);
	return identity;
}

/*
 * What the device that @scan is of is now, to be freed; NULL where that cannot be told. The name
 * that it had may be another's by now, so where it is mounted counts for more.
 */
static char *present_identity(const struct scan_info *scan)
{
	char *identity = identity_at(scan, scan->mount_point);

	return identity ? identity : identity_at(scan, scan->device);
}

static int show(const struct predict_args *args, const struct selection *selection,
	const struct dump_wish *wish, const struct failures *failures, struct err *err)
{
	autofree char *identity = present_identity(&selection->scan);
	const struct report_options report_options = {
		.owner_name = names_lookup,
		.top = args->top != OPTION_NOT_GIVEN        ? args->top
		       : args->common.format == FORMAT_TEXT ? USERS_ON_A_SCREEN
							    : 0,
	};
	const struct report_input input = {
		.scan = &selection->scan,
		.cube = &selection->cube,
		.failures = failures,
		.calibration = &selection->calibration,
		.prediction = &selection->prediction,
		.dump = &wish->dump,
		.history = &selection->history,
		.uncorrected = &selection->uncorrected,
		.device_identity = identity,
		.options = &report_options,
	};
	struct document document;
	int rc = report_prediction(&input, &document, err);

	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

/* Measures the sinks that nobody has measured yet. */
static int measure(const struct predict_args *args, const struct selection *selection,
	struct dump_wish *wish, struct err *err)
{
	struct progress progress = {0};
	int rc;

	long_job_start(&progress, &args->common);
	rc = dump_wish_measure(wish, &selection->calibration, &progress, err);
	long_job_end(&progress);
	return rc;
}

static int predict(const struct predict_args *args, struct selection *selection,
	struct dump_wish *wish, const struct failures *failures, struct err *err)
{
	struct prediction_request request = {
		.what_ifs = wish->what_ifs,
		.what_if_count = wish->what_if_count,
	};
	int rc = check(selection, err);

	if (!rc)
		rc = measure(args, selection, wish, err);
	if (rc)
		return rc;
	request.dump = wish->dump;
	rc = selection_predict(selection, &request, err);
	if (!rc && !selection->has_prediction)
		rc = err_set(err, -ENODATA, "%s", selection->no_prediction.message);
	return rc ? rc : show(args, selection, wish, failures, err);
}

/* Puts rates from a file in place of the calibration, and their sink where none is asked for. */
static int use_rates(
	const char *path, struct selection *selection, struct dump_wish *wish, struct err *err)
{
	struct rates rates;
	int rc = rates_read(path, &rates, err);

	if (rc)
		return rc;
	if (selection->has_calibration)
		calibration_fini(&selection->calibration);
	selection->has_calibration = true;
	if (rates_calibration(&rates, path, &selection->calibration))
		return err_set(err, -ENOMEM, "out of memory");
	if (!wish->dump.sink && selection->calibration.sink.spec)
		wish->dump.sink = &selection->calibration.sink;
	return 0;
}

/* What the prediction goes by: rates, or the calibration as past dumps correct it. */
static int load_measure(const struct predict_args *args, struct store *store,
	struct selection *selection, struct dump_wish *wish, struct err *err)
{
	if (args->rates)
		return use_rates(args->rates, selection, wish, err);
	return selection_load_history(store, selection, &wish->dump, err);
}

/*
 * Loads what the prediction is made from, and makes sense of what is wanted. On error there is
 * nothing to release but @wish.
 */
static enum exit_status load(const struct predict_args *args, struct selection *selection,
	struct dump_wish *wish, struct failures *failures, struct err *err)
{
	enum exit_status status = STATUS_FAILED;
	struct store *store;
	int rc;

	if (database_open(&args->common, STORE_READ, &store, err))
		return STATUS_FAILED;
	rc = selection_load(store, &args->selection, selection, err);
	if (!rc) {
		rc = dump_wish_make(&args->dump, &selection->scan, store, wish, err);
		if (rc == -EINVAL)
			status = STATUS_USAGE;
		if (!rc)
			rc = load_measure(args, store, selection, wish, err);
		if (!rc)
			rc = store_load_failures(store, selection->scan.scan_id, failures, err);
		if (rc)
			selection_fini(selection);
	}
	store_close(store);
	return rc ? status : STATUS_CLEAN;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct predict_args *args = arguments;
	struct selection selection;
	struct failures failures;
	struct dump_wish wish = {0};
	enum exit_status status;

	(void)operands;
	if (args->selection.scan && args->selection.fs)
		return command_usage_error(err, "--scan and --fs: name one of them, not both");
	if (args->rates && args->selection.calibration)
		return command_usage_error(
			err, "--rates and --calibration: name one of them, not both");
	failures_init(&failures);
	status = load(args, &selection, &wish, &failures, err);
	if (status == STATUS_CLEAN) {
		if (predict(args, &selection, &wish, &failures, err))
			status = STATUS_FAILED;
		selection_fini(&selection);
	}
	failures_fini(&failures);
	dump_wish_fini(&wish);
	return status;
}

const struct command command_predict = {
	.name = "predict",
	.summary = "how long an xfsdump will take, and who and what causes it",
	.operands = "",
	.options = options,
	.args_bytes = sizeof(struct predict_args),
	.defaults = defaults,
	.run = run,
};
