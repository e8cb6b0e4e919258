// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus scan PATH`: takes a census and stores it. */
#include "analyzer/census/size_class.h"
#include "analyzer/scan/scan.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/long_job.h"
#include "cli/names.h"
#include "cli/output.h"
#include "reports/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct scan_args {
	struct common_args common;
	int engine;    /* enum scan_engine_choice */
	uint64_t jobs; /* 0: one for each processor */
	uint64_t tiny_bytes;
	double fresh_seconds;   /* negative: not given */
	const char *log_device; /* NULL: not given */
	bool freeze;
	bool no_dirs;
	uint64_t directory_rows;
	bool bulkstat_v1;
	double patience_seconds;
	int device_io;         /* enum device_io */
	uint64_t freeze_limit; /* seconds */
	int log_fault;         /* enum device_log_fault */
};

static const char *const engine_names[] = {"auto", "device", "bulkstat", "walk", NULL};
static const char *const fault_names[] = {"none", "read", "late", NULL};

static const char *const device_io_names[] = {"auto", "uring", "threads", NULL};

static const struct option_spec options[] = {
	{.name = "engine",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct scan_args, engine),
		.value = "auto|device|bulkstat|walk",
		.choices = engine_names,
		.help = "how to read the inodes; auto takes the fastest that can, and says why"},
	{.name = "jobs",
		.type = OPTION_COUNT,
		.offset = offsetof(struct scan_args, jobs),
		.value = "N",
		.min = 1,
		.max = 1024,
		.help = "threads that read, at most; by default one for each processor"},
	{.name = "tiny",
		.type = OPTION_BYTES,
		.offset = offsetof(struct scan_args, tiny_bytes),
		.value = "SIZE",
		.min = 1,
		.max = 1ULL << 62,
		.help = "files below SIZE, a power of two, count as tiny; 4K by default"},
	{.name = "fresh",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct scan_args, fresh_seconds),
		.value = "DURATION",
		.help = "device: where the log of a mounted filesystem cannot be read, wait this "
			"long for its changes to reach the disk before bulkstat takes over; 60s by "
			"default"},
	{.name = "log-device",
		.type = OPTION_TEXT,
		.offset = offsetof(struct scan_args, log_device),
		.value = "PATH",
		.help = "device: the device or file with the log of an image, or a device that is "
			"not mounted, whose log lies outside"},
	{.name = "freeze",
		.type = OPTION_FLAG,
		.offset = offsetof(struct scan_args, freeze),
		.help = "freeze the filesystem while it is scanned, five minutes at most: the "
			"counts are those of one moment, and all who write wait"},
	{.name = "freeze-limit",
		.type = OPTION_COUNT,
		.offset = offsetof(struct scan_args, freeze_limit),
		.value = "SECONDS",
		.max = 3600,
		.help = "thaw after this time in any case",
		.hidden = true},
	{.name = "log-fault",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct scan_args, log_fault),
		.value = "none|read|late",
		.choices = fault_names,
		.help = "have the log of a mounted filesystem fail, for tests",
		.hidden = true},
	{.name = "no-dirs",
		.type = OPTION_FLAG,
		.offset = offsetof(struct scan_args, no_dirs),
		.help = "do not charge files to their directories: faster, but `report dirs` has "
			"nothing to show"},
	{.name = "dir-rows",
		.type = OPTION_COUNT,
		.offset = offsetof(struct scan_args, directory_rows),
		.value = "N",
		.max = 1000000000,
		.help = "fold the smallest directories until N are left; 0 keeps all; 10k by "
			"default",
		.hidden = true},
	{.name = "bulkstat-v1",
		.type = OPTION_FLAG,
		.offset = offsetof(struct scan_args, bulkstat_v1),
		.help = "use the first generation of the bulkstat ioctls, as kernels before 5.3 do",
		.hidden = true},
	{.name = "patience",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct scan_args, patience_seconds),
		.value = "DURATION",
		.help = "how long to wait for a locked database once the scan is done; 5m by "
			"default",
		.hidden = true},
	{.name = "device-io",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct scan_args, device_io),
		.value = "auto|uring|threads",
		.choices = device_io_names,
		.help = "how the device engine keeps several reads in flight",
		.hidden = true},
	{0},
};

static void defaults(void *arguments)
{
	struct scan_args *args = arguments;

	args->tiny_bytes = DEFAULT_TINY_BYTES;
	args->fresh_seconds = -1;
	args->freeze_limit = SCAN_FREEZE_SECONDS;
	args->directory_rows = DIRECTORIES_MAX_ROWS;
	args->patience_seconds = DATABASE_PATIENCE_SECONDS;
}

/* What the table of options cannot tell. */
static enum exit_status check_usage(const struct scan_args *args, struct err *err)
{
	bool fresh = args->fresh_seconds >= 0;

	if (args->tiny_bytes & (args->tiny_bytes - 1))
		return command_usage_error(err, "--tiny: %llu is not a power of two",
			(unsigned long long)args->tiny_bytes);
	if (fresh && args->freeze)
		return command_usage_error(
			err, "--fresh and --freeze exclude each other: what is frozen is fresh");
	if (fresh && (args->engine == ENGINE_BULKSTAT || args->engine == ENGINE_WALK))
		return command_usage_error(err, "--fresh is for the device engine; %s needs none",
			engine_names[args->engine]);
	if (args->log_device && (args->engine == ENGINE_BULKSTAT || args->engine == ENGINE_WALK))
		return command_usage_error(err,
			"--log-device is for the device engine; %s needs none",
			engine_names[args->engine]);
	return STATUS_CLEAN;
}

