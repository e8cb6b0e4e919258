// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See runs.h. A run that its limit ends early stays in: the files that it got to are a sample like
 * any other, and to leave it out would favour fast runs.
 *
 * Where the first pass over the inodes was cut short but the chunks would all fit into memory, a
 * run's inodes are read once before time is taken, as a dump's last pass finds them in memory.
 */
#include "analyzer/window/runs.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/stat.h>

#define WARM_SHARE (1 / 3.0) /* of a run in the page cache: then its other files do not count */

/* A run under way. */
struct run_work {
	struct runs *runs;
	const struct sample_run *run;
	uint32_t number;
	unsigned size_class;
	size_t first_cell;
	uint64_t cached; /* files that the page cache held */
	uint64_t read;   /* files that hold something and were read */
};

/* The cell of @size_class in the run under way; NULL without memory. */
static struct calibration_cell *cell_of(const struct run_work *work, unsigned size_class)
{
	struct calibration *calibration = work->runs->calibration;

	for (size_t i = work->first_cell; i < calibration->cell_count; i++)
		if (calibration->cells[i].size_class == size_class)
			return &calibration->cells[i];
	return calibration_add_cell(calibration, work->number, size_class);
}

/* Adds a file to its cell. Of a file read in part, that part of the load counts. */
static int add_file(const struct run_work *work, const struct xfs_inode *inode,
	const struct replay_result *result)
{
	struct survey *survey = work->runs->survey;
	struct class_load load = survey_load(survey, inode);
	struct calibration_cell *cell = cell_of(work, size_class_of(inode->size_bytes));
	double part = result->data_bytes > result->bytes
			      ? (double)result->bytes / (double)result->data_bytes
			      : 1;

	if (!cell)
		return -ENOMEM;
	survey_add_layout(survey, inode, result->stream_bytes, work->runs->calibration);
	survey_met(survey, inode, (size_t)(cell - work->runs->calibration->cells));
	cell->files++;
	cell->bytes += result->bytes;
	cell->stream_bytes += (uint64_t)((double)load.stream_bytes * part + 0.5);
	cell->file_seconds += result->file_seconds;
	cell->data_seconds += result->data_seconds;
	return 0;
}

static bool is_wanted(const struct run_work *work, unsigned size_class)
{
	return work->size_class == RUNS_ALL_CLASSES || work->size_class == size_class;
}

static int leave_out(struct run_work *work, unsigned size_class)
{
	struct calibration_cell *cell;

	work->cached++;
	work->runs->calibration->cached_files++;
	if (!is_wanted(work, size_class))
		return 0;
	cell = cell_of(work, size_class);
	if (!cell)
		return -ENOMEM;
	cell->left_out++;
	return 0;
}

/* Dumps one inode of a run. What is gone or cannot be read is counted and left out. */
static int dump_inode(struct run_work *work, const struct xfs_inode *inode)
{
	unsigned size_class = size_class_of(inode->size_bytes);
	struct replay_result result;
	double seconds;

	if (!inode->nlink || S_ISDIR(inode->mode))
		return 0;
	if (!S_ISREG(inode->mode)) {
		replay_special(work->runs->replay, inode, &seconds);
		return 0;
	}
	if (replay_file(work->runs->replay, inode, REPLAY_FILE_LIMIT_BYTES, &result)) {
		work->runs->calibration->skipped_files++;
		return 0;
	}
	if (result.cached)
		return leave_out(work, size_class);
	work->read += size_class > 0;
	return is_wanted(work, size_class) ? add_file(work, inode, &result) : 0;
}

/* Whether another file may be begun. */
static bool go_on(const struct runs *runs)
{
	return pace_go_on(runs->pace) && clock_monotonic_ns() < runs->end_ns;
}

/* The inodes of a batch that are the run's; sets @ended if it is to end here. */
static int dump_batch(
	struct run_work *work, const struct xfs_inode *inodes, unsigned count, bool *ended)
{
	for (unsigned i = 0; i < count && inodes[i].ino <= work->run->last_ino; i++) {
		int rc = dump_inode(work, &inodes[i]);

		if (rc)
			return rc;
		*ended = !go_on(work->runs);
		if (*ended)
			break;
	}
	return 0;
}

static int warm_up(struct runs *runs, const struct sample_run *run)
{
	const struct xfs_inode *inodes;
	uint64_t next = run->first_ino;
	unsigned count;
	int rc;

	runs->failed_ino = next;
	if (!runs->survey->inodes_fit || runs->survey->whole)
		return 0;
	rc = bulkstat_next(runs->bulkstat, &next, &inodes, &count);
	array_drain(runs->survey->array, runs->pace);
	return rc;
}

/*
 * Leaves out what was read of a run of which the page cache held much: files that tell a rate by
 * themselves stay, as do empty ones, of which there is nothing to hold.
 */
static void judge(const struct run_work *work)
{
	struct calibration *calibration = work->runs->calibration;

	if ((double)work->cached <= WARM_SHARE * (double)(work->cached + work->read))
		return;
	for (size_t i = work->first_cell; i < calibration->cell_count; i++) {
		struct calibration_cell *cell = &calibration->cells[i];

		if (!cost_needs_neighbours(cell->size_class))
			continue;
		*cell = (struct calibration_cell){
			.run = cell->run,
			.size_class = cell->size_class,
			.left_out = cell->left_out + cell->files,
		};
	}
}

int runs_dump(struct runs *runs, const struct sample_run *run, uint32_t number, unsigned size_class)
{
	struct calibration_pass *pass = &runs->calibration->passes[PASS_INODES];
	struct run_work work = {
		.runs = runs,
		.run = run,
		.number = number,
		.size_class = size_class,
		.first_cell = runs->calibration->cell_count,
	};
	uint64_t next = run->first_ino;
	bool ended = false;
	int rc = warm_up(runs, run);

	while (!rc && !ended && next <= run->last_ino) {
		int64_t start_ns = clock_monotonic_ns();
		const struct xfs_inode *inodes;
		unsigned count;

		rc = bulkstat_next(runs->bulkstat, &next, &inodes, &count);
		runs->failed_ino = next;
		if (rc || !count)
			break;
		pass->units += count;
		pass->seconds += clock_seconds_since(start_ns);
		rc = dump_batch(&work, inodes, count, &ended);
	}
	judge(&work);
	return rc;
}
