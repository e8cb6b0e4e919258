// SPDX-License-Identifier: GPL-2.0-or-later
/* See enforce.h. Where several rules speak of the same, the smallest limit holds. */
#include "analyzer/policy/enforce.h"

#include "base/checked.h"

#define BASIC_BLOCK_BYTES 512

/* Limits as found, POLICY_NONE or above for none. */
struct pair {
	uint64_t soft;
	uint64_t hard;
};

static void take(struct pair *pair, uint64_t soft, uint64_t hard)
{
	pair->soft = min_u64(pair->soft, soft);
	pair->hard = min_u64(pair->hard, hard);
}

static void take_rule(
	struct pair *pair, const struct policy_verdict *verdict, enum policy_rule rule)
{
	take(pair, verdict->limits.soft[rule], verdict->limits.hard[rule]);
}

static uint64_t per_tb(const struct policy_verdict *verdict, uint64_t limit)
{
	return limit >= POLICY_NONE ? limit
				    : policy_per_tb_files(&verdict->owner, &verdict->limits, limit);
}

static uint64_t inode_limit(uint64_t limit)
{
	if (limit >= POLICY_NONE)
		return 0;
	return max_u64(min_u64(limit, POLICY_MAX_LIMIT), 1);
}

/* Rounded up to whole blocks, so that it is never stricter than the policy. */
static uint64_t byte_limit(uint64_t limit)
{
	const uint64_t most = POLICY_MAX_LIMIT / BASIC_BLOCK_BYTES * BASIC_BLOCK_BYTES;

	if (limit >= POLICY_NONE)
		return 0;
	return min_u64(max_u64(round_up_u64(limit, BASIC_BLOCK_BYTES), BASIC_BLOCK_BYTES), most);
}

bool policy_enforceable(const struct policy_verdict *verdict, struct quota_limits *limits)
{
	const uint64_t soft_per_tb = verdict->limits.soft[RULE_FILES_PER_TB];
	const uint64_t hard_per_tb = verdict->limits.hard[RULE_FILES_PER_TB];
	struct pair inodes = {POLICY_NONE, POLICY_NONE}, bytes = inodes;

	take_rule(&inodes, verdict, RULE_INODES);
	take_rule(&inodes, verdict, RULE_FILES);
	take(&inodes, per_tb(verdict, soft_per_tb), per_tb(verdict, hard_per_tb));
	take_rule(&bytes, verdict, RULE_ALLOCATED_BYTES);
	take_rule(&bytes, verdict, RULE_BYTES);
	if (inodes.soft < POLICY_NONE)
		inodes.soft = min_u64(inodes.soft, inodes.hard);
	if (bytes.soft < POLICY_NONE)
		bytes.soft = min_u64(bytes.soft, bytes.hard);
	*limits = (struct quota_limits){
		.inodes_soft = inode_limit(inodes.soft),
		.inodes_hard = inode_limit(inodes.hard),
		.bytes_soft = byte_limit(bytes.soft),
		.bytes_hard = byte_limit(bytes.hard),
	};
	return limits->inodes_soft || limits->inodes_hard || limits->bytes_soft ||
	       limits->bytes_hard;
}