/* Whether @path, or where it will be made, lies on the filesystem with number @device. */
static bool lies_on(const char *path, dev_t device)
{
	autofree char *place = strdup(path);
	struct stat st;
	char *slash;

	while (place && stat(place, &st)) {
		slash = strrchr(place, '/');
		if (!slash)
			return !stat(".", &st) && st.st_dev == device;
		slash[slash == place] = '\0';
		if (slash == place && stat(place, &st))
			return false;
	}
	return place && st.st_dev == device;
}

/* A frozen filesystem would have this program wait for itself. */
static int check_freeze(
	const struct scan_args *args, const struct scan_target *target, struct err *err)
{
	const char *output = args->common.output;
	autofree char *db = NULL;

	if (!args->freeze || target->kind == TARGET_IMAGE)
		return 0;
	db = database_path(&args->common, err);
	if (!db)
		return err->code;
	if (lies_on(db, target->device_number))
		return err_set(err, -EDEADLK,
			"--freeze: the database %s lies on the filesystem that is to be frozen; "
			"name one elsewhere with --db",
			db);
	if (output && lies_on(output, target->device_number))
		return err_set(err, -EDEADLK,
			"--freeze: --output=%s lies on the filesystem that is to be frozen",
			output);
	return 0;
}

/* What save() stores. */
struct result {
	struct scan_info *info;
	const struct census *census;
};

static int save(struct store *store, void *context, struct err *err)
{
	const struct result *result = context;

	return store_save_scan(store, result->info, result->census, err);
}

static int show(const struct scan_args *args, const struct scan_info *info,
	const struct census *census, struct err *err)
{
	const struct report_options report_options = {.owner_name = names_lookup};
	const struct report_input input = {
		.scan = info,
		.cube = &census->cube,
		.failures = &census->failures,
		.options = &report_options,
	};
	struct document document;
	int rc = report_scan(&input, &document, err);

	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

/* What cannot be stored is shown all the same: it may have taken hours. */
static int save_and_show(const struct scan_args *args, struct store *store, struct scan_info *info,
	const struct census *census, struct err *err)
{
	struct result result = {info, census};
	int saved =
		database_write(&args->common, store, args->patience_seconds, save, &result, err);
	int shown = show(args, info, census, err);

	if (!saved && shown)
		err_prefix(err, "stored as scan %lld, but not shown", (long long)info->scan_id);
	return saved ? saved : shown;
}

/* Scans @target, then stores and shows the result. */
static enum exit_status scan_target(const struct scan_args *args,
	const struct scan_options *scan_options, const struct scan_target *target,
	struct store *store, struct err *err)
{
	struct scan_info info;
	struct census census;
	int rc;

	rc = scan_run(scan_options, target, &info, &census, err);
	long_job_end(scan_options->progress);
	if (rc == -ECANCELED) {
		err_clear(err);
		err_set(err, rc, "interrupted; nothing was stored");
	}
	if (!rc)
		rc = save_and_show(args, store, &info, &census, err);
	if (!rc && info.errors)
		rc = STATUS_PARTIAL;
	scan_info_fini(&info);
	census_fini(&census);
	return rc < 0 ? STATUS_FAILED : (enum exit_status)rc;
}

static void fill_options(
	const struct scan_args *args, struct progress *progress, struct scan_options *scan)
{
	scan_options_init(scan);
	scan->engine = (enum scan_engine_choice)args->engine;
	scan->jobs = args->jobs ? (unsigned)args->jobs : scan->jobs;
	scan->tiny_bytes = args->tiny_bytes;
	scan->directories = !args->no_dirs;
	scan->directory_rows = args->directory_rows;
	scan->bulkstat_v1 = args->bulkstat_v1;
	if (args->fresh_seconds >= 0)
		scan->fresh_seconds = args->fresh_seconds;
	scan->freeze = args->freeze;
	scan->freeze_seconds = (unsigned)args->freeze_limit;
	scan->device.io = (enum device_io)args->device_io;
	scan->device.log_fault = (enum device_log_fault)args->log_fault;
	scan->progress = progress;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct scan_args *args = arguments;
	struct scan_options scan_options;
	struct progress progress;
	struct scan_target target;
	struct store *store;
	enum exit_status status = STATUS_FAILED;

	if (check_usage(args, err))
		return STATUS_USAGE;
	if (target_open(&target, operands[0], err))
		return STATUS_FAILED;
	if (!(args->log_device && target_set_log_device(&target, args->log_device, err)) &&
		!check_freeze(args, &target, err) &&
		!database_open(&args->common, STORE_WRITE, &store, err)) {
		fill_options(args, &progress, &scan_options);
		long_job_start(&progress, &args->common);
		status = scan_target(args, &scan_options, &target, store, err);
		store_close(store);
	}
	target_close(&target);
	return status;
}

const struct command command_scan = {
	.name = "scan",
	.summary = "take a census of every inode and store it",
	.operands = "PATH",
	.min_operands = 1,
	.max_operands = 1,
	.options = options,
	.args_bytes = sizeof(struct scan_args),
	.defaults = defaults,
	.run = run,
};
