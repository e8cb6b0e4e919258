/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each step of a dump costs here, by a calibration. docs/dump-model.md has the terms. */
#ifndef ANALYZER_WINDOW_DUMP_COSTS_H
#define ANALYZER_WINDOW_DUMP_COSTS_H

#include "analyzer/window/cost_table.h"

struct dump_costs {
	const struct calibration *calibration;
	struct cost_table table;        /* regular files by class */
	double map_seconds;             /* first pass, per inode */
	double pass_seconds;            /* a later pass, per inode */
	double prune_seconds;           /* of a level above 0, per inode: looked up once more */
	double directory_seconds;       /* opening and listing a directory */
	double again_seconds;           /* the same once more, soon after */
	double special_seconds;         /* a symbolic link or special file */
	double own_seconds;             /* xfsdump's own work per inode */
	double attributes_seconds;      /* listing the attributes of a file */
	double sequential_seconds;      /* per byte at the array's rate; 0: not known */
	double random_bytes_per_second; /* small reads anywhere; 0: not known */
	double cpu_share;               /* of the seconds of files, spent computing; 0 to 1 */
};

void dump_costs_make(const struct calibration *calibration, struct dump_costs *costs);

#endif
