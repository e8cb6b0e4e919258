// SPDX-License-Identifier: GPL-2.0-or-later
/* See progress.h. Whoever wins the exchange of next_ns shows; the others go on without waiting. */
#include "base/progress.h"

#include "base/clock.h"

#include <stddef.h>

#define SHOW_EVERY_NS (NS_PER_SECOND / 5)

void progress_init(struct progress *progress)
{
	*progress = (struct progress){.start_ns = clock_monotonic_ns()};
	atomic_store(&progress->next_ns, progress->start_ns + SHOW_EVERY_NS);
}

void progress_begin(struct progress *progress, const char *activity, uint64_t expected)
{
	if (!progress)
		return;
	atomic_store(&progress->activity, activity);
	atomic_store(&progress->expected, expected);
	atomic_store(&progress->done, 0);
}

void progress_add(struct progress *progress, uint64_t units)
{
	int_fast64_t due;
	int64_t now;

	if (!progress)
		return;
	atomic_fetch_add_explicit(&progress->done, units, memory_order_relaxed);
	if (!progress->show)
		return;
	now = clock_monotonic_ns();
	due = atomic_load_explicit(&progress->next_ns, memory_order_relaxed);
	if (now >= due && atomic_compare_exchange_strong(&progress->next_ns, &due, INT64_MAX)) {
		progress->show(progress, progress->context);
		atomic_store(&progress->next_ns, now + SHOW_EVERY_NS);
	}
}

bool progress_cancelled(const struct progress *progress)
{
	return progress && progress->cancelled &&
	       atomic_load_explicit(progress->cancelled, memory_order_relaxed);
}
