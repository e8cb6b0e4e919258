// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See calibrate.h. In a dump's own order: the inode map, the directories, then runs of files; last,
 * what the runs met too seldom of big files (picks.h), for which some of the budget is kept.
 *
 * The order matters. The first pass over the inodes reads their chunks from the device, later ones
 * find them in memory unless there are too many; a run then costs what its files cost, as in a
 * dump. Where the first pass was cut short but the chunks would all fit, a run's inodes are read
 * once before time is taken.
 *
 * A run that the limit ends early stays in: the files that it got to are a sample like any other,
 * and to leave it out would favour fast runs.
 */
#include "analyzer/window/calibrate.h"

#include "analyzer/census/size_class.h"
#include "analyzer/window/estimate.h"
#include "analyzer/window/identity.h"
#include "analyzer/window/picks.h"
#include "analyzer/window/replay.h"
#include "analyzer/window/survey.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define DEFAULT_SEED      0x78667363656e7375ULL
#define DEFAULT_PRECISION 0.02
#define INODE_MAP_SHARE   0.3 /* of the budget, at most */
#define DIRECTORIES_SHARE 0.2 /* likewise */
#define PICKS_SHARE       0.2 /* of it, kept for big files where there are some */
#define MIN_RUNS          24  /* fewer say little of each other */
#define MIN_SECONDS       2.0 /* and shorter is at the mercy of the moment */
#define CHECK_SECONDS     0.5 /* between two looks at the interval */
#define CHECK_REPLICATES  100
#define BUDGET_MAX        1e9 /* seconds; beyond that is no limit */
#define MAX_RUNS          (CALIBRATION_MAX_RUNS - SIZE_CLASSES * SURVEY_PICKS)
#define RUN_BATCH         (SAMPLE_RUN_INODES + XFS_CHUNK_INODES)

/* A calibration under way. */
struct work {
	const struct calibrate_options *options;
	struct calibration *calibration;
	struct xfs_handle_base base;
	struct xfs_geometry geometry;
	struct bulkstat *bulkstat;     /* a dump's large batches */
	struct bulkstat *run_bulkstat; /* batches of a run */
	struct replay *replay;
	struct survey survey;
	int64_t start_ns;
	int64_t checked_ns;
	double runs_seconds; /* from the start until no run may go on */
	uint64_t failed_ino; /* after an error: it is in the first inode from here on */
};

void calibrate_options_init(struct calibrate_options *options)
{
	*options = (struct calibrate_options){
		.budget_seconds = CALIBRATE_BUDGET_SECONDS,
		.precision = DEFAULT_PRECISION,
		.seed = DEFAULT_SEED,
	};
}

/* Whether the runs have used up their time. */
static bool over_budget(const struct work *work)
{
	return clock_seconds_since(work->start_ns) >= work->runs_seconds;
}

static double thread_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_SECOND;
}

/* Asks what is needed to begin; the messages are about what a user can get wrong. */
static int begin(struct work *work, int fd, struct err *err)
{
	const char *path = work->options->path;
	const struct xfs_chunk *chunks;
	uint64_t first = 0;
	unsigned count;
	int rc = xfs_geometry_get(fd, &work->geometry);

	if (rc == -ENOTTY)
		return err_set(err, -EOPNOTSUPP,
			"%s is not on XFS: calibration replays xfsdump, which dumps XFS only",
			path);
	if (rc)
		return err_set_errno(err, rc, "%s: cannot ask for the geometry", path);
	rc = bulkstat_new(&work->bulkstat, fd, SURVEY_BATCH, BULKSTAT_V1);
	if (!rc)
		rc = bulkstat_new(&work->run_bulkstat, fd, RUN_BATCH, BULKSTAT_V1);
	if (rc)
		return err_set(err, rc, "out of memory");
	rc = bulkstat_chunks(work->bulkstat, &first, &chunks, &count);
	if (rc == -EPERM || rc == -EACCES)
		return err_set(err, -EPERM,
			"%s: calibration opens files by inode number, which takes root "
			"(CAP_SYS_ADMIN)",
			path);
	if (rc)
		return err_set_errno(err, rc, "%s: cannot list the inode chunks", path);
	rc = xfs_handle_init(&work->base, fd);
	if (!rc)
		rc = replay_new(&work->replay, &work->base);
	return rc ? err_set_errno(err, rc, "%s: cannot open files by handle", path) : 0;
}

static void describe(struct work *work, int fd)
{
	struct calibration *calibration = work->calibration;
	struct stat stat;

	snprintf(calibration->fs_id, sizeof(calibration->fs_id), "%s", work->geometry.uuid);
	calibration->path = strdup(work->options->path);
	calibration->budget_seconds = work->options->budget_seconds;
	calibration->seed = work->options->seed;
	if (fstat(fd, &stat))
		return;
	calibration->device = device_path(stat.st_dev);
	calibration->device_identity = device_identity(stat.st_dev);
}

