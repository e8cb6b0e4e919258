// SPDX-License-Identifier: GPL-2.0-or-later
/* See dump_costs.h. */
#include "analyzer/window/dump_costs.h"

#include <math.h>

/* Measured once; docs/dump-model.md says how. The last three only where calibration did not. */
#define OWN_SECONDS        1.6e-6 /* of xfsdump's own work per inode, not part of the replay */
#define LOOK_UP_SECONDS    1.5e-6 /* of asking for one inode by itself, besides reading it */
#define AGAIN_SECONDS      25e-6  /* of a directory that is in memory */
#define ATTRIBUTES_SECONDS 15e-6  /* three calls, next to nothing found */

#define BIG_CLASS 21 /* files from 1 MiB on show what the array can transfer */

static double per_unit(const struct calibration_pass *pass)
{
	return pass->units ? pass->seconds / (double)pass->units : 0;
}

/* What was measured, or else @otherwise. */
static double measured(const struct calibration_pass *pass, double otherwise)
{
	return pass->units ? per_unit(pass) : otherwise;
}

/* Of attributes in the inodes and in blocks, as many of each as were met. */
static double attributes_seconds(const struct calibration_pass *passes)
{
	struct calibration_pass all = passes[PASS_ATTRS];

	all.units += passes[PASS_ATTR_BLOCKS].units;
	all.seconds += passes[PASS_ATTR_BLOCKS].seconds;
	return measured(&all, ATTRIBUTES_SECONDS);
}

/*
 * A symbolic link is read by handle, a special file is a header; either may have attributes. They
 * are put at the price of opening the cheapest class of files, for want of a class of their own.
 */
static double cheapest_open(const struct cost_table *table)
{
	double cheapest = INFINITY;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		if (table->classes[i].files)
			cheapest = fmin(cheapest, table->classes[i].file_seconds);
	return isfinite(cheapest) ? cheapest : 0;
}

/* Per byte, of the fastest class of big files; INFINITY without any. */
static double best_class_seconds(const struct cost_table *table)
{
	double best = INFINITY;

	for (unsigned i = BIG_CLASS; i < SIZE_CLASSES; i++)
		if (table->classes[i].seconds_per_byte > 0)
			best = fmin(best, table->classes[i].seconds_per_byte);
	return best;
}

/* Per byte; INFINITY if nothing was read. */
static double reading_seconds(const struct array_reading *reading)
{
	double bytes = (double)reading->reads * reading->read_bytes;

	return bytes > 0 && reading->seconds > 0 ? reading->seconds / bytes : INFINITY;
}

/* Per byte, of the fastest sequential reading; where the array was not read, of big files. */
static double sequential_seconds(
	const struct calibration *calibration, const struct cost_table *table)
{
	double best = INFINITY;

	for (unsigned i = 0; i < calibration->reading_count; i++)
		if (calibration->readings[i].sequential)
			best = fmin(best, reading_seconds(&calibration->readings[i]));
	if (!isfinite(best))
		best = best_class_seconds(table);
	return isfinite(best) ? best : 0;
}

/* Of the smallest reads anywhere. */
static double random_rate(const struct calibration *calibration)
{
	const struct array_reading *smallest = NULL;

	for (unsigned i = 0; i < calibration->reading_count; i++) {
		const struct array_reading *reading = &calibration->readings[i];

		if (!reading->sequential && reading->at_once == 1 &&
			isfinite(reading_seconds(reading)) &&
			(!smallest || reading->read_bytes < smallest->read_bytes))
			smallest = reading;
	}
	return smallest ? 1 / reading_seconds(smallest) : 0;
}

static double cpu_share(const struct calibration *calibration)
{
	double sampled = calibration_sampled_seconds(calibration);

	return sampled > 0 ? fmin(1, calibration->cpu_seconds / sampled) : 0;
}

void dump_costs_make(const struct calibration *calibration, struct dump_costs *costs)
{
	const struct calibration_pass *passes = calibration->passes;

	*costs = (struct dump_costs){
		.calibration = calibration,
		.map_seconds = per_unit(&passes[PASS_INODE_MAP]),
		.pass_seconds = per_unit(&passes[PASS_INODES]),
		.directory_seconds = per_unit(&passes[PASS_DIRECTORIES]),
		.own_seconds = OWN_SECONDS,
		.random_bytes_per_second = random_rate(calibration),
		.cpu_share = cpu_share(calibration),
	};
	cost_table_make(calibration, NULL, &costs->table);
	costs->special_seconds = cheapest_open(&costs->table);
	costs->prune_seconds =
		measured(&passes[PASS_LOOK_UPS], costs->pass_seconds + LOOK_UP_SECONDS);
	costs->again_seconds =
		fmin(costs->directory_seconds, measured(&passes[PASS_LISTED_AGAIN], AGAIN_SECONDS));
	costs->attributes_seconds = attributes_seconds(passes);
	costs->sequential_seconds = sequential_seconds(calibration, &costs->table);
}
