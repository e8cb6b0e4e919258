// SPDX-License-Identifier: GPL-2.0-or-later
/* See scan.h. The engines in the order in which `auto` tries them. */
#include "analyzer/scan/scan.h"

#include "analyzer/census/size_class.h"
#include "analyzer/scan/engine.h"
#include "analyzer/scan/live.h"
#include "analyzer/scan/trouble.h"
#include "analyzer/scan/twin.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/units.h"

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
		.fresh_seconds = SCAN_FRESH_SECONDS,
		.freeze_seconds = SCAN_FREEZE_SECONDS,
		.directories = true,
		.directory_rows = DIRECTORIES_MAX_ROWS,
	};
}

/* The engine that the user named, if it can be had. */
static const struct scan_engine *choose_named(const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(engines); i++) {
		if (engines[i].choice != options->engine)
			continue;
		if (engines[i].engine->usable(options, target, err)) {
			err_prefix(err, "the %s engine cannot be used", engines[i].engine->name);
			return NULL;
		}
		scan_info_add_reason(info, "asked for");
		return engines[i].engine;
	}
	err_set(err, -EOPNOTSUPP, "that engine is not part of this build");
	return NULL;
}

static void add_refusal(
	struct scan_info *info, const struct scan_engine *engine, const struct err *why)
{
	scan_info_add_reason(info, "not %s: %s", engine->name, why->message);
}

/* The first engine that can read the target; the reason says why not the ones before. */
static const struct scan_engine *choose_best(const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(engines); i++) {
		struct err why = {0};

		if (!engines[i].engine->usable(options, target, &why)) {
			if (!info->engine_reason)
				scan_info_add_reason(info, "fastest that can read it");
			return engines[i].engine;
		}
		add_refusal(info, engines[i].engine, &why);
	}
	err_set(err, -EOPNOTSUPP, "%s: no engine can read it: %s", target->path,
		info->engine_reason ? info->engine_reason : "out of memory");
	return NULL;
}

/* What is neither mounted nor XFS is beyond all engines; each would tell of itself only. */
static int check_target(const struct scan_target *target, struct err *err)
{
	if (target->kind == TARGET_DIRECTORY || target->mount_point || target->is_xfs)
		return 0;
	return err_set(err, -EMEDIUMTYPE,
		target->kind == TARGET_IMAGE
			? "%s is no XFS image: it does not begin with an XFS superblock; if it "
			  "should, try xfs_repair -n"
			: "%s is not mounted and does not begin with an XFS superblock; if it "
			  "should, try xfs_repair -n",
		target->path);
}

/* Chooses an engine and says which and why. NULL with a message if there is none. */
static const struct scan_engine *choose(const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct err *err)
{
	const struct scan_engine *engine = NULL;

	if (check_target(target, err))
		return NULL;
	engine = options->engine == ENGINE_AUTO ? choose_best(options, target, info, err)
						: choose_named(options, target, info, err);
	if (engine)
		snprintf(info->engine, sizeof(info->engine), "%s", engine->name);
	return engine;
}

/* What an engine found, or why it refused, says nothing if the filesystem has shut down. */
static int check_alive(const struct scan_target *target, int rc, struct err *err)
{
	bool is_mounted = target->kind == TARGET_DIRECTORY || target->mount_point;

	if (rc == -ECANCELED || !is_mounted || !trouble_has_shut_down(target->fd))
		return rc;
	err_clear(err);
	return trouble_shut_down(err, target->path);
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
		.now_seconds = job->info->started_seconds,
		.in_use = job->target->kind == TARGET_DIRECTORY || job->target->mount_point,
	};

	return job->options->directories ? directory_join_new(&job->join, &options) : 0;
}

static void begin_census(
	struct census *census, const struct scan_target *target, const struct scan_info *info)
{
	census_init(census, target->block_bytes, clock_day_of(info->started_seconds));
	census->dump.now_seconds = info->started_seconds;
}

/* Runs the engine with a census for each worker and merges them into @census. */
static int run_engine(const struct scan_engine *engine, const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct census *census,
	struct err *err)
{
	struct scan_job job = {.options = options, .target = target, .info = info};
	int rc;

