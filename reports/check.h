/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `check`: whether all is well, for a monitoring system. */
#ifndef REPORTS_CHECK_H
#define REPORTS_CHECK_H

#include "reports/report.h"

/* In the order of the exit status that monitoring plugins have for them. */
enum check_state { CHECK_OK, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };

/* "OK", "WARNING", … */
const char *check_state_name(enum check_state state);

/* What must not be exceeded. */
struct check_threshold {
	bool given;
	bool has_warning;
	double warning;
	double critical;
};

struct check_limits {
	struct check_threshold window;    /* seconds of a level-0 dump */
	struct check_threshold user_tiny; /* tiny files of any user */
	struct check_threshold growth;    /* tiny files a day that any user gained */
	struct check_threshold age;       /* seconds since the newest scan began */
};

/*
 * Judges @input (its scan, cube, prediction and, where there is an older scan, growth) at the time
 * @now. The document is one line of text, with performance data after a bar, or fields. Returns 0
 * or -ENOMEM; @state is the worst of all, unknown being better than a warning.
 */
int report_check(const struct report_input *input, const struct check_limits *limits, int64_t now,
	struct document *document, enum check_state *state, struct err *err);

/* @text without the bar that begins performance data: "\x7c" in its place. To be freed, or NULL. */
char *check_plain(const char *text);

#endif
