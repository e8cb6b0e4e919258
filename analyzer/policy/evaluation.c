// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See evaluation.h. All values are whole numbers, so that being over a limit is a comparison that
 * nobody can argue about: a ratio is rounded up, which leaves "above the limit" as it was.
 */
#include "analyzer/policy/evaluation.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TERABYTE 1000000000000ULL

const char *policy_state_name(enum policy_state state)
{
	static const char *const names[POLICY_STATES] = {
		[STATE_OK] = "ok",
		[STATE_SOFT] = "soft",
		[STATE_HARD] = "hard",
	};

	return names[state];
}

bool policy_rule_is_amount(enum policy_rule rule)
{
	return rule <= RULE_ALLOCATED_BYTES;
}

uint64_t policy_amount(const struct policy_owner *owner, enum policy_rule rule)
{
	switch (rule) {
	case RULE_INODES:
		return owner->inodes;
	case RULE_FILES:
		return owner->files;
	case RULE_TINY_FILES:
		return owner->tiny_files;
	case RULE_BYTES:
		return owner->bytes;
	case RULE_ALLOCATED_BYTES:
		return owner->allocated_bytes;
	default:
		return 0;
	}
}

/* The limit of @rule on an owner's bytes, the hard one first; POLICY_NONE. */
static uint64_t granted(const struct policy_limits *limits, enum policy_rule rule)
{
	return limits->hard[rule] < POLICY_NONE ? limits->hard[rule] : limits->soft[rule];
}

uint64_t policy_per_tb_bytes(const struct policy_owner *owner, const struct policy_limits *limits)
{
	uint64_t bytes = granted(limits, RULE_ALLOCATED_BYTES);

	if (bytes >= POLICY_NONE)
		bytes = granted(limits, RULE_BYTES);
	if (bytes >= POLICY_NONE)
		bytes = owner->allocated_bytes;
	return max_u64(bytes, TERABYTE);
}

/* a · b / c, rounded up if @up; stops at 2^64 - 1. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c, bool up)
{
	unsigned __int128 result = (unsigned __int128)a * b;

	result = (result + (up ? c - 1 : 0)) / c;
	return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

uint64_t policy_per_tb_files(
	const struct policy_owner *owner, const struct policy_limits *limits, uint64_t limit)
{
	return scale(limit, policy_per_tb_bytes(owner, limits), TERABYTE, false);
}

/* What the limits of @rule are held against; false if they are not asked of the owner. */
static bool value_of(const struct policy *policy, const struct policy_verdict *verdict,
	enum policy_rule rule, uint64_t *value)
{
	const struct policy_owner *owner = &verdict->owner;

	switch (rule) {
	case RULE_FILES_PER_TB:
		*value = scale(
			owner->files, TERABYTE, policy_per_tb_bytes(owner, &verdict->limits), true);
		return true;
	case RULE_TINY_PERCENT:
		if (!owner->files || owner->files < policy->share_from_files)
			return false;
		*value = scale(owner->tiny_files, 100, owner->files, true);
		return true;
	case RULE_OLD_FILES:
	case RULE_OLD_BYTES:
		*value = rule == RULE_OLD_FILES ? owner->old_files : owner->old_bytes;
		return owner->kind == OWNER_USER;
	default:
		*value = policy_amount(owner, rule);
		return true;
	}
}

bool policy_finding_of(
	const struct policy_verdict *verdict, enum policy_rule rule, struct policy_finding *finding)
{
	uint64_t soft = verdict->limits.soft[rule], hard = verdict->limits.hard[rule];
	uint64_t value = verdict->values[rule];

	*finding = (struct policy_finding){
		.rule = rule,
		.value = value,
		.soft = soft,
		.hard = hard,
		.limit = min_u64(soft, hard),
		.state = STATE_OK,
	};
	if (value == POLICY_NONE || finding->limit >= POLICY_NONE)
		return false;
	if (hard < POLICY_NONE && value > hard) {
		finding->state = STATE_HARD;
		finding->limit = hard;
	} else if (soft < POLICY_NONE && value > soft) {
		finding->state = STATE_SOFT;
		finding->limit = soft;
	}
	return true;
}

uint64_t policy_excess(const struct policy_finding *finding)
{
	uint64_t target = min_u64(finding->soft, finding->hard);

	return finding->value > target ? finding->value - target : 0;
}

static void judge(const struct policy *policy, struct policy_verdict *verdict)
{
	for (int rule = 0; rule < POLICY_RULES; rule++) {
		struct policy_finding finding;
		uint64_t value;

		/* amounts at the end of their range must not look like what is not asked */
		verdict->values[rule] = value_of(policy, verdict, rule, &value)
						? min_u64(value, POLICY_NONE - 1)
						: POLICY_NONE;
		if (policy_finding_of(verdict, rule, &finding) && finding.state > verdict->state)
			verdict->state = finding.state;
	}
}

static void take_owner(struct policy_evaluation *evaluation, const struct policy_material *material,
	const bool names[OWNER_KINDS], const struct policy_owner *owner)
{
	struct policy_verdict *verdict = &evaluation->verdicts[evaluation->count];
	autofree char *name = NULL;

	if (names[owner->kind])
		name = policy_owner_name(material, owner);
	*verdict = (struct policy_verdict){.owner = *owner};
	policy_limits_of(evaluation->policy, owner->kind, owner->id, name, &verdict->limits);
	if (!policy_limits_any(&verdict->limits))
		return;
	if (policy_exempts(evaluation->policy, owner->kind, owner->id, name)) {
		evaluation->exempt[owner->kind]++;
		return;
	}
	judge(evaluation->policy, verdict);
	evaluation->owners[owner->kind][verdict->state]++;
	evaluation->count++;
}

int policy_evaluate_owners(const struct policy *policy, const struct policy_material *material,
	const struct policy_owners *owners, struct policy_evaluation *evaluation)
{
	bool names[OWNER_KINDS];

	*evaluation = (struct policy_evaluation){.policy = policy};
	for (int kind = 0; kind < OWNER_KINDS; kind++)
		names[kind] = policy_wants_names(policy, kind);
	evaluation->verdicts = calloc(owners->count + 1, sizeof(*evaluation->verdicts));
	if (!evaluation->verdicts)
		return -ENOMEM;
	for (size_t i = 0; i < owners->count; i++)
		take_owner(evaluation, material, names, &owners->owners[i]);
	return 0;
}

int policy_evaluate(const struct policy *policy, const struct policy_material *material,
	struct policy_evaluation *evaluation)
{
	struct policy_owners owners;
	int rc = policy_owners_make(material, policy->old_after_days, &owners);

	*evaluation = (struct policy_evaluation){.policy = policy};
	if (!rc)
		rc = policy_evaluate_owners(policy, material, &owners, evaluation);
	policy_owners_fini(&owners);
	return rc;
}

void policy_evaluation_fini(struct policy_evaluation *evaluation)
{
	free(evaluation->verdicts);
	*evaluation = (struct policy_evaluation){0};
}
