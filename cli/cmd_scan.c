// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus scan PATH`: takes a census and stores it. */
#include "analyzer/census/size_class.h"
#include "analyzer/scan/scan.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/long_job.h"
#include "cli/names.h"
#include "cli/output.h"
#include "reports/report.h"

#include <errno.h>

struct scan_args {
	struct common_args common;
	int engine;    /* enum scan_engine_choice */
	uint64_t jobs; /* 0: one for each processor */
	uint64_t tiny_bytes;
	bool no_dirs;
	uint64_t directory_rows;
	bool bulkstat_v1;
};

static const char *const engine_names[] = {"auto", "device", "bulkstat", "walk", NULL};

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
		.help = "threads that read; by default one for each processor"},
	{.name = "tiny",
		.type = OPTION_BYTES,
		.offset = offsetof(struct scan_args, tiny_bytes),
		.value = "SIZE",
		.min = 1,
		.max = 1ULL << 62,
		.help = "files below SIZE, a power of two, count as tiny; 4K by default"},
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
	{0},
};

static void defaults(void *args)
{
	((struct scan_args *)args)->tiny_bytes = DEFAULT_TINY_BYTES;
	((struct scan_args *)args)->directory_rows = DIRECTORIES_MAX_ROWS;
}

/* Shows what was just stored. */
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
		rc = store_save_scan(store, &info, &census, err);
	if (!rc)
		rc = show(args, &info, &census, err);
	if (!rc && info.errors)
		rc = STATUS_PARTIAL;
	scan_info_fini(&info);
	census_fini(&census);
	return rc < 0 ? STATUS_FAILED : (enum exit_status)rc;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct scan_args *args = arguments;
	struct scan_options scan_options;
	struct progress progress;
	struct scan_target target;
	struct store *store;
	enum exit_status status = STATUS_FAILED;

	if (args->tiny_bytes & (args->tiny_bytes - 1))
		return command_usage_error(err, "--tiny: %llu is not a power of two",
			(unsigned long long)args->tiny_bytes);
	if (target_open(&target, operands[0], err))
		return STATUS_FAILED;
	if (!database_open(&args->common, STORE_WRITE, &store, err)) {
		scan_options_init(&scan_options);
		scan_options.engine = (enum scan_engine_choice)args->engine;
		scan_options.jobs = args->jobs ? (unsigned)args->jobs : scan_options.jobs;
		scan_options.tiny_bytes = args->tiny_bytes;
		scan_options.directories = !args->no_dirs;
		scan_options.directory_rows = args->directory_rows;
		scan_options.bulkstat_v1 = args->bulkstat_v1;
		scan_options.progress = &progress;
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
