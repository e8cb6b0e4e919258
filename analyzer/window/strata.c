// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See strata.h. While the inode map was read, the survey kept some of the runs with files of each
 * class at random. Runs that were sampled already are passed over, and none is taken twice: what
 * has been read would come from memory. Time is shared out to the classes so that none goes
 * without.
 */
#include "analyzer/window/strata.h"

#include "base/checked.h"
#include "base/clock.h"

#include <string.h>

#define WANTED_SHARE 0.03 /* of the time of all files, at the worst */
#define ENOUGH_FILES 10   /* of a class */
#define ENOUGH_RUNS  3    /* that hold them */

/* What the sample has of a class. */
struct sampled {
	uint64_t files;
	unsigned cells;
};

static void count_sampled(
	const struct calibration *calibration, struct sampled sampled[SIZE_CLASSES])
{
	memset(sampled, 0, SIZE_CLASSES * sizeof(*sampled));
	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];

		sampled[cell->size_class].files += cell->files;
		sampled[cell->size_class].cells++;
	}
}

static bool is_enough(const struct sampled *sampled, const struct class_load *load)
{
	if (sampled->files >= load->files)
		return true;
	return sampled->files >= ENOUGH_FILES && sampled->cells >= ENOUGH_RUNS;
}

unsigned strata_wanted(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], bool wanted[SIZE_CLASSES])
{
	struct sampled sampled[SIZE_CLASSES];
	struct cost_table table;
	struct load_seconds all;
	unsigned count = 0;

	memset(wanted, 0, SIZE_CLASSES * sizeof(*wanted));
	count_sampled(calibration, sampled);
	cost_table_make(calibration, NULL, &table);
	all = cost_of_loads(&table, loads);
	for (unsigned i = 0; i < SURVEY_BIG_CLASS; i++) {
		double worst = (double)loads[i].files * STRATA_WORST_SECONDS;

		wanted[i] = loads[i].files && !is_enough(&sampled[i], &loads[i]) &&
			    worst > WANTED_SHARE * load_seconds_all(&all);
		count += wanted[i];
	}
	return count;
}

/* The runs that have been taken for some class, by their first inode. */
struct taken {
	uint64_t first_ino[SURVEY_BIG_CLASS * SURVEY_STRATUM_RUNS];
	size_t count;
};

static bool was_read(
	const struct sample *sample, const struct taken *taken, const struct sample_run *run)
{
	for (size_t i = 0; i < taken->count; i++)
		if (taken->first_ino[i] == run->first_ino)
			return true;
	for (size_t i = 0; i < sample->drawn; i++)
		if (sample->runs[i].first_ino == run->first_ino)
			return true;
	return false;
}

static int take_run(
	struct runs *runs, struct taken *taken, const struct sample_run *run, unsigned size_class)
{
	struct calibration *calibration = runs->calibration;
	uint32_t number = calibration->runs + calibration->picked_runs + calibration->picked_files;
	size_t cells = calibration->cell_count;
	int rc = runs_dump(runs, run, number, size_class);

	taken->first_ino[taken->count++] = run->first_ino;
	calibration->picked_runs += calibration->cell_count > cells;
	progress_add(runs->pace->progress, run->inodes);
	return rc;
}

static int take_class(
	struct runs *runs, struct taken *taken, unsigned size_class, const struct class_load *load)
{
	const struct survey_stratum *stratum = &runs->survey->strata[size_class];
	uint64_t count = min_u64(stratum->count, SURVEY_STRATUM_RUNS);
	struct sampled sampled[SIZE_CLASSES];

	for (uint64_t i = 0; i < count && clock_monotonic_ns() < runs->end_ns; i++) {
		int rc;

		if (was_read(&runs->survey->sample, taken, &stratum->runs[i]))
			continue;
		rc = take_run(runs, taken, &stratum->runs[i], size_class);
		if (rc || progress_cancelled(runs->pace->progress))
			return rc;
		count_sampled(runs->calibration, sampled);
		if (is_enough(&sampled[size_class], load))
			break;
	}
	return 0;
}

int strata_take(struct runs *runs, int64_t end_ns)
{
	struct class_load loads[SIZE_CLASSES];
	bool wanted[SIZE_CLASSES];
	struct taken taken = {.count = 0};
	unsigned left;
	int rc = 0;

	survey_all_loads(runs->survey, loads);
	left = strata_wanted(runs->calibration, loads, wanted);
	if (left)
		progress_begin(runs->pace->progress, "rare files", 0);
	for (unsigned i = 0; i < SURVEY_BIG_CLASS && !rc; i++) {
		int64_t now_ns = clock_monotonic_ns();

		if (!wanted[i] || now_ns >= end_ns)
			continue;
		runs->end_ns = now_ns + (end_ns - now_ns) / left--;
		rc = take_class(runs, &taken, i, &loads[i]);
	}
	return rc;
}
