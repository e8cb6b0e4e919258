/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pace of a calibration: as fast as it goes, or nice to others, who have the array for two
 * thirds of the time and before us. It is also where the user's wish for an end is met.
 *
 * Time is measured by pace_seconds(), in which pauses do not count.
 */
#ifndef ANALYZER_WINDOW_PACE_H
#define ANALYZER_WINDOW_PACE_H

#include "base/progress.h"

#include <stdbool.h>
#include <stdint.h>

struct pace {
	struct progress *progress; /* may be NULL */
	bool nice;
	int64_t start_ns;
	int64_t worked_since_ns;
	double paused_seconds; /* and whatever else does not count */
	int io_priority;       /* of this thread before */
};

/* Starts now. A nice one gives this thread the idle class of I/O, where the scheduler knows it. */
void pace_begin(struct pace *pace, bool nice, struct progress *progress);

/* Gives the class of I/O back. */
void pace_end(struct pace *pace);

/* Whether the next pace_go_on() will pause. */
bool pace_is_due(const struct pace *pace);

/* Between two pieces of work: pauses if it is time to. Returns false if the user wants an end. */
bool pace_go_on(struct pace *pace);

/* The part of the time that is work. */
double pace_share(const struct pace *pace);

/* Seconds of work since the beginning. */
double pace_seconds(const struct pace *pace);

#endif
