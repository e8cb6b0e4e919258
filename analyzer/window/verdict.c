// SPDX-License-Identifier: GPL-2.0-or-later
/* See verdict.h. */
#include "analyzer/window/verdict.h"

#include <math.h>

const char *verdict_cause_name(enum verdict_cause cause)
{
	static const char *const names[VERDICT_CAUSES] = {
		[CAUSE_CONTENTS] = "contents",
		[CAUSE_ARRAY] = "array",
		[CAUSE_SINK] = "sink",
		[CAUSE_CPU] = "cpu",
	};

	return names[cause];
}

/* Bytes that are read from the array: the data of regular files. */
static double data_bytes(const struct dump_model *model)
{
	double bytes = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		bytes += model->parts[i].stream_bytes;
	return bytes;
}

static void share_out(
	const struct dump_model *model, const struct dump_times *times, struct verdict *verdict)
{
	double *seconds = verdict->seconds;
	double left = times->seconds - times->phases[PHASE_SINK];

	seconds[CAUSE_SINK] = times->phases[PHASE_SINK];
	seconds[CAUSE_CPU] = model->costs->cpu_share * left;
	left -= seconds[CAUSE_CPU];
	seconds[CAUSE_ARRAY] = fmin(left, data_bytes(model) * model->costs->sequential_seconds);
	seconds[CAUSE_CONTENTS] = left - seconds[CAUSE_ARRAY];
	for (unsigned i = 0; i < VERDICT_CAUSES; i++)
		if (seconds[i] > seconds[verdict->cause])
			verdict->cause = i;
}

void verdict_make(const struct dump_model *model, const struct dump_times *times,
	const struct sink *sink, struct verdict *verdict)
{
	const struct dump_costs *costs = model->costs;

	*verdict = (struct verdict){.random_bytes_per_second = costs->random_bytes_per_second};
	share_out(model, times, verdict);
	if (times->phases[PHASE_FILES] > 0)
		verdict->dump_bytes_per_second = data_bytes(model) / times->phases[PHASE_FILES];
	if (costs->sequential_seconds > 0)
		verdict->sequential_bytes_per_second = 1 / costs->sequential_seconds;
	if (sink && isfinite(sink->bytes_per_second))
		verdict->sink_bytes_per_second = sink->bytes_per_second;
}
