/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a dump waits for its sink, record by record.
 *
 * xfsdump fills a record of 256 KiB and writes it, on one thread. Between it and the sink lies a
 * buffer of B bytes, which the sink empties at R bytes a second. A record that takes t to fill
 * finds the buffer emptied by R·t, and has to wait for what does not fit. So it matters in which
 * order slow files and fast ones come, as far as the buffer reaches.
 */
#ifndef ANALYZER_WINDOW_SINK_QUEUE_H
#define ANALYZER_WINDOW_SINK_QUEUE_H

#include "analyzer/window/sink.h"

/* Whom waiting is charged to: small numbers that the caller gives. */
#define SINK_QUEUE_PARTS 80

struct sink_queue {
	double bytes_per_second;     /* R */
	double buffer_bytes;         /* B */
	double record_bytes;         /* 256 KiB; more where that makes no difference */
	double record_seconds;       /* processor time of writing a record, waited at least */
	double level_bytes;          /* in the buffer */
	double filled_bytes;         /* of the record under way */
	double filled_seconds;       /* what that took */
	double of[SINK_QUEUE_PARTS]; /* whose bytes are in it */
	double wait
		[SINK_QUEUE_PARTS]; /* seconds waited so far, by whose bytes were in the record */
};

/* An empty buffer before @sink, which must be measured: R > 0 and finite. */
void sink_queue_init(struct sink_queue *queue, const struct sink *sink);

/* Puts @bytes of @part, which take @seconds to read at an even pace, both ≥ 0. */
void sink_queue_put(struct sink_queue *queue, unsigned part, double bytes, double seconds);

/* Writes the record under way, full or not: the end. */
void sink_queue_end(struct sink_queue *queue);

#endif