/* The cell of @size_class in the run under way, which began at cell @first; NULL without memory. */
static struct calibration_cell *cell_of(
	struct calibration *calibration, size_t first, unsigned size_class)
{
	for (size_t i = first; i < calibration->cell_count; i++)
		if (calibration->cells[i].size_class == size_class)
			return &calibration->cells[i];
	return calibration_add_cell(calibration, calibration->runs, size_class);
}

/* Adds a file to its cell. Of a file read in part, that part of the load counts. */
static int add_file(struct work *work, size_t first_cell, const struct xfs_inode *inode,
	const struct replay_result *result)
{
	struct class_load load = survey_load(&work->survey, inode);
	struct calibration_cell *cell =
		cell_of(work->calibration, first_cell, size_class_of(inode->size_bytes));
	double part = result->data_bytes > result->bytes
			      ? (double)result->bytes / (double)result->data_bytes
			      : 1;

	if (!cell)
		return -ENOMEM;
	survey_met(&work->survey, inode, (size_t)(cell - work->calibration->cells));
	cell->files++;
	cell->bytes += result->bytes;
	cell->stream_bytes += (uint64_t)((double)load.stream_bytes * part + 0.5);
	cell->file_seconds += result->file_seconds;
	cell->data_seconds += result->data_seconds;
	return 0;
}

/* Dumps one inode of a run. What is gone or cannot be read is counted and left out. */
static int sample_inode(struct work *work, size_t first_cell, const struct xfs_inode *inode)
{
	struct calibration *calibration = work->calibration;
	struct replay_result result;
	double seconds;

	if (!inode->nlink || S_ISDIR(inode->mode))
		return 0;
	if (!S_ISREG(inode->mode)) {
		replay_special(work->replay, inode, &seconds);
		return 0;
	}
	if (replay_file(work->replay, inode, REPLAY_FILE_LIMIT_BYTES, &result)) {
		calibration->skipped_files++;
		return 0;
	}
	if (result.cached) {
		calibration->cached_files++;
		return 0;
	}
	return add_file(work, first_cell, inode, &result);
}

/* The inodes of a batch that are the run's, after the pass over them was measured. */
static int sample_batch(struct work *work, const struct sample_run *run, size_t first_cell,
	const struct xfs_inode *inodes, unsigned count)
{
	for (unsigned i = 0; i < count && inodes[i].ino <= run->last_ino; i++) {
		int rc = sample_inode(work, first_cell, &inodes[i]);

		if (rc)
			return rc;
		if (over_budget(work) || progress_cancelled(work->options->progress))
			return 0;
	}
	return 0;
}

/* Reads a run's inodes so that they are in memory, as they are in a dump's last pass. */
static int warm_up(struct work *work, const struct sample_run *run)
{
	const struct xfs_inode *inodes;
	uint64_t next = run->first_ino;
	unsigned count;

	work->failed_ino = next;
	if (!work->survey.inodes_fit || work->survey.whole)
		return 0;
	return bulkstat_next(work->run_bulkstat, &next, &inodes, &count);
}

static int sample_run(struct work *work, const struct sample_run *run)
{
	struct calibration_pass *pass = &work->calibration->passes[PASS_INODES];
	size_t first_cell = work->calibration->cell_count;
	uint64_t next = run->first_ino;
	int rc = warm_up(work, run);

	while (!rc && next <= run->last_ino) {
		int64_t start_ns = clock_monotonic_ns();
		const struct xfs_inode *inodes;
		unsigned count;

		rc = bulkstat_next(work->run_bulkstat, &next, &inodes, &count);
		work->failed_ino = next;
		if (rc || !count)
			break;
		pass->units += count;
		pass->seconds += clock_seconds_since(start_ns);
		rc = sample_batch(work, run, first_cell, inodes, count);
		if (over_budget(work) || progress_cancelled(work->options->progress))
			break;
	}
	work->calibration->runs++;
	return rc;
}

/* Whether the interval is narrow enough; looks at it now and then only. */
static bool precise_enough(struct work *work)
{
	struct class_load loads[SIZE_CLASSES];
	bool picked[SIZE_CLASSES];
	struct estimate estimate;

	if (work->calibration->runs < MIN_RUNS ||
		clock_seconds_since(work->checked_ns) < CHECK_SECONDS ||
		clock_seconds_since(work->start_ns) < MIN_SECONDS)
		return false;
	work->checked_ns = clock_monotonic_ns();
	survey_all_loads(&work->survey, loads);
	picks_wanted(work->calibration, loads, picked);
	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		if (picked[i]) /* more runs would hardly help */
			loads[i] = (struct class_load){0};
	if (estimate_files(
		    work->calibration, loads, CHECK_REPLICATES, work->options->seed, &estimate))
		return false;
	return estimate_half_width(&estimate) < work->options->precision * estimate.seconds;
}

