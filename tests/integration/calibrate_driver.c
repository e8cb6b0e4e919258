// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: calibrate_driver PATH BUDGET-SECONDS [cancelled]
 * Calibrates and prints one line of KEY=VALUE words, or the message of the error with status 2.
 */
#include "analyzer/window/calibrate.h"
#include "analyzer/window/prediction.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const atomic_bool always = true;

static void print(const struct calibration *calibration)
{
	uint64_t files = 0, bytes = 0;

	for (size_t i = 0; i < calibration->cell_count; i++) {
		files += calibration->cells[i].files;
		bytes += calibration->cells[i].bytes;
	}
	printf("files=%" PRIu64 " bytes=%" PRIu64 " cached=%" PRIu64 " skipped=%" PRIu64
	       " inodes=%" PRIu64 " runs=%u of=%u map=%" PRIu64 " directories=%" PRIu64
	       " fs=%s device=%s seconds=%.2f\n",
		files, bytes, calibration->cached_files, calibration->skipped_files,
		calibration->inodes, calibration->runs, calibration->runs_in_all,
		calibration->passes[PASS_INODE_MAP].units,
		calibration->passes[PASS_DIRECTORIES].units, calibration->fs_id,
		calibration->device ? calibration->device : "?", calibration->seconds);
}

int main(int argc, char **argv)
{
	struct calibrate_options options;
	struct calibration calibration;
	struct progress progress;
	struct err err = {0};
	int fd, rc;

	if (argc < 3) { /* `make check` runs it like a test */
		puts("1..0 # SKIP for calibrate.sh");
		return 0;
	}
	progress_init(&progress);
	if (argc > 3 && !strcmp(argv[3], "cancelled"))
		progress.cancelled = &always;
	calibrate_options_init(&options);
	options.path = argv[1];
	options.budget_seconds = atof(argv[2]);
	options.precision = 0;
	options.progress = &progress;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 64;
	rc = calibrate_run(&options, fd, &calibration, &err);
	if (rc)
		printf("code=%d %s\n", rc, err.message);
	else
		print(&calibration);
	calibration_fini(&calibration);
	close(fd);
	return rc ? 2 : 0;
}
