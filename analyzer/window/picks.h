/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Big files that are rare: picked by themselves, as runs of inodes would hardly meet them.
 *
 * A filesystem of ten million tiny files and one of a terabyte has half of its dump in an inode
 * that no sample of runs is likely to hold. So each class of big files that holds much of the
 * bytes and that the runs met too seldom has a few of its files read, in pieces anywhere in them.
 */
#ifndef ANALYZER_WINDOW_PICKS_H
#define ANALYZER_WINDOW_PICKS_H

#include "analyzer/window/pace.h"
#include "analyzer/window/survey.h"

/* Files of a class that are enough. */
#define PICKS_ENOUGH 5

/* Which classes must be picked from, @loads being those of the filesystem; how many they are. */
unsigned picks_wanted(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], bool wanted[SIZE_CLASSES]);

/*
 * Picks from them, after all runs, until clock_monotonic_ns() is @end_ns: a cell for each file that
 * the runs have not met.
 * Returns 0, -ECANCELED or -ENOMEM; a file that cannot be read is left out.
 */
int picks_take(struct calibration *calibration, struct survey *survey, struct replay *replay,
	int64_t end_ns, struct pace *pace);

#endif
