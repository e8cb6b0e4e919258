/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the history of a filesystem says in words. */
#ifndef REPORTS_TREND_WORDS_H
#define REPORTS_TREND_WORDS_H

#include "base/units.h"
#include "reports/report.h"

/* How far ahead a trend is told where nobody asked for a limit. */
#define TREND_LOOK_AHEAD_DAYS 30

/*
 * Says how fast what matters most grows, where that leads to, and who drives it, as lines before
 * the tables; with a limit also when it is crossed, as fields too.
 */
void trend_words(struct document *document, const struct report_input *input);

/* What a measure is called, as a plural: "tiny files". */
const char *trend_measure_words(enum history_measure measure);

/* The size of @value in the unit of @measure, without its sign. Returns @out. */
const char *trend_amount(enum history_measure measure, double value, char out[UNIT_TEXT_BYTES]);

#endif
