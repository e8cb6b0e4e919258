// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See picks.h.
 *
 * Of a class, some PIECES are read in all: several of each file where there are few files. Where
 * in a file is up to chance, since what lies first on a disk is not as fast as what lies last, and
 * the first bytes of a file read alone are not as fast as what follows. What is read of a file that
 * a run has met goes to that run's cell, so that no file counts twice. Time is shared out to the
 * classes so that none goes without.
 */
#include "analyzer/window/picks.h"

#include "base/checked.h"
#include "base/clock.h"

#include <errno.h>
#include <string.h>

#define WANTED_SHARE 0.05 /* of all bytes, in a class */
#define PIECES       16
#define ALIGN_BYTES  (1ULL << 20)

/* How much of @load of @size_class is enough; its files may be smaller than a piece. */
static uint64_t enough_bytes(unsigned size_class, const struct class_load *load)
{
	uint64_t a_file = min_u64(size_class_low(size_class), REPLAY_FILE_LIMIT_BYTES);

	return min_u64(PICKS_ENOUGH * a_file, load->stream_bytes / 2);
}

static void sum_class(
	const struct calibration *calibration, unsigned size_class, struct class_load *sampled)
{
	*sampled = (struct class_load){0};
	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];

		if (cell->size_class != size_class)
			continue;
		sampled->files += cell->files;
		sampled->stream_bytes += cell->stream_bytes;
	}
}

unsigned picks_wanted(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], bool wanted[SIZE_CLASSES])
{
	double all_bytes = 0;
	unsigned count = 0;

	memset(wanted, 0, SIZE_CLASSES * sizeof(*wanted));
	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		all_bytes += (double)loads[i].stream_bytes;
	for (unsigned i = SURVEY_BIG_CLASS; i < SIZE_CLASSES; i++) {
		const struct class_load *load = &loads[i];
		struct class_load sampled;

		if (!load->files || (double)load->stream_bytes < WANTED_SHARE * all_bytes)
			continue;
		sum_class(calibration, i, &sampled);
		wanted[i] = sampled.files < min_u64(PICKS_ENOUGH, load->files) ||
			    sampled.stream_bytes < enough_bytes(i, load);
		count += wanted[i];
	}
	return count;
}

/* Where a piece of a file begins, in bytes of its data. */
static uint64_t choose_piece(struct survey *survey, const struct xfs_inode *inode)
{
	uint64_t data_bytes =
		min_u64(inode->size_bytes, sat_mul_u64(inode->blocks, inode->block_bytes));

	if (data_bytes < REPLAY_FILE_LIMIT_BYTES + ALIGN_BYTES)
		return 0;
	return ALIGN_BYTES * random_below(&survey->random,
				     (data_bytes - REPLAY_FILE_LIMIT_BYTES) / ALIGN_BYTES + 1);
}

/*
 * Reads @pieces of a file into @sum, whose `files` is 1 then; 0 if all were in the page cache. What
 * all of it takes in a stream goes to @layout_bytes.
 */
static void read_pieces(struct survey *survey, struct replay *replay, const struct xfs_inode *inode,
	unsigned pieces, int64_t end_ns, struct calibration_cell *sum, uint64_t *layout_bytes)
{
	double stream_bytes = (double)survey_load(survey, inode).stream_bytes;

	*sum = (struct calibration_cell){0};
	for (unsigned i = 0; i < pieces; i++) {
		struct replay_result result;

		if (sum->files && clock_monotonic_ns() >= end_ns)
			return;
		if (replay_piece(replay, inode, choose_piece(survey, inode),
			    REPLAY_FILE_LIMIT_BYTES, &result) ||
			result.cached || !result.bytes)
			continue;
		*layout_bytes = result.stream_bytes;
		if (!sum->files)
			sum->file_seconds = result.file_seconds;
		sum->files = 1;
		sum->bytes += result.bytes;
		sum->stream_bytes +=
			(uint64_t)(stream_bytes * (double)result.bytes / (double)result.data_bytes);
		sum->data_seconds += result.data_seconds;
	}
}

/* Adds to the cell of a file that a run has met, else makes a new one. */
static int add_pieces(struct calibration *calibration, const struct survey_pick *pick,
	const struct calibration_cell *sum)
{
	uint32_t run = calibration->runs + calibration->picked_runs + calibration->picked_files;
	unsigned size_class = size_class_of(pick->inode.size_bytes);
	struct calibration_cell *cell;

	if (pick->met) {
		cell = &calibration->cells[pick->met - 1];
		cell->bytes += sum->bytes;
		cell->stream_bytes += sum->stream_bytes;
		cell->data_seconds += sum->data_seconds;
		return 0;
	}
	cell = calibration_add_cell(calibration, run, size_class);
	if (!cell)
		return -ENOMEM;
	*cell = *sum;
	cell->run = run;
	cell->size_class = (uint8_t)size_class;
	calibration->picked_files++;
	return 0;
}

static int pick_class(struct calibration *calibration, struct survey *survey, struct replay *replay,
	unsigned size_class, int64_t end_ns, struct pace *pace)
{
	unsigned count;
	struct survey_pick *picks = survey_picks(survey, size_class, &count);

	for (unsigned i = 0; i < count; i++) {
		struct calibration_cell sum;
		uint64_t layout_bytes = 0;

		if (i && clock_monotonic_ns() >= end_ns)
			break;
		read_pieces(survey, replay, &picks[i].inode, (PIECES + count - 1) / count, end_ns,
			&sum, &layout_bytes);
		if (sum.files && !picks[i].met)
			survey_add_layout(survey, &picks[i].inode, layout_bytes, calibration);
		if (sum.files && add_pieces(calibration, &picks[i], &sum))
			return -ENOMEM;
		progress_add(pace->progress, 1);
		if (!pace_go_on(pace))
			return -ECANCELED;
	}
	return 0;
}

int picks_take(struct calibration *calibration, struct survey *survey, struct replay *replay,
	int64_t end_ns, struct pace *pace)
{
	struct class_load loads[SIZE_CLASSES];
	bool wanted[SIZE_CLASSES];
	unsigned left;
	int rc = 0;

	survey_all_loads(survey, loads);
	left = picks_wanted(calibration, loads, wanted);
	if (left)
		progress_begin(pace->progress, "big files", 0);
	for (unsigned i = 0; i < SIZE_CLASSES && !rc; i++) {
		int64_t now_ns = clock_monotonic_ns();

		if (!wanted[i])
			continue;
		rc = pick_class(calibration, survey, replay, i,
			now_ns + (end_ns > now_ns ? (end_ns - now_ns) / left : 0), pace);
		left--;
	}
	return rc;
}