	job.parts = calloc(options->jobs, sizeof(*job.parts));
	if (!job.parts || new_join(&job)) {
		free(job.parts);
		return err_set(err, -ENOMEM, "out of memory");
	}
	for (unsigned i = 0; i < options->jobs; i++)
		begin_census(&job.parts[i], target, info);
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

/*
 * Runs @engine, or bulkstat after it if it gives way. What the first one counted is gone with its
 * parts: nothing counts twice.
 */
static int run_to_the_end(const struct scan_engine *engine, const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct census *census,
	struct err *err)
{
	const struct scan_engine *other = &engine_bulkstat;
	int rc = run_engine(engine, options, target, info, census, err);
	struct err why, unusable = {0};

	if (rc != ENGINE_GIVES_WAY || engine == other || other->usable(options, target, &unusable))
		return rc;
	why = *err;
	err_clear(err);
	free(info->engine_reason);
	info->engine_reason = NULL;
	if (options->engine != ENGINE_AUTO)
		scan_info_add_reason(info, "%s was asked for", engine->name);
	add_refusal(info, engine, &why);
	snprintf(info->engine, sizeof(info->engine), "%s", other->name);
	return run_engine(other, options, target, info, census, err);
}

/* Says how the freeze went. @thawed is what live_thaw() returned. */
static void tell_frozen(const struct scan_options *options, int64_t start_ns, int thawed,
	struct scan_info *info, struct census *census)
{
	char seconds[UNIT_TEXT_BYTES], what[160];

	if (thawed != -ETIMEDOUT) {
		scan_info_add_reason(info, "frozen for %s, so this is the state of one moment",
			unit_format_seconds(clock_seconds_since(start_ns), seconds));
		return;
	}
	snprintf(what, sizeof(what),
		"the filesystem was thawed after %u s, before the scan was done: what changed "
		"since may be counted wrong",
		options->freeze_seconds);
	failures_add(&census->failures, FAILURE_LOG, 0, 0, what);
	scan_info_add_reason(info, "frozen for the first %u s only", options->freeze_seconds);
}

/* As run_to_the_end(), while nobody can write. */
static int run_frozen(const struct scan_engine *engine, const struct scan_options *options,
	const struct scan_target *target, struct scan_info *info, struct census *census,
	struct err *err)
{
	struct live_freeze *freeze;
	struct err late = {0};
	int64_t start_ns;
	int rc, thawed;

	if (target->kind != TARGET_DIRECTORY && !target->mount_point)
		return err_set(err, -EOPNOTSUPP, "%s is not mounted: there is nothing to freeze",
			target->path);
	rc = live_freeze(&freeze, target->fd, options->freeze_seconds, err);
	if (rc)
		return rc;
	start_ns = clock_monotonic_ns();
	rc = run_to_the_end(engine, options, target, info, census, err);
	thawed = live_thaw(freeze, &late);
	tell_frozen(options, start_ns, thawed, info, census);
	if (!thawed || thawed == -ETIMEDOUT)
		return rc;
	/* Those who write are stopped until somebody acts: that comes first. */
	if (err->code)
		err_prefix(err, "%s", late.message);
	return rc ? rc : err_set(err, thawed, "%s", late.message);
}

static void tell_image(const struct scan_target *target, struct scan_info *info)
{
	if (target->image && target->mount_point)
		scan_info_add_reason(info,
			"%s is mounted at %s through %s, so what is mounted was counted",
			target->image, target->mount_point, target->path);
}

static void tell_twin(const struct scan_target *target, struct scan_info *info)
{
	autofree char *twin = twin_of(target);

	if (twin)
		scan_info_add_reason(
			info, "%s has the same UUID, so the scans of both are one history", twin);
}

int scan_run(const struct scan_options *options, const struct scan_target *target,
	struct scan_info *info, struct census *census, struct err *err)
{
	const struct scan_engine *engine;
	int64_t start_ns = clock_monotonic_ns();
	int rc;

	describe(info, options, target);
	begin_census(census, target, info);
	engine = choose(options, target, info, err);
	if (!engine)
		return check_alive(target, err->code, err);
	rc = (options->freeze ? run_frozen : run_to_the_end)(
		engine, options, target, info, census, err);
	rc = check_alive(target, rc, err);
	tell_image(target, info);
	tell_twin(target, info);
	census_sort(census);
	info->seconds = clock_seconds_since(start_ns);
	info->errors = failures_total(&census->failures);
	info->unlinked = census->unlinked;
	info->unknown_inodes = census->unknown_inodes;
	return rc;
}
