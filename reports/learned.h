/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What past dumps say, in words and as data. */
#ifndef REPORTS_LEARNED_H
#define REPORTS_LEARNED_H

#include "reports/common.h"

/* An error as "+3 %", "-12 %", "0 %", "+400 %"; from ten times on "×12". Returns @out. */
const char *learned_error(double error, char out[LABEL_BYTES]);

/* "last 5 dumps: median error +3 % (-2 % to +8 %)". Returns @out. */
const char *learned_errors(const struct correction *correction, char *out, size_t out_bytes);

/*
 * Adds to `predict` what was learned: a line and fields. @history may be NULL or empty: nothing is
 * known, and nothing was corrected. Without @uncorrected nothing is added.
 */
void learned_add(struct document *document, const struct dump_history *history,
	const struct uncorrected *uncorrected);

/* Adds the table "history", for data. */
void learned_add_rows(struct document *document, const struct dump_history *history);

#endif
