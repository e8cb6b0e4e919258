// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of policy files and their values; policy_read.c has the lines and sections. */
#include "analyzer/policy/policy_read.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 68 years: what the kernel's timers hold. */
#define MAX_GRACE_SECONDS ((double)INT32_MAX)

static int bad_value(
	struct policy_reader *reader, const char *key, const char *value, const char *wanted)
{
	char what[256];

	if (*value == '-')
		snprintf(what, sizeof(what), "\"%.100s\" is negative", value);
	else if (!*value)
		snprintf(what, sizeof(what), "no value; wanted is %s", wanted);
	else
		snprintf(what, sizeof(what), "\"%.100s\" is not %s", value, wanted);
	return policy_read_error(reader, -EINVAL, key, what);
}

static int read_number(struct policy_reader *reader, const char *key, const char *value, bool bytes,
	uint64_t max, uint64_t *number)
{
	int rc = bytes ? unit_parse_bytes(value, number) : unit_parse_count(value, number);
	char what[256];

	if (rc == -EINVAL)
		return bad_value(reader, key, value,
			bytes ? "a size such as 500G" : "a number such as 500k");
	if (!rc && *number <= max)
		return 0;
	snprintf(what, sizeof(what), "\"%.100s\" is too large; the most is %llu", value,
		(unsigned long long)max);
	return policy_read_error(reader, -EINVAL, key, what);
}

/* --- [policy] --------------------------------------------------------------------------------- */

static int set_text(struct policy_reader *reader, char **text, const char *key, const char *value)
{
	if (!*value)
		return bad_value(reader, key, value, "a text");
	free(*text);
	*text = strdup(value);
	return *text ? 0 : err_set(reader->err, -ENOMEM, "out of memory");
}

static int set_grace(struct policy_reader *reader, const char *key, const char *value)
{
	double seconds;

	if (unit_parse_seconds(value, &seconds))
		return bad_value(reader, key, value, "a duration such as 14d");
	if (seconds < 1 || seconds > MAX_GRACE_SECONDS)
		return policy_read_error(
			reader, -EINVAL, key, "the grace is less than 1s or more than 68 years");
	reader->policy->grace_seconds = seconds;
	return 0;
}

static int set_old_after(struct policy_reader *reader, const char *key, const char *value)
{
	double seconds;

	if (unit_parse_seconds(value, &seconds))
		return bad_value(reader, key, value, "a duration such as 180d");
	if (seconds < 86400 || seconds > 36500 * 86400.0)
		return policy_read_error(
			reader, -EINVAL, key, "the age is less than 1d or more than 36500d");
	reader->policy->old_after_days = (uint64_t)(seconds / 86400);
	return 0;
}

/* A key that may be there once in the file; @bit tells them apart. */
static int once(struct policy_reader *reader, const char *key, unsigned bit)
{
	if (reader->seen & 1U << bit)
		return policy_read_error(reader, -EINVAL, key, "is there twice");
	reader->seen |= 1U << bit;
	return 0;
}

enum { BIT_NAME = 8, BIT_SOURCE, BIT_GRACE, BIT_OLD_AFTER, BIT_SHARE_FROM, BIT_BELOW };

static int policy_key(struct policy_reader *reader, const char *key, const char *value)
{
	struct policy *policy = reader->policy;

	if (!strcmp(key, "name"))
		return once(reader, key, BIT_NAME) ? -EINVAL
						   : set_text(reader, &policy->name, key, value);
	if (!strcmp(key, "source"))
		return once(reader, key, BIT_SOURCE)
			       ? -EINVAL
			       : set_text(reader, &policy->source, key, value);
	if (!strcmp(key, "grace"))
		return once(reader, key, BIT_GRACE) ? -EINVAL : set_grace(reader, key, value);
	if (!strcmp(key, "old_after"))
		return once(reader, key, BIT_OLD_AFTER) ? -EINVAL
							: set_old_after(reader, key, value);
	if (!strcmp(key, "tiny_percent_from"))
		return once(reader, key, BIT_SHARE_FROM)
			       ? -EINVAL
			       : read_number(reader, key, value, false, POLICY_MAX_LIMIT,
					 &policy->share_from_files);
	return policy_read_error(reader, -EINVAL, key,
		"there is no such key; there are name, source, grace, old_after, "
		"tiny_percent_from");
}

/* --- [exempt] --------------------------------------------------------------------------------- */

