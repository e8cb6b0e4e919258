/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time: a clock that only goes forward for durations, the calendar's for dates. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_SECOND   1000000000LL
#define SECONDS_PER_DAY 86400LL

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t clock_monotonic_ns(void);

/* Seconds since an earlier clock_monotonic_ns(). */
double clock_seconds_since(int64_t start_ns);

/* Seconds of processor time that the calling thread has used. */
double clock_thread_cpu_seconds(void);

/* Seconds since 1970-01-01 00:00 UTC. */
int64_t clock_unix_seconds(void);

/* The second that @seconds is in, which may lie beyond what there are seconds for. */
int64_t clock_seconds_of(double seconds);

/*
 * Reads a time: "2026-11-30" or "2026-11-30T02:10" (":SS" and "Z" may follow), both UTC unless an
 * offset such as "+01:00" follows, "@1764540000", those seconds, or a duration before @now such as
 * "30d". Returns 0 and the seconds since 1970-01-01 UTC, or -EINVAL.
 */
int clock_parse_time(const char *text, int64_t now, int64_t *seconds);

/* The UTC day (days since 1970-01-01) of a time in seconds; rounds down before 1970 too. */
static inline int64_t clock_day_of(int64_t unix_seconds)
{
	int64_t day = unix_seconds / SECONDS_PER_DAY;

	return day - (unix_seconds % SECONDS_PER_DAY < 0);
}

#endif
