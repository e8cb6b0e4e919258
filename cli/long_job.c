// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/long_job.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

/* The state that a signal handler may touch. */
static atomic_bool cancelled;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&cancelled, true);
}

/* What the signals did before; one that was ignored, as under nohup, stays so. */
static struct sigaction before[ARRAY_LENGTH(ending_signals)];

static void set_handlers(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_LENGTH(ending_signals); i++) {
		sigaction(ending_signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(ending_signals[i], &action, NULL);
	}
}

static void restore_handlers(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(ending_signals); i++)
		sigaction(ending_signals[i], &before[i], NULL);
}

static void show(const struct progress *progress, void *context)
{
	char done[UNIT_TEXT_BYTES], rate[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES];
	uint64_t units = atomic_load(&progress->done), expected = atomic_load(&progress->expected);
	const char *activity = atomic_load(&progress->activity);
	double seconds = clock_seconds_since(progress->start_ns);

	(void)context;
	unit_format_count(units, done);
	unit_format_count(seconds > 0 ? (uint64_t)((double)units / seconds) : 0, rate);
	fprintf(stderr, "\r\033[K%s %s, %s/s", done, activity ? activity : "done", rate);
	if (expected)
		fprintf(stderr, ", %s",
			unit_format_share((double)(units < expected ? units : expected),
				(double)expected, share));
	fflush(stderr);
}

void long_job_start(struct progress *progress, const struct common_args *args)
{
	progress_init(progress);
	atomic_store(&cancelled, false);
	progress->cancelled = &cancelled;
	if (!args->quiet && isatty(STDERR_FILENO))
		progress->show = show;
	set_handlers();
}

void long_job_end(struct progress *progress)
{
	if (progress->show)
		fprintf(stderr, "\r\033[K");
	restore_handlers();
}
