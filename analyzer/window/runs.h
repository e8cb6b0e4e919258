/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of consecutive inodes, dumped into the cells of a calibration. */
#ifndef ANALYZER_WINDOW_RUNS_H
#define ANALYZER_WINDOW_RUNS_H

#include "analyzer/window/pace.h"
#include "analyzer/window/survey.h"

/* Any class, for runs_dump(). */
#define RUNS_ALL_CLASSES SIZE_CLASSES

/* What dumping runs takes; the caller fills in all but the last. */
struct runs {
	struct calibration *calibration;
	struct survey *survey;
	struct replay *replay;
	struct bulkstat *bulkstat; /* in batches of RUNS_BATCH */
	struct pace *pace;
	int64_t end_ns;      /* no file is begun after it, on the monotonic clock */
	uint64_t failed_ino; /* after an error: it is in the first inode from here on */
};

#define RUNS_BATCH (SAMPLE_RUN_INODES + XFS_CHUNK_INODES)

/*
 * Dumps the inodes of @run into cells of run number @number, only those of @size_class where it is
 * not RUNS_ALL_CLASSES; others are read then too, as they would be in a dump. What cannot be read
 * or was in the page cache is left out and counted; where that was much of the run, so are its
 * other small files, since without their neighbours they are not what a dump meets. Ends early at
 * end_ns, or if the user wants it. Returns 0, -ENOMEM, or an errno of bulkstat.
 */
int runs_dump(
	struct runs *runs, const struct sample_run *run, uint32_t number, unsigned size_class);

#endif
