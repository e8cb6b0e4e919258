// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include "base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

int64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

double clock_seconds_since(int64_t start_ns)
{
	return (double)(clock_monotonic_ns() - start_ns) / NS_PER_SECOND;
}

double clock_thread_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_SECOND;
}

int64_t clock_unix_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

int64_t clock_seconds_of(double seconds)
{
	if (seconds >= 0x1p63)
		return INT64_MAX;
	return seconds >= -0x1p63 ? (int64_t)seconds : INT64_MIN;
}

/* A day that the calendar has, as is asked for: strptime() takes a 31st of February. */
static bool is_day(const struct tm *asked)
{
	struct tm tm = *asked;

	return timegm(&tm) != -1 && tm.tm_mday == asked->tm_mday && tm.tm_mon == asked->tm_mon;
}

int clock_parse_time(const char *text, int64_t now, int64_t *seconds)
{
	static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%dT%H:%M%z", "%Y-%m-%dT%H:%M:%S%z"};
	uint64_t number;
	double ago;

	if (*text == '@') {
		if (unit_parse_u64(text + 1, &number) || number > INT64_MAX)
			return -EINVAL;
		*seconds = (int64_t)number;
		return 0;
	}

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = {0};
		const char *end = strptime(text, forms[i], &tm);

		if (end && !*end && strlen(text) >= strlen("2026-11-30") && is_day(&tm)) {
			int64_t east = tm.tm_gmtoff; /* which timegm() forgets */

			*seconds = timegm(&tm) - east;
			return 0;
		}
	}
	if (unit_parse_seconds(text, &ago) || ago > 1e15)
		return -EINVAL;
	*seconds = now - (int64_t)ago;
	return 0;
}
