/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trees that the first screen names. */
#ifndef REPORTS_SUMMARY_TREES_H
#define REPORTS_SUMMARY_TREES_H

#include "reports/report.h"

/*
 * Names the hot trees with most tiny files, in a line and as the table "trees"; nothing where the
 * scan has no directories, or no tree stands out.
 */
void summary_trees_add(struct document *document, const struct report_input *input);

#endif
