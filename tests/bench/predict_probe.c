// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calibrates a mounted XFS filesystem, takes its census and predicts its level-0 dump, in one go
 * and in this order, so that the calibration finds the caches as they were before.
 *
 * usage: predict_probe MOUNT-POINT [BUDGET-SECONDS [SEED]]
 * Prints one line of KEY=VALUE words to standard output, and the details to standard error.
 */
#include "analyzer/census/census.h"
#include "analyzer/scan/record.h"
#include "analyzer/window/calibrate.h"
#include "analyzer/window/prediction.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TINY_BYTES 4096

static int take_census(int fd, struct census *census, uint64_t *chunks)
{
	const struct xfs_chunk *chunk;
	const struct xfs_inode *inodes;
	struct xfs_geometry geometry;
	struct bulkstat *bulkstat;
	uint64_t next = 0;
	unsigned count;
	int rc = xfs_geometry_get(fd, &geometry);

	census_init(census, geometry.block_bytes, clock_day_of(clock_unix_seconds()));
	if (rc || bulkstat_new(&bulkstat, fd, 4096, BULKSTAT_AUTO))
		return -1;
	*chunks = 0;
	while (!(rc = bulkstat_chunks(bulkstat, &next, &chunk, &count)) && count)
		*chunks += count;
	next = 0;
	while (!rc && !(rc = bulkstat_next(bulkstat, &next, &inodes, &count)) && count)
		for (unsigned i = 0; i < count && !rc; i++) {
			struct inode_record record;

			record_from_xfs(&record, &inodes[i]);
			rc = census_add(census, &record);
		}
	bulkstat_free(bulkstat);
	census_sort(census);
	return rc;
}

static void show_details(const struct calibration *calibration, const struct prediction *prediction)
{
	double file_seconds[65] = {0}, data_seconds[65] = {0};
	uint64_t files[65] = {0};

	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];

		files[cell->size_class] += cell->files;
		file_seconds[cell->size_class] += cell->file_seconds;
		data_seconds[cell->size_class] += cell->data_seconds;
	}
	for (size_t i = 0; i < CALIBRATION_PASSES; i++)
		fprintf(stderr, "pass %zu: %llu units, %.4f s, %llu bytes from the device\n", i,
			(unsigned long long)calibration->passes[i].units,
			calibration->passes[i].seconds,
			(unsigned long long)calibration->passes[i].disk_bytes);
	fprintf(stderr, "class   files  sampled  us/open  us/data  seconds\n");
	for (size_t i = 0; i < prediction->class_count; i++) {
		const struct prediction_class *row = &prediction->classes[i];
		double sampled = (double)files[row->size_class];

		fprintf(stderr, "%5u %7llu %8.0f %8.1f %8.1f %8.3f\n", row->size_class,
			(unsigned long long)row->files, sampled,
			1e6 * file_seconds[row->size_class] / sampled,
			1e6 * data_seconds[row->size_class] / sampled, row->seconds);
	}
	for (size_t i = 0; i < prediction->user_count && i < 3; i++)
		fprintf(stderr, "uid %u: %llu files, %.3f s\n", prediction->users[i].uid,
			(unsigned long long)prediction->users[i].files,
			prediction->users[i].seconds);
}

static int fail(const struct err *err)
{
	fprintf(stderr, "predict_probe: %s\n", err->message);
	return 2;
}

int main(int argc, char **argv)
{
	struct scan_info scan = {.tiny_bytes = TINY_BYTES};
	struct calibrate_options options;
	struct calibration calibration;
	struct census census;
	const struct prediction_request request = {
		.scan = &scan,
		.cube = &census.cube,
		.facts = &census.dump,
		.calibration = &calibration,
	};
	struct prediction prediction;
	struct err err = {0};
	uint64_t chunks;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: predict_probe MOUNT-POINT [BUDGET-SECONDS [SEED]]\n");
		return 64;
	}
	calibrate_options_init(&options);
	options.path = argv[1];
	if (argc > 2)
		options.budget_seconds = atof(argv[2]);
	if (argc > 3)
		options.seed = strtoull(argv[3], NULL, 0);
	if (calibrate_run(&options, fd, &calibration, &err))
		return fail(&err);
	if (take_census(fd, &census, &chunks))
		return 2;
	scan.inode_chunks = chunks;
	if (prediction_make(&request, &prediction, &err))
		return fail(&err);
	show_details(&calibration, &prediction);
	printf("predicted=%.3f low=%.3f high=%.3f bytes=%llu files=%llu inode_map=%.3f "
	       "directories=%.3f files_phase=%.3f runs=%u of=%u cpu=%.3f cached=%llu seconds=%.2f "
	       "bottleneck=%s\n",
		prediction.seconds, prediction.low_seconds, prediction.high_seconds,
		(unsigned long long)prediction.dump_bytes, (unsigned long long)prediction.files,
		prediction.phases[PHASE_INODE_MAP], prediction.phases[PHASE_DIRECTORIES],
		prediction.phases[PHASE_FILES], calibration.runs, calibration.runs_in_all,
		calibration.cpu_seconds, (unsigned long long)calibration.cached_files,
		calibration.seconds, prediction.bottleneck);
	prediction_fini(&prediction);
	calibration_fini(&calibration);
	census_fini(&census);
	close(fd);
	return 0;
}
