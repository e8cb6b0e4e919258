/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a dump waits for its sink, and for which of its files. */
#ifndef ANALYZER_WINDOW_DUMP_WAIT_H
#define ANALYZER_WINDOW_DUMP_WAIT_H

#include "analyzer/window/dump_model.h"

/*
 * Sets @wait to the seconds that each part waits for @sink where all reading takes @scale times as
 * long. All 0 for a NULL or null sink: what /dev/null takes is in the reading already. INFINITY for
 * one that takes nothing.
 */
void dump_wait_find(const struct dump_model *model, double scale, const struct sink *sink,
	double wait[MODEL_PARTS]);

#endif
