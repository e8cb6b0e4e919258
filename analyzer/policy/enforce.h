/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a policy XFS itself can enforce: limits on inodes and on blocks. */
#ifndef ANALYZER_POLICY_ENFORCE_H
#define ANALYZER_POLICY_ENFORCE_H

#include "analyzer/policy/evaluation.h"

#include <stdbool.h>
#include <stdint.h>

/* As quota has them; 0: the policy says nothing. Never 0 where it does: to XFS 0 is no limit. */
struct quota_limits {
	uint64_t inodes_soft;
	uint64_t inodes_hard;
	uint64_t bytes_soft; /* multiples of 512 */
	uint64_t bytes_hard;
};

/*
 * The limits that keep @verdict's owner within the policy, as near as XFS can: it counts inodes of
 * all kinds where the policy may count files, and allocated blocks where it may count sizes.
 * Limits on tiny files, shares and ages have no counterpart. Returns whether there are any.
 */
bool policy_enforceable(const struct policy_verdict *verdict, struct quota_limits *limits);

#endif
