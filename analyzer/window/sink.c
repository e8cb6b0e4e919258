// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/window/sink.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

void sink_fini(struct sink *sink)
{
	free(sink->spec);
	*sink = (struct sink){0};
}