static int add_exemption(struct policy_reader *reader, enum owner_kind kind, const char *text)
{
	struct policy *policy = reader->policy;
	struct policy_match *grown = reallocarray(
		policy->exemptions, policy->exemption_count + 1, sizeof(*policy->exemptions));

	if (!grown)
		return err_set(reader->err, -ENOMEM, "out of memory");
	policy->exemptions = grown;
	if (policy_read_match(reader, kind, text, &grown[policy->exemption_count]))
		return -ENOMEM;
	policy->exemption_count++;
	return 0;
}

/* "root, backup svc-*" */
static int add_exemptions(
	struct policy_reader *reader, enum owner_kind kind, const char *key, const char *value)
{
	static const char separators[] = ", \t";
	char *copy = strdup(value), *rest = copy, *text;
	int rc = copy ? 0 : err_set(reader->err, -ENOMEM, "out of memory");
	bool any = false;

	while (!rc && (text = strsep(&rest, separators))) {
		if (!*text)
			continue;
		any = true;
		rc = add_exemption(reader, kind, text);
	}
	free(copy);
	return rc || any ? rc : bad_value(reader, key, value, "names, numbers or patterns");
}

static int exempt_key(struct policy_reader *reader, const char *key, const char *value)
{
	uint64_t below;
	int rc;

	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		const char *name = policy_kind_name(kind);

		if (!strncmp(key, name, strlen(name)) && !strcmp(key + strlen(name), "s"))
			return add_exemptions(reader, kind, key, value);
	}
	if (strcmp(key, "ids_below") != 0)
		return policy_read_error(reader, -EINVAL, key,
			"there is no such key; there are ids_below, users, groups, projects");
	rc = once(reader, key, BIT_BELOW);
	if (!rc)
		rc = read_number(reader, key, value, false, UINT32_MAX, &below);
	if (!rc)
		reader->policy->exempt_below = (uint32_t)below;
	return rc;
}

/* --- Limits ----------------------------------------------------------------------------------- */

static int unknown_rule(struct policy_reader *reader, const char *key)
{
	char what[512];
	int used = snprintf(what, sizeof(what), "there is no such key; there are");

	for (int rule = 0; rule < POLICY_RULES && used < (int)sizeof(what); rule++)
		used += snprintf(
			what + used, sizeof(what) - (size_t)used, " %s,", policy_rule_name(rule));
	snprintf(what + used, sizeof(what) - (size_t)used, " each with .soft or .hard");
	return policy_read_error(reader, -EINVAL, key, what);
}

static int read_limit(struct policy_reader *reader, enum policy_rule rule, const char *key,
	const char *value, uint64_t *limit)
{
	uint64_t max = rule == RULE_TINY_PERCENT ? 100 : POLICY_MAX_LIMIT;

	if (!strcmp(value, "none")) {
		*limit = POLICY_NONE;
		return 0;
	}
	return read_number(reader, key, value, policy_rule_is_bytes(rule), max, limit);
}

static int limit_key(struct policy_reader *reader, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');
	enum policy_rule rule;
	uint64_t *limit;
	unsigned *line;
	bool soft;

	if (!dot || policy_rule_parse(key, (size_t)(dot - key), &rule))
		return unknown_rule(reader, key);
	soft = !strcmp(dot, ".soft");
	if (!soft && strcmp(dot, ".hard") != 0)
		return unknown_rule(reader, key);
	if ((rule == RULE_OLD_FILES || rule == RULE_OLD_BYTES) && reader->kind != OWNER_USER)
		return policy_read_error(
			reader, -EINVAL, key, "a scan knows the ages of users' files only");
	limit = soft ? &reader->limits->soft[rule] : &reader->limits->hard[rule];
	line = soft ? &reader->lines->soft[rule] : &reader->lines->hard[rule];
	if (*line)
		return policy_read_error(reader, -EINVAL, key, "is there twice");
	*line = reader->line;
	return read_limit(reader, rule, key, value, limit);
}

int policy_read_key(struct policy_reader *reader, const char *key, const char *value)
{
	switch (reader->part) {
	case PART_POLICY:
		return policy_key(reader, key, value);
	case PART_EXEMPT:
		return exempt_key(reader, key, value);
	case PART_LIMITS:
		return limit_key(reader, key, value);
	case PART_NONE:
		break;
	}
	return policy_read_error(reader, -EINVAL, key, "stands before any section");
}
