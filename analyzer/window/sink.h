/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a dump's stream goes, as a value: what it takes there, and how much waits on the way.
 *
 * xfsdump reads a record of 256 KiB and then writes it, on one thread. So a sink slower than the
 * reading adds to its time, less what the buffer between the two takes meanwhile.
 */
#ifndef ANALYZER_WINDOW_SINK_H
#define ANALYZER_WINDOW_SINK_H

#include "base/err.h"
#include "base/progress.h"

#include <stdint.h>

#define SINK_RECORD_BYTES (256 * 1024)

enum sink_kind {
	SINK_NULL, /* "null": /dev/null, takes everything at once */
	SINK_RATE, /* "rate:128M": bytes a second, by the powers of 1024 that --sink names */
	SINK_FILE, /* "file:PATH": a file is written there, measured, and removed */
	SINK_PIPE, /* "pipe:COMMAND": the shell runs it and reads the stream from its input */
};

struct sink {
	enum sink_kind kind;
	char *spec;              /* as given, owned; "null" */
	double bytes_per_second; /* taken in the long run; INFINITY for null, 0 unmeasured */
	double record_seconds;   /* processor time of this side for writing a record into it */
	uint64_t buffer_bytes;   /* taken at once before it must be waited for (a pipe's buffer) */
	uint64_t measured_bytes; /* written to measure it; 0 for null and rate */
	double measured_seconds; /* how long that took */
};

/* Makes sense of @spec. Returns 0; -EINVAL with a message that says what is allowed; -ENOMEM. */
int sink_parse(const char *spec, struct sink *sink, struct err *err);

/*
 * Measures a file or pipe sink for about @seconds by writing records that do not compress; null
 * and rate sinks are left as they are. Returns 0; -ECANCELED; with a message: -EPIPE if the
 * command ended early or failed (with its exit status), -ETIMEDOUT if it takes nothing, -EEXIST if
 * PATH is a file already, errors of the file, -ENOMEM.
 *
 * Of a file, its bytes_per_second are the disk's and its buffer_bytes what memory takes before;
 * the file is made in PATH if that is a folder, else beside it, and is gone afterwards, whatever
 * happens. The command has no terminal, its standard output goes nowhere, and it has ended
 * afterwards.
 */
int sink_measure(struct sink *sink, double seconds, struct progress *progress, struct err *err);

void sink_fini(struct sink *sink);

#endif
