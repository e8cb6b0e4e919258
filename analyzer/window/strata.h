/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of small files that are rare: runs drawn from those that hold some.
 *
 * A thousandth of the files may take half of the time, if the others lie side by side and these do
 * not; and where they lie together, few runs meet them. So each class that may cost much and that
 * the runs met too seldom has runs of its own, of which only its files count. A run among those
 * that hold the class is as likely as any other, so that the class's price stays unbiased.
 */
#ifndef ANALYZER_WINDOW_STRATA_H
#define ANALYZER_WINDOW_STRATA_H

#include "analyzer/window/runs.h"

/* What a file costs at the worst, in seconds: the way of a slow disk to its inode and its data. */
#define STRATA_WORST_SECONDS 0.02

/*
 * Which classes must be looked for, @loads being those of the filesystem, @wanted one for each
 * class; how many they are.
 */
unsigned strata_wanted(const struct calibration *calibration,
	const struct class_load loads[SIZE_CLASSES], bool wanted[SIZE_CLASSES]);

/*
 * Looks for them, after all runs, until clock_monotonic_ns() is @end_ns: a cell for each run that
 * was drawn. Returns 0, -ENOMEM or an errno of bulkstat.
 */
int strata_take(struct runs *runs, int64_t end_ns);

#endif
