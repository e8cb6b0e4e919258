/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A quota policy as values: how much of what whom may have.
 *
 * A policy has limits for users, groups and projects, overrides for some of them by name, id or
 * pattern, and exemptions. Policy files are INI; xfscensus-policy(5) describes them.
 */
#ifndef ANALYZER_POLICY_POLICY_H
#define ANALYZER_POLICY_POLICY_H

#include "analyzer/census/owner.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_rule {
	RULE_INODES,          /* inodes of all kinds: what XFS counts */
	RULE_FILES,           /* regular files */
	RULE_TINY_FILES,      /* regular files below the scan's tiny edge */
	RULE_BYTES,           /* Σ size of regular files */
	RULE_ALLOCATED_BYTES, /* Σ allocated of all inodes: what XFS counts as blocks */
	RULE_FILES_PER_TB,    /* regular files per 10^12 bytes, see policy_per_tb_bytes() */
	RULE_TINY_PERCENT,    /* tiny files in a hundred regular files, rounded up */
	RULE_OLD_FILES,       /* regular files unchanged for longer than old_after_days; of users */
	RULE_OLD_BYTES,       /* their sizes; of users */
	POLICY_RULES
};

/* What a limit is if it is no number. */
#define POLICY_UNSET UINT64_MAX       /* nothing is said: the more general section holds */
#define POLICY_NONE  (UINT64_MAX - 1) /* said to be without limit */

/* The largest number that a limit can be. */
#define POLICY_MAX_LIMIT ((uint64_t)INT64_MAX)

struct policy_limits {
	uint64_t soft[POLICY_RULES];
	uint64_t hard[POLICY_RULES];
};

/* Whom an override or an exemption is for. */
struct policy_match {
	enum owner_kind kind;
	char *text;   /* owned: a name, a number or an fnmatch(3) pattern of names */
	bool has_id;  /* it is a number */
	uint32_t id;  /* that number */
	bool pattern; /* it has one of * ? [ */
};

struct policy_override {
	struct policy_match match;
	struct policy_limits limits;
};

struct policy {
	char *name;                /* owned: as it is called in reports */
	char *source;              /* owned: where it was published; NULL if unknown */
	double grace_seconds;      /* between soft limit and refusal; 0: not said */
	uint32_t exempt_below;     /* users and groups with smaller ids are exempt */
	uint64_t old_after_days;   /* RULE_OLD_*: what is old */
	uint64_t share_from_files; /* RULE_TINY_PERCENT: asked of owners with as many files */
	struct policy_limits limits[OWNER_KINDS];
	struct policy_override *overrides; /* owned, as the file has them */
	size_t override_count;
	struct policy_match *exemptions; /* owned */
	size_t exemption_count;
};

/* A rule's name as in JSON and in policy files, its unit included: "tiny_files", "tiny_percent". */
const char *policy_rule_name(enum policy_rule rule);

/* The rule of that name. Returns 0, or -EINVAL if there is none. */
int policy_rule_parse(const char *name, size_t length, enum policy_rule *rule);

/* Whether the rule's numbers are bytes. */
bool policy_rule_is_bytes(enum policy_rule rule);

/* "user", "group", "project". */
const char *policy_kind_name(enum owner_kind kind);

/* A policy without any limit: with the defaults of all else. Returns 0 or -ENOMEM. */
int policy_init(struct policy *policy, const char *name);

/*
 * The policy that holds where none is named: 500 000 files soft and 1 000 000 hard a user, 14 days
 * of grace; what large sites grant in home directories. Returns 0 or -ENOMEM.
 */
int policy_init_default(struct policy *policy);
void policy_fini(struct policy *policy);

/*
 * Reads a policy file of @length bytes; @file is its name in messages, which are one line with
 * file, line and key. Returns 0; -EINVAL with a message for anything that makes no sense; -ENOMEM.
 * On error there is nothing to free.
 */
int policy_parse(
	struct policy *policy, const char *text, size_t length, const char *file, struct err *err);

/* Reads the policy file at @path, "-" for standard input. As policy_parse() and ini_read_file(). */
int policy_load(struct policy *policy, const char *path, struct err *err);

/* Whether what holds for an owner of @kind may depend on its name. */
bool policy_wants_names(const struct policy *policy, enum owner_kind kind);

/* Whether the policy exempts an owner; @name may be NULL. Id 0 always is. */
bool policy_exempts(
	const struct policy *policy, enum owner_kind kind, uint32_t id, const char *name);

/*
 * What holds for an owner, if it is not exempt: the override for its id or its name, else the first
 * pattern that matches, else none, over the limits of its kind. @name may be NULL. Sets what has no
 * limit to POLICY_NONE.
 */
void policy_limits_of(const struct policy *policy, enum owner_kind kind, uint32_t id,
	const char *name, struct policy_limits *limits);

/* Whether anything has a limit. */
bool policy_limits_any(const struct policy_limits *limits);

#endif
