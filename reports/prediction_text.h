/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a prediction says in sentences. */
#ifndef REPORTS_PREDICTION_TEXT_H
#define REPORTS_PREDICTION_TEXT_H

#include "reports/report.h"

/* How long the dump takes and how much it writes. */
void prediction_text_answer(struct document *document, const struct report_input *input);

/* What holds it back, and what would help most. */
void prediction_text_verdict(struct document *document, const struct report_input *input);

/* What makes it doubtful: another device, a filesystem that changed, what could not be read. */
void prediction_text_warnings(struct document *document, const struct report_input *input);

#endif
