// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See policy.h. What holds for an owner is found anew each time: policies have few sections, and
 * owners are asked for once or twice.
 */
#include "analyzer/policy/policy.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_EXEMPT_BELOW     1000
#define DEFAULT_OLD_AFTER_DAYS   180
#define DEFAULT_SHARE_FROM_FILES 1000

static const char *const rule_names[POLICY_RULES] = {
	[RULE_INODES] = "inodes",
	[RULE_FILES] = "files",
	[RULE_TINY_FILES] = "tiny_files",
	[RULE_BYTES] = "bytes",
	[RULE_ALLOCATED_BYTES] = "allocated_bytes",
	[RULE_FILES_PER_TB] = "files_per_tb",
	[RULE_TINY_PERCENT] = "tiny_percent",
	[RULE_OLD_FILES] = "old_files",
	[RULE_OLD_BYTES] = "old_bytes",
};

const char *policy_rule_name(enum policy_rule rule)
{
	return rule_names[rule];
}

int policy_rule_parse(const char *name, size_t length, enum policy_rule *rule)
{
	for (int i = 0; i < POLICY_RULES; i++) {
		if (strlen(rule_names[i]) == length && !memcmp(rule_names[i], name, length)) {
			*rule = i;
			return 0;
		}
	}
	return -EINVAL;
}

bool policy_rule_is_bytes(enum policy_rule rule)
{
	return rule == RULE_BYTES || rule == RULE_ALLOCATED_BYTES || rule == RULE_OLD_BYTES;
}

const char *policy_kind_name(enum owner_kind kind)
{
	static const char *const names[OWNER_KINDS] = {
		[OWNER_USER] = "user",
		[OWNER_GROUP] = "group",
		[OWNER_PROJECT] = "project",
	};

	return names[kind];
}

int policy_init(struct policy *policy, const char *name)
{
	*policy = (struct policy){
		.name = strdup(name),
		.exempt_below = DEFAULT_EXEMPT_BELOW,
		.old_after_days = DEFAULT_OLD_AFTER_DAYS,
		.share_from_files = DEFAULT_SHARE_FROM_FILES,
	};
	memset(policy->limits, 0xff, sizeof(policy->limits)); /* POLICY_UNSET */
	return policy->name ? 0 : -ENOMEM;
}

int policy_init_default(struct policy *policy)
{
	int rc = policy_init(policy, "built-in");

	policy->grace_seconds = 14 * 86400.0;
	policy->limits[OWNER_USER].soft[RULE_FILES] = 500000;
	policy->limits[OWNER_USER].hard[RULE_FILES] = 1000000;
	return rc;
}

void policy_fini(struct policy *policy)
{
	for (size_t i = 0; i < policy->override_count; i++)
		free(policy->overrides[i].match.text);
	for (size_t i = 0; i < policy->exemption_count; i++)
		free(policy->exemptions[i].text);
	free(policy->overrides);
	free(policy->exemptions);
	free(policy->name);
	free(policy->source);
	*policy = (struct policy){0};
}

static bool wants_name(const struct policy_match *match, enum owner_kind kind)
{
	return match->kind == kind && !match->has_id;
}

bool policy_wants_names(const struct policy *policy, enum owner_kind kind)
{
	for (size_t i = 0; i < policy->override_count; i++) {
		if (wants_name(&policy->overrides[i].match, kind))
			return true;
	}
	for (size_t i = 0; i < policy->exemption_count; i++) {
		if (wants_name(&policy->exemptions[i], kind))
			return true;
	}
	return false;
}

static bool matches_exactly(
	const struct policy_match *match, enum owner_kind kind, uint32_t id, const char *name)
{
	if (match->kind != kind || match->pattern)
		return false;
	return match->has_id ? match->id == id : name && !strcmp(match->text, name);
}

static bool matches_pattern(
	const struct policy_match *match, enum owner_kind kind, const char *name)
{
	return match->kind == kind && match->pattern && name && !fnmatch(match->text, name, 0);
}

static const struct policy_override *find_override(
	const struct policy *policy, enum owner_kind kind, uint32_t id, const char *name)
{
	for (size_t i = 0; i < policy->override_count; i++) {
		if (matches_exactly(&policy->overrides[i].match, kind, id, name))
			return &policy->overrides[i];
	}
	for (size_t i = 0; i < policy->override_count; i++) {
		if (matches_pattern(&policy->overrides[i].match, kind, name))
			return &policy->overrides[i];
	}
	return NULL;
}

/* Id 0 is root, or no project at all; the kernel enforces nothing on it. */
bool policy_exempts(
	const struct policy *policy, enum owner_kind kind, uint32_t id, const char *name)
{
	if (!id || (kind != OWNER_PROJECT && id < policy->exempt_below))
		return true;
	for (size_t i = 0; i < policy->exemption_count; i++) {
		const struct policy_match *match = &policy->exemptions[i];

		if (matches_exactly(match, kind, id, name) || matches_pattern(match, kind, name))
			return true;
	}
	return false;
}

static uint64_t merge(uint64_t general, uint64_t special)
{
	uint64_t limit = special == POLICY_UNSET ? general : special;

	return limit == POLICY_UNSET ? POLICY_NONE : limit;
}

void policy_limits_of(const struct policy *policy, enum owner_kind kind, uint32_t id,
	const char *name, struct policy_limits *limits)
{
	const struct policy_limits *general = &policy->limits[kind];
	const struct policy_override *override = find_override(policy, kind, id, name);
	const struct policy_limits *special = override ? &override->limits : general;

	for (int i = 0; i < POLICY_RULES; i++) {
		limits->soft[i] = merge(general->soft[i], special->soft[i]);
		limits->hard[i] = merge(general->hard[i], special->hard[i]);
	}
}

bool policy_limits_any(const struct policy_limits *limits)
{
	for (int i = 0; i < POLICY_RULES; i++) {
		if (limits->soft[i] < POLICY_NONE || limits->hard[i] < POLICY_NONE)
			return true;
	}
	return false;
}
