/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a sample to prices: what a file of a size class costs.
 *
 * A class costs files × (seconds per file) + stream bytes × (seconds per stream byte). Both rates
 * are sums over the sample divided by each other (ratio estimates), and what they are multiplied
 * by is known for the whole filesystem from its census, so it does not matter much that the sample
 * has a few big files too many. A class with few files in the sample, or none, is priced by what
 * files of about its size cost, and says how far off that may be.
 */
#ifndef ANALYZER_WINDOW_COST_TABLE_H
#define ANALYZER_WINDOW_COST_TABLE_H

#include "analyzer/census/size_class.h"
#include "analyzer/window/calibration.h"
#include "base/err.h"

#include <stdbool.h>

/* With fewer files of a class than this in the sample, other classes have a say in its price. */
#define COST_MIN_FILES 3

/* From here on, files tell a rate. */
#define COST_BIG_BYTES (1U << 16)

/* What there is of a class in a filesystem, or a part of it. */
struct class_load {
	uint64_t files;
	uint64_t stream_bytes; /* Σ dump_stream_inode_bytes() */
};

/* What a class costs, from a sample; all 0 without a file in it. */
struct class_cost {
	uint64_t files;          /* in the sample */
	double left_out;         /* part of those looked at that do not count: see calibration.h */
	double file_seconds;     /* per file */
	double data_seconds;     /* of reading, per file */
	double stream_bytes;     /* per file, as far as it was read */
	double seconds_per_byte; /* of reading, per stream byte */
};

struct cost_table {
	struct class_cost classes[SIZE_CLASSES];
	unsigned sampled; /* classes with a file in the sample */
};

/* What a load costs. */
struct load_seconds {
	double file_seconds;
	double data_seconds;
	double error_seconds; /* half of a 95 % interval: what resampling the sample cannot tell */
	double worst_seconds; /* all of it at the worst, where nothing of about its size was read
				 to go by, or most was in the page cache, else 0; INFINITY where
				 nothing was read at all */
	bool borrowed;        /* other classes have a say in it */
};

/*
 * Whether a file of @size_class costs what the way to it takes, and so depends on whether its
 * neighbours are read as well: neither an empty file nor one that tells a rate by itself.
 */
static inline bool cost_needs_neighbours(unsigned size_class)
{
	return size_class && size_class_low(size_class) < COST_BIG_BYTES;
}

/* The costs from @calibration, its run r counted weights[r] times (NULL: once). */
void cost_table_make(
	const struct calibration *calibration, const uint32_t *weights, struct cost_table *table);

/* What @load of @size_class costs. */
struct load_seconds cost_of_load(
	const struct cost_table *table, unsigned size_class, const struct class_load *load);

/* What @loads (one for each class) cost together. */
struct load_seconds cost_of_loads(
	const struct cost_table *table, const struct class_load loads[SIZE_CLASSES]);

/* The seconds of it all. */
static inline double load_seconds_all(const struct load_seconds *seconds)
{
	return seconds->file_seconds + seconds->data_seconds;
}

/*
 * Whether @calibration is good for @loads: at the worst, no more than a fifth of their time is due
 * to files unlike any that were read, or small ones most of which the page cache held. Returns 0,
 * also for no files at all, or -ENODATA with a message that says what is missing and how to get
 * it.
 */
int cost_check(const struct calibration *calibration, const struct class_load loads[SIZE_CLASSES],
	struct err *err);

#endif
