/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's quota accounting says an owner has, beside what a scan counted. */
#ifndef ANALYZER_POLICY_USAGE_H
#define ANALYZER_POLICY_USAGE_H

#include "analyzer/census/owner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one owner; limits of 0 are none. Blocks are bytes here. */
struct policy_usage {
	enum owner_kind kind;
	uint32_t id;
	bool known; /* false: the kernel knows nothing of the owner, unless it did not tell */
	int error;  /* 0, or a negative errno: why it did not tell */
	uint64_t inodes;
	uint64_t allocated_bytes;
	uint64_t inodes_soft;
	uint64_t inodes_hard;
	uint64_t bytes_soft;
	uint64_t bytes_hard;
	uint64_t realtime_bytes_soft;
	uint64_t realtime_bytes_hard;
};

/* For each owner of an evaluation, in the same order. */
struct policy_usages {
	bool present; /* accounting was asked; false: `why` says why it is not shown */
	bool accounted[OWNER_KINDS]; /* whether the kernel accounts for that kind */
	bool enforced[OWNER_KINDS];
	const char *why; /* NULL, or a line that says what hindered it */
	size_t count;
	struct policy_usage *usages; /* owned by whoever asked */
};

/* What is known of the scan that the usage is compared with. */
struct policy_usage_scan {
	bool whole_filesystem;
	uint64_t errors; /* what the scan could not read */
};

/*
 * Why the kernel's numbers differ from a scan's, or are not there, in words; else "same". It is the
 * likeliest cause: accounting is of now, the scan of then.
 */
const char *policy_usage_explain(const struct policy_usage *usage, uint64_t inodes,
	uint64_t allocated_bytes, const struct policy_usage_scan *scan);

#endif
