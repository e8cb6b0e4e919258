/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a target window to a limit: the one for all users that reaches it while hitting the fewest.
 *
 * With a limit on one rule, the window falls as the limit falls, and the users over it grow: so
 * the largest limit that reaches the window hits the fewest. The curve shows what else could be
 * had.
 */
#ifndef ANALYZER_POLICY_SUGGEST_H
#define ANALYZER_POLICY_SUGGEST_H

#include "analyzer/policy/within.h"

#include <stdbool.h>

#define POLICY_CURVE_POINTS 24

struct policy_point {
	uint64_t limit;
	size_t users;    /* over it */
	uint64_t excess; /* what they have above it, together */
	double seconds;  /* the window once they came within it */
};

struct policy_suggestion {
	double before_seconds;    /* the window as it is */
	bool reachable;           /* the target, by this rule */
	struct policy_point best; /* reaches it; else what comes nearest */
	size_t count;
	struct policy_point points[POLICY_CURVE_POINTS]; /* fewer users first; best among them */
	size_t best_at;                                  /* which of them is the best */
};

/*
 * Finds the limit of @rule, one on an amount, for users that brings the window to
 * @target_seconds. Who is exempt says @policy; its limits do not matter. Returns 0; -ENODATA with a
 * message if the calibration cannot price what is left; -ENOMEM.
 */
int policy_suggest(const struct policy *policy, const struct policy_material *material,
	const struct policy_window_basis *basis, enum policy_rule rule, double target_seconds,
	struct policy_suggestion *suggestion, struct err *err);

#endif
