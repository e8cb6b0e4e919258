// SPDX-License-Identifier: GPL-2.0-or-later
/* See sink.h. How a file and a pipe are measured is in sink_file.c and sink_pipe.c. */
#include "analyzer/window/sink.h"

#include "analyzer/window/random.h"
#include "analyzer/window/sink_measure.h"
#include "base/clock.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int bad_sink(const char *spec, struct err *err)
{
	return err_set(err, -EINVAL,
		"sink \"%s\": it is null, rate:BYTES (a second, as in rate:128M), file:PATH or "
		"pipe:COMMAND",
		spec);
}

static int parse_rate(const char *text, struct sink *sink)
{
	uint64_t bytes;

	if (unit_parse_bytes(text, &bytes) || !bytes)
		return -EINVAL;
	sink->kind = SINK_RATE;
	sink->bytes_per_second = (double)bytes;
	return 0;
}

/* What follows @prefix in @spec, or NULL if it begins otherwise or ends there. */
static const char *argument(const char *spec, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(spec, prefix, length) && spec[length] ? spec + length : NULL;
}

static int parse_kind(const char *spec, struct sink *sink)
{
	if (!strcmp(spec, "null")) {
		sink->kind = SINK_NULL;
		sink->bytes_per_second = INFINITY;
		return 0;
	}
	if (argument(spec, "rate:"))
		return parse_rate(argument(spec, "rate:"), sink);
	if (argument(spec, "file:"))
		sink->kind = SINK_FILE;
	else if (argument(spec, "pipe:"))
		sink->kind = SINK_PIPE;
	else
		return -EINVAL;
	return 0;
}

int sink_parse(const char *spec, struct sink *sink, struct err *err)
{
	*sink = (struct sink){0};
	if (parse_kind(spec, sink))
		return bad_sink(spec, err);
	sink->spec = strdup(spec);
	return sink->spec ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int sink_records_init(struct sink_records *records)
{
	const size_t bytes = (size_t)SINK_RECORDS * SINK_RECORD_BYTES;
	struct random random = {.state = SINK_RECORDS};

	*records = (struct sink_records){.bytes = malloc(bytes)};
	if (!records->bytes)
		return -ENOMEM;
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t bits = random_bits(&random);

		memcpy(records->bytes + i, &bits, sizeof(bits));
	}
	return 0;
}

void sink_records_fini(struct sink_records *records)
{
	free(records->bytes);
	records->bytes = NULL;
}

const unsigned char *sink_records_next(struct sink_records *records)
{
	const unsigned char *record = records->bytes + records->next * SINK_RECORD_BYTES;

	records->next = (records->next + 1) % SINK_RECORDS;
	return record;
}

int sink_measure(struct sink *sink, double seconds, struct progress *progress, struct err *err)
{
	const struct sink_limits limits = {seconds, progress};

	switch (sink->kind) {
	case SINK_FILE:
		progress_begin(progress, "bytes to the sink", 0);
		return sink_measure_file(sink, argument(sink->spec, "file:"), &limits, err);
	case SINK_PIPE:
		progress_begin(progress, "bytes to the sink", 0);
		return sink_measure_pipe(sink, argument(sink->spec, "pipe:"), &limits, err);
	default:
		return 0;
	}
}

void sink_fini(struct sink *sink)
{
	free(sink->spec);
	*sink = (struct sink){0};
}
