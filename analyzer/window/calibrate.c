// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See calibrate.h. In a dump's own order: the inode map, the directories, then runs of files. Last,
 * what the runs met too seldom (strata.h, picks.h), for which some of the budget is kept as soon as
 * it is known that there is something, and the array as such.
 *
 * The order matters. The first pass over the inodes reads their chunks from the device, later ones
 * find them in memory unless there are too many; a run then costs what its files cost, as in a
 * dump. What reads the device directly comes after what it could have made faster.
 */
#include "analyzer/window/calibrate.h"

#include "analyzer/census/size_class.h"
#include "analyzer/window/array.h"
#include "analyzer/window/cold.h"
#include "analyzer/window/estimate.h"
#include "analyzer/window/identity.h"
#include "analyzer/window/pace.h"
#include "analyzer/window/picks.h"
#include "analyzer/window/runs.h"
#include "analyzer/window/strata.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/mount_copy.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SEED      0x78667363656e7375ULL
#define DEFAULT_PRECISION 0.02
#define INODE_MAP_SHARE   0.3  /* of the budget, at most */
#define DIRECTORIES_SHARE 0.2  /* likewise */
#define ARRAY_SHARE       0.08 /* likewise, for the array as such */
#define ARRAY_MIN_SECONDS 1.5  /* but no less than that, */
#define ARRAY_MIN_SHARE   0.25 /* unless it is more than this part of the budget */
#define ARRAY_MAX_SECONDS 5.0
#define END_SHARE         0.01 /* for dropping what was read from the page cache */
#define RARE_SHARE        0.2  /* of it, kept for what is rare where there is something */
#define FILES_MIN_SHARE   0.25 /* of the budget for files, whatever the passes took */
#define MIN_RUNS          24   /* fewer say little of each other */
#define MIN_SECONDS       2.0  /* and shorter is at the mercy of the moment */
#define CHECK_SECONDS     0.5  /* between two looks at the interval */
#define CHECK_REPLICATES  100
#define BUDGET_MAX        1e9 /* seconds; beyond that is no limit */
#define MAX_PICKED        (SIZE_CLASSES * (SURVEY_PICKS + SURVEY_STRATUM_RUNS))
#define MAX_RUNS          (CALIBRATION_MAX_RUNS - MAX_PICKED)

