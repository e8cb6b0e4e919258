// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus predict`: how long xfsdump will take, and who and what causes it. */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "reports/report.h"

#include <errno.h>
#include <string.h>

struct predict_args {
	struct common_args common;
	struct selection_args selection;
	uint64_t top;
};

/* Users shown in text unless --top says otherwise. */
#define USERS_ON_A_SCREEN 10

static void defaults(void *args)
{
	((struct predict_args *)args)->top = OPTION_NOT_GIVEN;
	((struct predict_args *)args)->selection.whole_filesystem = true;
}

static const struct option_spec options[] = {
	SELECTION_OPTIONS(struct predict_args, selection),
	{.name = "top",
		.type = OPTION_COUNT,
		.offset = offsetof(struct predict_args, top),
		.value = "N",
		.max = 1000000000,
		.help = "show the N most expensive users, 0 for all; by default all, but 10 in "
			"text"},
	{0},
};

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
			"xfscensus calibrate %s first",
			path, path);
	if (!selection->has_prediction)
		return err_set(err, -ENODATA, "%s", selection->no_prediction.message);
	return 0;
}

static int show(const struct predict_args *args, const struct selection *selection,
	const struct failures *failures, struct err *err)
{
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
		.options = &report_options,
	};
	struct document document;
	int rc = report_prediction(&input, &document, err);

	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct predict_args *args = arguments;
	struct selection selection;
	struct failures failures;
	struct store *store;
	int rc;

	(void)operands;
	if (args->selection.scan && args->selection.fs)
		return command_usage_error(err, "--scan and --fs: name one of them, not both");
	if (database_open(&args->common, STORE_READ, &store, err))
		return STATUS_FAILED;
	failures_init(&failures);
	rc = selection_load(store, &args->selection, &selection, err);
	if (!rc) {
		rc = store_load_failures(store, selection.scan.scan_id, &failures, err);
		if (rc)
			selection_fini(&selection);
	}
	store_close(store);
	if (rc) {
		failures_fini(&failures);
		return STATUS_FAILED;
	}
	rc = check(&selection, err);
	if (!rc)
		rc = show(args, &selection, &failures, err);
	selection_fini(&selection);
	failures_fini(&failures);
	return rc ? STATUS_FAILED : STATUS_CLEAN;
}

const struct command command_predict = {
	.name = "predict",
	.summary = "how long a level-0 xfsdump will take, and who and what causes it",
	.operands = "",
	.options = options,
	.args_bytes = sizeof(struct predict_args),
	.defaults = defaults,
	.run = run,
};
