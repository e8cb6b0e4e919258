/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a dump waits for its sink, as a formula. */
#ifndef ANALYZER_WINDOW_SINK_WAIT_H
#define ANALYZER_WINDOW_SINK_WAIT_H

#include "analyzer/window/sink.h"

/*
 * Seconds of writing @stream_bytes that took @read_seconds to be read. For each record of 256 KiB
 * that was read in t: max(copying, (256 KiB - min(B, R·t)) / R), with the sink's rate R and what
 * its buffer B has passed on meanwhile. 0 for a NULL or null sink: what /dev/null takes is in the
 * reading already.
 */
double sink_wait_seconds(const struct sink *sink, double stream_bytes, double read_seconds);

#endif
