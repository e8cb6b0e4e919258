// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See pace.h. A stretch of work is short enough for those who wait behind it, but not so short
 * that what a device lets through after a rest (caches, credit with a throttle) is taken for its
 * speed. A pause ends early if the user wants an end. The class of I/O belongs to the thread, and
 * only some schedulers heed it (bfq, mq-deadline); the pauses are for all others.
 */
#include "analyzer/window/pace.h"

#include "base/clock.h"

#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORK_SECONDS  0.5 /* at a stretch */
#define PAUSE_FACTOR  2   /* times as long as was worked */
#define PAUSE_MAX     5.0 /* seconds */
#define STEP_SECONDS  0.05
#define WHO_PROCESS   1 /* of ioprio_set(2), which has no header; 0 is this thread */
#define PRIORITY_IDLE (3 << 13)

void pace_begin(struct pace *pace, bool nice, struct progress *progress)
{
	int64_t now_ns = clock_monotonic_ns();

	*pace = (struct pace){
		.progress = progress,
		.nice = nice,
		.start_ns = now_ns,
		.worked_since_ns = now_ns,
		.io_priority = -1,
	};
	if (!nice)
		return;
	pace->io_priority = (int)syscall(SYS_ioprio_get, WHO_PROCESS, 0);
	if (pace->io_priority >= 0 && syscall(SYS_ioprio_set, WHO_PROCESS, 0, PRIORITY_IDLE))
		pace->io_priority = -1;
}

void pace_end(struct pace *pace)
{
	if (pace->io_priority >= 0)
		syscall(SYS_ioprio_set, WHO_PROCESS, 0, pace->io_priority);
	pace->io_priority = -1;
}

static void pause_for(struct pace *pace, double seconds)
{
	int64_t start_ns = clock_monotonic_ns();

	while (clock_seconds_since(start_ns) < seconds && !progress_cancelled(pace->progress))
		nanosleep(
			&(struct timespec){.tv_nsec = (long)(STEP_SECONDS * NS_PER_SECOND)}, NULL);
	pace->paused_seconds += clock_seconds_since(start_ns);
	pace->worked_since_ns = clock_monotonic_ns();
}

bool pace_is_due(const struct pace *pace)
{
	return pace->nice && clock_seconds_since(pace->worked_since_ns) >= WORK_SECONDS;
}

bool pace_go_on(struct pace *pace)
{
	if (pace_is_due(pace))
		pause_for(pace,
			fmin(PAUSE_MAX, PAUSE_FACTOR * clock_seconds_since(pace->worked_since_ns)));
	return !progress_cancelled(pace->progress);
}

double pace_share(const struct pace *pace)
{
	return pace->nice ? 1.0 / (1 + PAUSE_FACTOR) : 1;
}

double pace_seconds(const struct pace *pace)
{
	return clock_seconds_since(pace->start_ns) - pace->paused_seconds;
}
