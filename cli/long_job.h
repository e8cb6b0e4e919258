/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job that takes long: its progress line on the terminal and its end by Ctrl-C. */
#ifndef CLI_LONG_JOB_H
#define CLI_LONG_JOB_H

#include "base/progress.h"
#include "cli/options.h"

/*
 * Prepares @progress: from now on SIGINT, SIGTERM and SIGHUP ask the job to end, a second one ends
 * the program as usual; a line on standard error shows how far it is, if that is a terminal and
 * --quiet is off.
 */
void long_job_start(struct progress *progress, const struct common_args *args);

/* Wipes the line and gives the signals back. */
void long_job_end(struct progress *progress);

#endif
