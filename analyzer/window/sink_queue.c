// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See sink_queue.h. Records that fill at the same pace, as those of a big file do, are taken
 * together: after the first one, the level of the buffer moves by the same amount each.
 *
 * A record is 1/16 of a large buffer where that is more than 256 KiB: what happens in a moment that
 * short, the buffer smooths out anyway.
 */
#include "analyzer/window/sink_queue.h"

#include <math.h>
#include <string.h>

#define RECORDS_OF_BUFFER 16

void sink_queue_init(struct sink_queue *queue, const struct sink *sink)
{
	double records =
		fmax(1, floor((double)sink->buffer_bytes / RECORDS_OF_BUFFER / SINK_RECORD_BYTES));

	*queue = (struct sink_queue){
		.bytes_per_second = sink->bytes_per_second,
		.buffer_bytes = (double)sink->buffer_bytes,
		.record_bytes = records * SINK_RECORD_BYTES,
		.record_seconds = records * sink->record_seconds,
	};
}

/* Writes a record of @bytes that took @seconds to fill; the seconds waited. */
static double write_one(struct sink_queue *queue, double bytes, double seconds)
{
	double passed_on = queue->bytes_per_second * seconds, over;

	queue->level_bytes = fmax(0, queue->level_bytes - passed_on) + bytes;
	over = fmax(0, queue->level_bytes - queue->buffer_bytes);
	queue->level_bytes -= over;
	return fmax(queue->record_seconds * bytes / queue->record_bytes,
		over / queue->bytes_per_second);
}

/* @count more records after one that filled in as many @seconds; the seconds waited. */
static double write_more(struct sink_queue *queue, double count, double seconds)
{
	double rate = queue->bytes_per_second, record = queue->record_bytes;
	double gain = record - rate * seconds, fitting;

	if (record > queue->buffer_bytes) /* it is full after each */
		return count * write_one(queue, record, seconds);
	if (gain <= 0) {
		queue->level_bytes = fmax(record, queue->level_bytes + count * gain);
		return count * queue->record_seconds;
	}
	fitting = fmin(count, (queue->buffer_bytes - queue->level_bytes) / gain);
	queue->level_bytes += fitting * gain;
	return fitting * queue->record_seconds +
	       (count - fitting) * fmax(queue->record_seconds, gain / rate);
}

/* Charges @waited to those whose bytes are in the record under way, and begins another. */
static void charge_record(struct sink_queue *queue, double waited)
{
	for (unsigned i = 0; i < SINK_QUEUE_PARTS && waited > 0; i++)
		queue->wait[i] += waited * queue->of[i] / queue->filled_bytes;
	memset(queue->of, 0, sizeof(queue->of));
	queue->filled_bytes = 0;
	queue->filled_seconds = 0;
}

static void fill(struct sink_queue *queue, unsigned part, double bytes, double seconds)
{
	queue->of[part] += bytes;
	queue->filled_bytes += bytes;
	queue->filled_seconds += seconds;
}

void sink_queue_end(struct sink_queue *queue)
{
	if (queue->filled_bytes > 0)
		charge_record(queue, write_one(queue, queue->filled_bytes, queue->filled_seconds));
}

void sink_queue_put(struct sink_queue *queue, unsigned part, double bytes, double seconds)
{
	double room = queue->record_bytes - queue->filled_bytes;
	double pace = bytes > 0 ? seconds / bytes : 0, full;

	if (bytes < room) {
		fill(queue, part, bytes, seconds);
		return;
	}
	fill(queue, part, room, room * pace);
	sink_queue_end(queue);
	bytes -= room;
	full = floor(bytes / queue->record_bytes);
	if (full >= 1) {
		seconds = queue->record_bytes * pace;
		queue->wait[part] += write_one(queue, queue->record_bytes, seconds) +
				     write_more(queue, full - 1, seconds);
		bytes -= full * queue->record_bytes;
	}
	fill(queue, part, bytes, bytes * pace);
}
