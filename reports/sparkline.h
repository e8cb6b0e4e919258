/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series as a line of text: "▁▂▂▃▅█". */
#ifndef REPORTS_SPARKLINE_H
#define REPORTS_SPARKLINE_H

#include "analyzer/history/forecast.h"

#include <stddef.h>

#define SPARKLINE_COLUMNS 32

/* Enough for SPARKLINE_COLUMNS characters of three bytes, and a NUL. */
#define SPARKLINE_BYTES (3 * SPARKLINE_COLUMNS + 1)

/*
 * Draws @points, in order of time, from the smallest to the largest value; a column is a span of
 * time with the last value in it, or a blank where there was none. Returns @out.
 */
const char *sparkline(const struct forecast_point *points, size_t count, char out[SPARKLINE_BYTES]);

#endif
