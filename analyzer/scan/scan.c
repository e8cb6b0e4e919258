// SPDX-License-Identifier: GPL-2.0-or-later
/* See scan.h. The engines in the order in which `auto` tries them. */
#include "analyzer/scan/scan.h"

#include "analyzer/census/size_class.h"
#include "analyzer/scan/engine.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum scan_engine_choice choice;
	const struct scan_engine *engine;
} engines[] = {
	{ENGINE_DEVICE, &engine_device},
	{ENGINE_BULKSTAT, &engine_bulkstat},
	{ENGINE_WALK, &engine_walk},
};

void scan_options_init(struct scan_options *options)
{
	*options = (struct scan_options){
		.engine = ENGINE_AUTO,
		.jobs = pool_default_threads(),
		.tiny_bytes = DEFAULT_TINY_BYTES,
		.directories = true,
		.directory_rows = DIRECTORIES_MAX_ROWS,
	};
}

/* The engine that the user named, if it can be had. */
static const struct scan_engine *choose_named(const struct scan_options *options,
	const struct scan_target *target, char **reason, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(engines); i++) {
		if (engines[i].choice != options->engine)
			continue;
		if (engines[i].engine->usable(options, target, err)) {
			err_prefix(err, "the %s engine cannot be used", engines[i].engine->name);
			return NULL;
		}
		*reason = strdup("asked for");
		return engines[i].engine;
	}
	err_set(err, -EOPNOTSUPP, "that engine is not part of this build");
	return NULL;
}

/* Adds "not NAME: why" to @reason, which is replaced. */
static void add_reason(char **reason, const char *name, const struct err *why)
{
	char *longer;

	if (asprintf(&longer, "%s%snot %s: %s", *reason ? *reason : "", *reason ? "; " : "", name,
		    why->message) < 0)
		return;
	free(*reason);
	*reason = longer;
}

/* The first engine that can read the target; @reason says why not the ones before. */
static const struct scan_engine *choose_best(const struct scan_options *options,
	const struct scan_target *target, char **reason, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(engines); i++) {
		struct err why = {0};

		if (!engines[i].engine->usable(options, target, &why)) {
			if (!*reason)
				*reason = strdup("fastest that can read it");
			return engines[i].engine;
		}
		add_reason(reason, engines[i].engine->name, &why);
	}
	err_set(err, -EOPNOTSUPP, "%s: no engine can read it: %s", target->path,
		*reason ? *reason : "out of memory");
	return NULL;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void describe(struct scan_info *info, const struct scan_options *options,
	const struct scan_target *target)
{
	memset(info, 0, sizeof(*info));
	memcpy(info->fs_id, target->fs_id, sizeof(info->fs_id));
	memcpy(info->fs_type, target->fs_type, sizeof(info->fs_type));
	info->mount_point = copy(target->mount_point);
	info->device = copy(target->device);
	info->path = copy(target->path);
	info->block_bytes = target->block_bytes;
	info->capacity_bytes = target->capacity_bytes;
	info->whole_filesystem = true;
	info->jobs = options->jobs;
	info->tiny_bytes = options->tiny_bytes;
	info->started_seconds = clock_unix_seconds();
}

/* Where the engine charges directories, if that is wanted. */
static int new_join(struct scan_job *job)
{
	const struct directory_join_options options = {
		.block_bytes = job->target->block_bytes,
		.tiny_bytes = job->options->tiny_bytes,
		.workers = job->options->jobs,
		.max_rows = job->options->directory_rows,
		.in_use = job->target->kind == TARGET_DIRECTORY || job->target->mount_point,
	};

	return job->options->directories ? directory_join_new(&job->join, &options) : 0;
}

/* Runs the engine with a census for each worker and merges them into @census. */
static int run_engine(const struct scan_engine *engine, const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct census *census,
	struct err *err)
{
	int64_t today = clock_day_of(info->started_seconds);
	struct scan_job job = {.options = options, .target = target, .info = info};
	int rc;

	job.parts = calloc(options->jobs, sizeof(*job.parts));
	if (!job.parts || new_join(&job)) {
		free(job.parts);
		return err_set(err, -ENOMEM, "out of memory");
	}
	for (unsigned i = 0; i < options->jobs; i++)
		census_init(&job.parts[i], target->block_bytes, today);
	rc = engine->run(&job, err);
	for (unsigned i = 0; i < options->jobs; i++) {
		if (!rc && census_merge(census, &job.parts[i]))
			rc = err_set(
				err, -ENOMEM, "out of memory while merging the workers' counts");
		census_fini(&job.parts[i]);
	}
	free(job.parts);
	if (!rc && job.join && directory_join_has_root(job.join) &&
		directory_join_finish(job.join, &census->directories, &census->failures))
		rc = err_set(err, -ENOMEM, "out of memory for the directories (see --no-dirs)");
	directory_join_free(job.join);
	return rc;
}

int scan_run(const struct scan_options *options, const struct scan_target *target,
	struct scan_info *info, struct census *census, struct err *err)
{
	const struct scan_engine *engine;
	int64_t start_ns = clock_monotonic_ns();
	int rc;

	describe(info, options, target);
	census_init(census, target->block_bytes, clock_day_of(info->started_seconds));
	if (options->engine == ENGINE_AUTO)
		engine = choose_best(options, target, &info->engine_reason, err);
	else
		engine = choose_named(options, target, &info->engine_reason, err);
	if (!engine)
		return err->code;
	snprintf(info->engine, sizeof(info->engine), "%s", engine->name);
	rc = run_engine(engine, options, target, info, census, err);
	census_sort(census);
	info->seconds = clock_seconds_since(start_ns);
	info->errors = failures_total(&census->failures);
	info->unlinked = census->unlinked;
	info->unknown_inodes = census->unknown_inodes;
	return rc;
}
