/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds a dump back, as shares of its time that add up to it.
 *
 * sink      waiting for the sink
 * cpu       computing: the sample's share of processor time in the reading
 * array     what the same bytes take in big sequential reads, as far as it is not computing
 * contents  the rest: what the files cost because they are many, small or scattered
 */
#ifndef ANALYZER_WINDOW_VERDICT_H
#define ANALYZER_WINDOW_VERDICT_H

#include "analyzer/window/dump_model.h"

enum verdict_cause {
	CAUSE_CONTENTS,
	CAUSE_ARRAY,
	CAUSE_SINK,
	CAUSE_CPU,
	VERDICT_CAUSES,
};

struct verdict {
	enum verdict_cause cause;           /* the largest */
	double seconds[VERDICT_CAUSES];     /* adds up to the dump's */
	double dump_bytes_per_second;       /* what the dump gets, of its files phase */
	double sequential_bytes_per_second; /* what the array gives in sequence; 0: not known */
	double random_bytes_per_second;     /* in small reads anywhere; 0: not known */
	double sink_bytes_per_second;       /* 0: takes everything at once */
};

/* The name of a cause as in JSON: "contents", "array", "sink", "cpu". */
const char *verdict_cause_name(enum verdict_cause cause);

void verdict_make(const struct dump_model *model, const struct dump_times *times,
	const struct sink *sink, struct verdict *verdict);

#endif
