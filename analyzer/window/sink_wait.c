// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/window/sink_wait.h"

#include <math.h>

double sink_wait_seconds(const struct sink *sink, double stream_bytes, double read_seconds)
{
	double records = stream_bytes / SINK_RECORD_BYTES, passed_on, writing;

	if (!sink || sink->kind == SINK_NULL || records <= 0)
		return 0;
	if (!(sink->bytes_per_second > 0))
		return INFINITY;
	if (isinf(sink->bytes_per_second))
		return records * sink->record_seconds;
	passed_on = fmin((double)sink->buffer_bytes,
		sink->bytes_per_second * fmax(0, read_seconds) / records);
	writing = fmax(0, SINK_RECORD_BYTES - passed_on) / sink->bytes_per_second;
	return records * fmax(sink->record_seconds, writing);
}
