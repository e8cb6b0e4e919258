/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a long job has done so far, counted by many threads and shown by one.
 *
 * A job calls progress_add() as it goes; whoever wants to show it sets a show function, which is
 * called at most a few times a second, from whichever thread happens to add. The one in cli/
 * draws a line on the terminal. Cancelling is the other direction: jobs ask progress_cancelled()
 * between two pieces of work.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	atomic_uint_fast64_t done;     /* units done */
	atomic_uint_fast64_t expected; /* units in all, 0 if unknown */
	const char *_Atomic activity;  /* what goes on, a static string: "inodes", "directories" */
	atomic_int_fast64_t next_ns;   /* when to show again, on the monotonic clock */
	int64_t start_ns;              /* when the job began */
	void (*show)(const struct progress *progress, void *context); /* NULL: shown nowhere */
	void *context;                                                /* handed to show */
	const atomic_bool *cancelled; /* lock-free, so a signal handler may set it; NULL: never */
};

/* Starts at nothing done, now. */
void progress_init(struct progress *progress);

/* Counts @units more and shows the state if it is time. Any thread; @progress may be NULL. */
void progress_add(struct progress *progress, uint64_t units);

/* Begins a new activity with nothing done of @expected units (0: unknown). */
void progress_begin(struct progress *progress, const char *activity, uint64_t expected);

/* Whether the user wants an end. @progress may be NULL. */
bool progress_cancelled(const struct progress *progress);

#endif
