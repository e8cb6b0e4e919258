// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

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

int64_t clock_unix_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}
