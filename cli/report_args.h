/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of `report`. */
#ifndef CLI_REPORT_ARGS_H
#define CLI_REPORT_ARGS_H

#include "cli/options.h"
#include "cli/selection.h"

struct report_args {
	struct common_args common;
	struct selection_args selection;
	const char *user;
	const char *sort;
	const char *bands;
	const char *under;
	uint64_t depth; /* OPTION_NOT_GIVEN */
	double share;   /* negative: not given */
	bool all;
	uint64_t top; /* OPTION_NOT_GIVEN */
	double limit; /* negative: not given */
	const char *since;
	uint64_t from; /* 0: not given */
	uint64_t to;   /* 0: not given */
};

extern const struct option_spec report_args_options[];

/* Sets what is not zero. */
void report_args_defaults(void *args);

#endif
