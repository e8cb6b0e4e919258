/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rates that somebody knows, from a pipe meter or from earlier dumps, in place of a calibration:
 *
 *	[rates]                             [metadata]
 *	below 4K = 0.8 MB/s                 inode map = 7 us/inode
 *	4K-64K = 4 MB/s                     inodes = 2 us/inode
 *	from 64K = 40 MB/s + 1.2 ms/file    directories = 0.1 ms/directory
 *
 *	[sink]
 *	rate = 80 MB/s
 *
 * Sizes of files are powers of two, K M G T P E being powers of 1024; each size must have a rate,
 * and one only. A rate is of the bytes of the dump, as the sink gets them: KB MB GB are powers of
 * 1000, KiB MiB GiB of 1024. Times are s, ms, us (µs), ns. All but [rates] may be left out: then
 * the inodes and directories cost nothing but what they add to the dump, and nothing is known of
 * the sink.
 */
#ifndef ANALYZER_WINDOW_RATES_H
#define ANALYZER_WINDOW_RATES_H

#include "analyzer/census/size_class.h"
#include "analyzer/window/calibration.h"
#include "base/err.h"

#include <stddef.h>

/* What a file of a class costs: one or both. */
struct class_rate {
	unsigned line;           /* of the file that says so; 0: none does */
	double seconds_per_file; /* 0: nothing besides its bytes */
	double bytes_per_second; /* of the dump; INFINITY: its bytes cost nothing */
};

struct rates {
	struct class_rate classes[SIZE_CLASSES];
	double pass_seconds[CALIBRATION_PASSES]; /* of an inode, or a directory */
	double sink_bytes_per_second;            /* INFINITY if nothing is said of it */
};

/*
 * Reads a file of rates; "-" is standard input. Returns 0 or, with a message that names file, line
 * and key: -EINVAL, also for sizes that have no rate or two; as ini_read_file().
 */
int rates_read(const char *path, struct rates *rates, struct err *err);

/* The same from @length bytes of @text, called @file in messages. */
int rates_parse(
	const char *file, const char *text, size_t length, struct rates *rates, struct err *err);

/*
 * Makes a calibration that says the same: a sample without error, of no filesystem, its path
 * @name. To be freed by calibration_fini(), also after an error. Returns 0 or -ENOMEM.
 */
int rates_calibration(const struct rates *rates, const char *name, struct calibration *calibration);

#endif
