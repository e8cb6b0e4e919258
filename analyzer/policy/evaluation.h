/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy held against a census: who is over which limit, and by how much. */
#ifndef ANALYZER_POLICY_EVALUATION_H
#define ANALYZER_POLICY_EVALUATION_H

#include "analyzer/policy/owners.h"
#include "analyzer/policy/policy.h"

enum policy_state {
	STATE_OK,   /* within the limits: at a limit is within it */
	STATE_SOFT, /* above a soft limit */
	STATE_HARD, /* above a hard limit */
	POLICY_STATES
};

/* "ok", "soft", "hard". */
const char *policy_state_name(enum policy_state state);

/* An owner that is not exempt, and for whom there is a limit. */
struct policy_verdict {
	struct policy_owner owner;
	struct policy_limits limits;
	uint64_t values[POLICY_RULES]; /* what the limits are for; POLICY_NONE: not asked */
	enum policy_state state;       /* the worst of all rules */
};

/* What a verdict says of a rule. */
struct policy_finding {
	enum policy_rule rule;
	uint64_t value;
	uint64_t soft;  /* or POLICY_NONE */
	uint64_t hard;  /* or POLICY_NONE */
	uint64_t limit; /* the one that the value is above; if none, the nearest */
	enum policy_state state;
};

struct policy_evaluation {
	const struct policy *policy;
	size_t count;
	struct policy_verdict *verdicts;           /* owned; by kind, then id */
	size_t exempt[OWNER_KINDS];                /* owners that there would be a limit for */
	size_t owners[OWNER_KINDS][POLICY_STATES]; /* verdicts by state */
};

/* Whether the rule is on an amount that an owner has, rather than on a ratio or an age. */
bool policy_rule_is_amount(enum policy_rule rule);

/* What the owner has of a rule on an amount; 0 for other rules. */
uint64_t policy_amount(const struct policy_owner *owner, enum policy_rule rule);

/*
 * The bytes that RULE_FILES_PER_TB goes by: what the owner may have, by its limit on allocated
 * bytes or on bytes (the hard one, if any); without such a limit what it has allocated. A terabyte
 * at least, so that nobody is over with a few files.
 */
uint64_t policy_per_tb_bytes(const struct policy_owner *owner, const struct policy_limits *limits);

/* Files that a limit of RULE_FILES_PER_TB allows the owner; rounded down, stops at 2^64 - 1. */
uint64_t policy_per_tb_files(
	const struct policy_owner *owner, const struct policy_limits *limits, uint64_t limit);

/*
 * Holds @policy, which must outlive the result, against @material. Asks for names only of kinds
 * with an override or exemption by name. Returns 0 or -ENOMEM.
 */
int policy_evaluate(const struct policy *policy, const struct policy_material *material,
	struct policy_evaluation *evaluation);

/* The same for owners that were summed up already. */
int policy_evaluate_owners(const struct policy *policy, const struct policy_material *material,
	const struct policy_owners *owners, struct policy_evaluation *evaluation);
void policy_evaluation_fini(struct policy_evaluation *evaluation);

/* What @verdict says of @rule; false if there is no limit on it, or it is not asked. */
bool policy_finding_of(const struct policy_verdict *verdict, enum policy_rule rule,
	struct policy_finding *finding);

/* How much of it is to go: down to the soft limit, or the hard one where there is no soft one. */
uint64_t policy_excess(const struct policy_finding *finding);

#endif