/* A calibration under way. */
struct work {
	const struct calibrate_options *options;
	struct calibration *calibration;
	struct xfs_handle_base base;
	int quiet_fd; /* where inodes are opened; -1: as the caller does */
	struct xfs_geometry geometry;
	dev_t device;
	struct array *array;           /* NULL if the device cannot be read */
	struct bulkstat *bulkstat;     /* a dump's large batches */
	struct bulkstat *run_bulkstat; /* batches of a run */
	struct replay *replay;
	struct survey survey;
	struct pace pace;
	struct array_traffic before; /* of the device, by everybody */
	bool has_traffic;
	int64_t start_ns;
	int64_t checked_ns;
	int64_t rare_ns;     /* when to look for what is rare at the latest */
	int64_t files_ns;    /* when reading files ends */
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

static double array_seconds(const struct work *work)
{
	double budget = work->options->budget_seconds;

	return fmin(fmin(ARRAY_MAX_SECONDS, ARRAY_MIN_SHARE * budget),
		fmax(ARRAY_MIN_SECONDS, ARRAY_SHARE * budget));
}

/* When so many seconds after the start are over. */
static int64_t moment(const struct work *work, double seconds)
{
	return work->start_ns + (int64_t)(fmin(seconds, BUDGET_MAX) * NS_PER_SECOND);
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
		rc = bulkstat_new(&work->run_bulkstat, fd, RUNS_BATCH, BULKSTAT_V1);
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
	work->quiet_fd = mount_copy_open_quiet(fd);
	rc = xfs_handle_init(&work->base, work->quiet_fd < 0 ? fd : work->quiet_fd);
	if (!rc)
		rc = replay_new(&work->replay, &work->base);
	return rc ? err_set_errno(err, rc, "%s: cannot open files by handle", path) : 0;
}

/* Opens the device; without it there are no readings, and nothing to wait for. */
static void open_array(struct work *work)
{
	uint64_t bytes = sat_mul_u64(work->geometry.data_blocks, work->geometry.block_bytes);
	const char *path = work->calibration->device;

	if (path && array_open(&work->array, path, bytes, work->options->seed))
		work->array = NULL;
	work->has_traffic = !array_traffic(work->device, &work->before);
}

static void describe(struct work *work, int fd)
{
	struct calibration *calibration = work->calibration;
	struct stat stat;

	snprintf(calibration->fs_id, sizeof(calibration->fs_id), "%s", work->geometry.uuid);
	calibration->path = strdup(work->options->path);
	calibration->budget_seconds = work->options->budget_seconds;
	calibration->seed = work->options->seed;
	calibration->nice = work->options->nice;
	if (fstat(fd, &stat))
		return;
	work->device = stat.st_dev;
	calibration->device = device_path(stat.st_dev);
	calibration->device_identity = device_identity(stat.st_dev);
	open_array(work);
}

/* --- Files ------------------------------------------------------------------------------------ */

/* The classes that more runs would hardly help, as they are looked for by themselves. */
static unsigned find_rare(const struct work *work, const struct class_load loads[SIZE_CLASSES],
	bool rare[SIZE_CLASSES])
{
	bool big[SIZE_CLASSES];
	unsigned count = strata_wanted(work->calibration, loads, rare);

	count += picks_wanted(work->calibration, loads, big);
	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		rare[i] |= big[i];
	return count;
}

/* Whether the interval is narrow enough; looks at it now and then only. */
static bool precise_enough(struct work *work)
{
	struct class_load loads[SIZE_CLASSES];
	struct estimate estimate;
	bool rare[SIZE_CLASSES];

	if (work->calibration->runs < MIN_RUNS ||
		clock_seconds_since(work->checked_ns) < CHECK_SECONDS ||
		clock_seconds_since(work->start_ns) < MIN_SECONDS)
		return false;
	work->checked_ns = clock_monotonic_ns();
	survey_all_loads(&work->survey, loads);
	find_rare(work, loads, rare);
	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		if (rare[i])
			loads[i] = (struct class_load){0};
	if (estimate_files(
		    work->calibration, loads, CHECK_REPLICATES, work->options->seed, &estimate))
		return false;
	return estimate_half_width(&estimate) < work->options->precision * estimate.seconds;
}

/* Whether runs are over: at the end, or before if something rare is still to be looked for. */
static bool out_of_time(struct work *work, struct runs *runs)
{
	struct class_load loads[SIZE_CLASSES];
	bool rare[SIZE_CLASSES];

	if (clock_monotonic_ns() < runs->end_ns)
		return false;
	if (runs->end_ns == work->files_ns)
		return true;
	runs->end_ns = work->files_ns;
	survey_all_loads(&work->survey, loads);
	return find_rare(work, loads, rare) > 0 || clock_monotonic_ns() >= runs->end_ns;
}

static int sample_runs(struct work *work, struct runs *runs)
{
	struct calibration *calibration = work->calibration;
	struct progress *progress = work->pace.progress;
	int rc = 0;

	calibration->passes[PASS_INODES].kind = PASS_INODES;
	progress_begin(progress, "files", 0);
	while (!rc && calibration->runs < MAX_RUNS && !out_of_time(work, runs) &&
		!precise_enough(work)) {
		const struct sample_run *run = sample_draw(&work->survey.sample);

		if (!run)
			break;
		rc = runs_dump(runs, run, calibration->runs, RUNS_ALL_CLASSES);
		calibration->runs++;
		progress_add(progress, run->inodes);
		if (progress_cancelled(progress))
			return -ECANCELED;
	}
	return rc;
}

/*
 * Until when files are read. An array that stalls may use up the budget in a pass, or in what is
 * waited for after it: without files there is no calibration, so they have their part in any case.
 */
static void plan_files(struct work *work)
{
	double budget = work->options->budget_seconds;
	double passed = clock_seconds_since(work->start_ns);
	double files = budget * (1 - END_SHARE) - array_seconds(work);

	files = fmax(files, passed + budget * FILES_MIN_SHARE);
	work->files_ns = moment(work, files);
	work->rare_ns = moment(work, fmax(files * (1 - RARE_SHARE), (files + passed) / 2));
}

/* The runs, then what they met too seldom. */
static int sample_files(struct work *work)
{
	struct runs runs = {
		.calibration = work->calibration,
		.survey = &work->survey,
		.replay = work->replay,
		.bulkstat = work->run_bulkstat,
		.pace = &work->pace,
	};
	int rc;

	plan_files(work);
	runs.end_ns = work->rare_ns;
	rc = sample_runs(work, &runs);
	if (!rc)
		rc = strata_take(&runs, (work->files_ns + clock_monotonic_ns()) / 2);
	work->failed_ino = runs.failed_ino;
	if (!rc)
		rc = picks_take(work->calibration, &work->survey, work->replay, work->files_ns,
			&work->pace);
	work->calibration->cpu_seconds =
		replay_cpu_share(work->replay) * calibration_sampled_seconds(work->calibration);
	return rc;
}

/* --- All of it -------------------------------------------------------------------------------- */

/* The device as such, and what metadata that was in memory would take there. */
static int measure_array(struct work *work)
{
	struct calibration *calibration = work->calibration;
	struct calibration_pass *passes = calibration->passes;
	double seconds = array_seconds(work) * pace_share(&work->pace);
	int rc;

	progress_begin(work->pace.progress, "array", 0);
	calibration->reading_count =
		array_measure(work->array, seconds, &work->pace, calibration->readings);
	if (progress_cancelled(work->pace.progress))
		return -ECANCELED;
	cold_directories(&work->survey, calibration, &passes[PASS_DIRECTORIES]);
	rc = cold_inode_map(&work->survey, work->bulkstat, work->array, &work->geometry,
		seconds / 4, &passes[PASS_INODE_MAP]);
	work->failed_ino = 0;
	return rc;
}

/* What was met of attributes on the way. */
static void take_attrs(struct work *work, enum calibration_pass_kind kind, bool in_blocks)
{
	const struct replay_attrs *attrs = replay_attrs(work->replay, in_blocks);

	work->calibration->passes[kind] = (struct calibration_pass){
		.kind = kind,
		.units = attrs->inodes,
		.bytes = attrs->stream_bytes,
		.seconds = attrs->seconds,
	};
}

static int measure(struct work *work)
{
	struct calibration *calibration = work->calibration;
	struct survey *survey = &work->survey;
	double budget = work->options->budget_seconds;
	int rc = survey_inode_map(survey, work->bulkstat, budget * INODE_MAP_SHARE, &work->pace,
		&calibration->passes[PASS_INODE_MAP]);

	work->failed_ino = survey->failed_ino;
	calibration->inodes = survey->sample.inodes;
	calibration->runs_in_all = (uint32_t)survey->sample.count;
	if (!rc)
		rc = survey_look_ups(
			survey, work->bulkstat, &work->pace, &calibration->passes[PASS_LOOK_UPS]);
	if (!rc)
		rc = survey_directories(survey, work->replay, budget * DIRECTORIES_SHARE,
			&work->pace, &calibration->passes[PASS_DIRECTORIES]);
	if (!rc)
		rc = survey_list_again(
			survey, work->replay, &work->pace, &calibration->passes[PASS_LISTED_AGAIN]);
	if (!rc)
		rc = sample_files(work);
	take_attrs(work, PASS_ATTRS, false);
	take_attrs(work, PASS_ATTR_BLOCKS, true);
	return rc ? rc : measure_array(work);
}

/* How sure it is, and who else was at work. */
static void sum_up(struct work *work, uint64_t read_before)
{
	struct calibration *calibration = work->calibration;
	struct class_load loads[SIZE_CLASSES];
	struct array_traffic after;
	struct estimate estimate;

	survey_all_loads(&work->survey, loads);
	if (!estimate_files(calibration, loads, CHECK_REPLICATES, work->options->seed, &estimate) &&
		estimate.seconds > 0) {
		calibration->drift = estimate.drift;
		calibration->interval_share = estimate_half_width(&estimate) / estimate.seconds;
	}
	calibration->read_bytes = survey_disk_bytes() - read_before;
	/* Without an account of our own reads, nothing is known of others'. */
	if (!calibration->read_bytes || !work->has_traffic || array_traffic(work->device, &after))
		return;
	after.read_bytes -= work->before.read_bytes;
	calibration->others_read_bytes =
		after.read_bytes - min_u64(after.read_bytes, calibration->read_bytes);
	calibration->others_written_bytes = after.written_bytes - work->before.written_bytes;
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
	pace_end(&work->pace);
	array_close(work->array);
	bulkstat_free(work->bulkstat);
	bulkstat_free(work->run_bulkstat);
	replay_free(work->replay);
	survey_fini(&work->survey);
	if (work->quiet_fd >= 0)
		close(work->quiet_fd);
}

int calibrate_run(const struct calibrate_options *options, int fd, struct calibration *calibration,
	struct err *err)
{
	struct work work = {
		.options = options,
		.calibration = calibration,
		.quiet_fd = -1,
		.start_ns = clock_monotonic_ns(),
	};
	uint64_t read_before = survey_disk_bytes();
	int rc;

	*calibration = (struct calibration){.started_seconds = clock_unix_seconds()};
	pace_begin(&work.pace, options->nice, options->progress);
	rc = begin(&work, fd, err);
	if (!rc) {
		survey_init(&work.survey, options->seed, work.geometry.block_bytes,
			work.geometry.inode_bytes);
		describe(&work, fd);
		work.survey.array = work.array;
		rc = measure(&work);
		if (!rc)
			sum_up(&work, read_before);
		rc = rc ? explain(&work, rc, err) : check(&work, err);
	}
	calibration->seconds = clock_seconds_since(work.start_ns);
	finish(&work);
	return rc;
}
