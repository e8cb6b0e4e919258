/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What measuring a file and measuring a pipe have in common; only sink_*.c include it. */
#ifndef ANALYZER_WINDOW_SINK_MEASURE_H
#define ANALYZER_WINDOW_SINK_MEASURE_H

#include "analyzer/window/sink.h"

#include <stdbool.h>
#include <stddef.h>

/* Records that differ and do not compress, again and again: more than compressors look back. */
struct sink_records {
	unsigned char *bytes; /* owned, SINK_RECORDS of SINK_RECORD_BYTES */
	size_t next;
};

#define SINK_RECORDS 64

/* Returns 0 or -ENOMEM. */
int sink_records_init(struct sink_records *records);
void sink_records_fini(struct sink_records *records);

/* The next record. */
const unsigned char *sink_records_next(struct sink_records *records);

/* How long to write, and who may want an end before. */
struct sink_limits {
	double seconds;
	struct progress *progress; /* may be NULL */
};

/*
 * Fill in what was measured of @sink, by what follows "file:" or "pipe:" in its spec. Errors as
 * sink_measure().
 */
int sink_measure_file(
	struct sink *sink, const char *path, const struct sink_limits *limits, struct err *err);
int sink_measure_pipe(
	struct sink *sink, const char *command, const struct sink_limits *limits, struct err *err);

#endif
