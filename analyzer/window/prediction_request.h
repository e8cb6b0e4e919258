/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a prediction is asked for, as a value: which filesystem, which dump of it, and what if. */
#ifndef ANALYZER_WINDOW_PREDICTION_REQUEST_H
#define ANALYZER_WINDOW_PREDICTION_REQUEST_H

#include "analyzer/census/census.h"
#include "analyzer/census/scan_info.h"
#include "analyzer/window/calibration.h"
#include "analyzer/window/sink.h"
#include "analyzer/window/what_if.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A dump as xfsdump is told to make it. All zero: level 0, one stream, to a null sink. */
struct dump_options {
	bool incremental;        /* a level above 0 */
	unsigned level;          /* 0 to 9, to be told */
	int64_t since_seconds;   /* of a level above 0: what changed at or after it goes along */
	unsigned streams;        /* 0 is 1 */
	uint64_t max_file_bytes; /* -z: files with more allocated stay out; 0: none */
	bool exclude_nodump;     /* -e */
	bool no_attributes;      /* -A */
	const struct sink *sink; /* measured; NULL: null */
};

/* What it is made from. Nothing is owned. */
struct prediction_request {
	const struct scan_info *scan;
	const struct cube *cube;
	const struct ages *ages;               /* may be NULL but for a level above 0 */
	const struct dump_facts *facts;        /* NULL or not present: not known */
	const struct calibration *calibration; /* what reading costs */
	struct dump_options dump;
	const struct what_if *what_ifs; /* each predicted by itself, and all of them together */
	size_t what_if_count;
};

#endif