static int sample_runs(struct work *work)
{
	struct progress *progress = work->options->progress;
	const struct sample_run *run;
	int rc = 0;

	work->calibration->passes[PASS_INODES].kind = PASS_INODES;
	progress_begin(progress, "files", 0);
	while (!rc && work->calibration->runs < MAX_RUNS && !over_budget(work) &&
		!precise_enough(work)) {
		run = sample_draw(&work->survey.sample);
		if (!run)
			break;
		rc = sample_run(work, run);
		progress_add(progress, run->inodes);
		if (progress_cancelled(progress))
			return -ECANCELED;
	}
	return rc;
}

/* The runs, then what they met too seldom. */
static int sample_files(struct work *work)
{
	double cpu_seconds = thread_cpu_seconds(), budget = work->options->budget_seconds;
	struct class_load loads[SIZE_CLASSES];
	bool wanted[SIZE_CLASSES];
	int rc;

	survey_all_loads(&work->survey, loads);
	work->runs_seconds = budget;
	if (picks_wanted(work->calibration, loads, wanted))
		work->runs_seconds *= 1 - PICKS_SHARE;
	rc = sample_runs(work);
	if (!rc)
		rc = picks_take(work->calibration, &work->survey, work->replay,
			work->start_ns + (int64_t)(fmin(budget, BUDGET_MAX) * NS_PER_SECOND),
			work->options->progress);
	work->calibration->cpu_seconds = thread_cpu_seconds() - cpu_seconds;
	return rc;
}

static int measure(struct work *work)
{
	struct calibration *calibration = work->calibration;
	struct survey *survey = &work->survey;
	double budget = work->options->budget_seconds;
	int rc = survey_inode_map(survey, work->bulkstat, budget * INODE_MAP_SHARE,
		work->options->progress, &calibration->passes[PASS_INODE_MAP]);

	work->failed_ino = survey->failed_ino;
	calibration->inodes = survey->sample.inodes;
	calibration->runs_in_all = (uint32_t)survey->sample.count;
	if (!rc)
		rc = survey_directories(survey, work->replay, budget * DIRECTORIES_SHARE,
			work->options->progress, &calibration->passes[PASS_DIRECTORIES]);
	return rc ? rc : sample_files(work);
}

/* What ended it, for people. */
static int explain(const struct work *work, int rc, struct err *err)
{
	const char *path = work->options->path;

	switch (rc) {
	case -ECANCELED:
		return err_set(err, rc, "%s: calibration stopped", path);
	case -EUCLEAN:
	case -EIO:
	case -EBADMSG:
		return err_set_errno(err, rc,
			"%s: the first inode in use from number %llu on, or its chunk, cannot be "
			"read, and xfsdump would fail there too: unmount and run xfs_repair",
			path, (unsigned long long)work->failed_ino);
	default:
		return err_set_errno(err, rc, "%s: calibration failed", path);
	}
}

/* Whether a prediction can go by it: an empty filesystem needs no sample. */
static int check(const struct work *work, struct err *err)
{
	const struct calibration *calibration = work->calibration;
	struct class_load loads[SIZE_CLASSES];
	char budget[UNIT_TEXT_BYTES];
	int rc;

	if (!work->survey.whole && !calibration->cell_count && !calibration->cached_files)
		return err_set(err, -ENODATA,
			"%s: the budget of %s was used up before a file was read: calibrate with "
			"a larger --budget",
			work->options->path,
			unit_format_seconds(work->options->budget_seconds, budget));
	survey_all_loads(&work->survey, loads);
	rc = cost_check(calibration, loads, err);
	if (rc)
		err_prefix(err, "%s", work->options->path);
	return rc;
}

static void finish(struct work *work)
{
	bulkstat_free(work->bulkstat);
	bulkstat_free(work->run_bulkstat);
	replay_free(work->replay);
	survey_fini(&work->survey);
}

int calibrate_run(const struct calibrate_options *options, int fd, struct calibration *calibration,
	struct err *err)
{
	struct work work = {
		.options = options,
		.calibration = calibration,
		.start_ns = clock_monotonic_ns(),
	};
	int rc;

	*calibration = (struct calibration){.started_seconds = clock_unix_seconds()};
	rc = begin(&work, fd, err);
	if (!rc) {
		survey_init(&work.survey, options->seed, work.geometry.block_bytes,
			work.geometry.inode_bytes);
		describe(&work, fd);
		rc = measure(&work);
		if (rc)
			explain(&work, rc, err);
		else
			rc = check(&work, err);
	}
	calibration->seconds = clock_seconds_since(work.start_ns);
	finish(&work);
	return rc;
}
