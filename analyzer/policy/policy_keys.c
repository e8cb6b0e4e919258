// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of policy files and their values; policy_read.c has the sections. */
#include "analyzer/policy/policy_read.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 68 years: what the kernel's timers hold. */
#define MAX_GRACE_SECONDS ((double)INT32_MAX)

/* In policy_reader.seen; the first are of sections. */
enum { BIT_BELOW = 8, BIT_KEYS };

static int wrong(struct policy_reader *reader, const char *why)
{
	return ini_error(reader->err, -EINVAL, reader->at, "%s", why);
}

static int bad_value(struct policy_reader *reader, const char *wanted)
{
	const char *value = reader->at->value;

	if (*value == '-')
		return ini_error(reader->err, -EINVAL, reader->at, "\"%s\" is negative", value);
	if (!*value)
		return ini_error(
			reader->err, -EINVAL, reader->at, "no value; wanted is %s", wanted);
	return ini_error(reader->err, -EINVAL, reader->at, "\"%s\" is not %s", value, wanted);
}

static int read_number(struct policy_reader *reader, bool bytes, uint64_t max, uint64_t *number)
{
	const char *value = reader->at->value;
	int rc = bytes ? unit_parse_bytes(value, number) : unit_parse_count(value, number);

	if (rc == -EINVAL)
		return bad_value(
			reader, bytes ? "a size such as 500G" : "a whole number such as 500k");
	if (!rc && *number <= max)
		return 0;
	return ini_error(reader->err, -EINVAL, reader->at,
		"\"%s\" is too large; the most is %" PRIu64, value, max);
}

/* --- [policy] --------------------------------------------------------------------------------- */

static int set_text(struct policy_reader *reader, char **text)
{
	if (!*reader->at->value)
		return bad_value(reader, "a text");
	free(*text);
	*text = strdup(reader->at->value);
	return *text ? 0 : err_set(reader->err, -ENOMEM, "out of memory");
}

static int read_duration(struct policy_reader *reader, const char *example, double min, double max,
	const char *range, double *seconds)
{
	int rc = unit_parse_seconds(reader->at->value, seconds);

	if (rc && rc != -ERANGE)
		return bad_value(reader, example);
	return rc || *seconds < min || *seconds > max ? wrong(reader, range) : 0;
}

static int set_grace(struct policy_reader *reader)
{
	return read_duration(reader, "a duration such as 14d", 1, MAX_GRACE_SECONDS,
		"the grace is less than 1s or more than 68 years", &reader->policy->grace_seconds);
}

static int set_old_after(struct policy_reader *reader)
{
	double seconds;
	int rc = read_duration(reader, "a duration such as 180d", SECONDS_PER_DAY,
		36500 * (double)SECONDS_PER_DAY, "the age is less than 1d or more than 36500d",
		&seconds);

	if (!rc)
		reader->policy->old_after_days = (uint64_t)(seconds / SECONDS_PER_DAY);
	return rc;
}

/* A key that may be there once in the file; @bit tells them apart. */
static int once(struct policy_reader *reader, unsigned bit)
{
	if (reader->seen & 1U << bit)
		return wrong(reader, "is there twice");
	reader->seen |= 1U << bit;
	return 0;
}

static int set_name(struct policy_reader *reader)
{
	return set_text(reader, &reader->policy->name);
}

static int set_source(struct policy_reader *reader)
{
	return set_text(reader, &reader->policy->source);
}

static int set_percent_from(struct policy_reader *reader)
{
	return read_number(reader, false, POLICY_MAX_LIMIT, &reader->policy->share_from_files);
}

static int policy_key(struct policy_reader *reader)
{
	static const struct {
		const char *key;
		int (*set)(struct policy_reader *reader);
	} keys[] = {
		{"name", set_name},
		{"source", set_source},
		{"grace", set_grace},
		{"old_after", set_old_after},
		{"tiny_percent_from", set_percent_from},
	};

	for (unsigned i = 0; i < ARRAY_LENGTH(keys); i++) {
		if (!strcmp(keys[i].key, reader->at->key))
			return once(reader, BIT_KEYS + i) ? -EINVAL : keys[i].set(reader);
	}
	return wrong(reader, "there is no such key; there are name, source, grace, old_after, "
			     "tiny_percent_from");
}

/* --- [exempt] --------------------------------------------------------------------------------- */

static int add_exemption(struct policy_reader *reader, enum owner_kind kind, const char *text)
{
	struct policy *policy = reader->policy;
	struct policy_match *grown = reallocarray(
		policy->exemptions, policy->exemption_count + 1, sizeof(*policy->exemptions));
	int rc;

	if (!grown)
		return err_set(reader->err, -ENOMEM, "out of memory");
	policy->exemptions = grown;
	rc = policy_read_match(reader, kind, text, &grown[policy->exemption_count]);
	policy->exemption_count += !rc;
	return rc;
}

/* "root, backup svc-*" */
static int add_exemptions(struct policy_reader *reader, enum owner_kind kind)
{
	static const char separators[] = ", \t";
	autofree char *copy = strdup(reader->at->value);
	char *rest = copy, *text;
	bool any = false;
	int rc = copy ? 0 : err_set(reader->err, -ENOMEM, "out of memory");

	while (!rc && (text = strsep(&rest, separators))) {
		if (!*text)
			continue;
		any = true;
		rc = add_exemption(reader, kind, text);
	}
	return rc || any ? rc : bad_value(reader, "names, numbers or patterns");
}

static int exempt_key(struct policy_reader *reader)
{
	const char *key = reader->at->key;
	uint64_t below;
	int rc;

	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		const char *name = policy_kind_name(kind);

		if (!strncmp(key, name, strlen(name)) && !strcmp(key + strlen(name), "s"))
			return add_exemptions(reader, kind);
	}
	if (strcmp(key, "ids_below") != 0)
		return wrong(reader,
			"there is no such key; there are ids_below, users, groups, projects");
	rc = once(reader, BIT_BELOW);
	if (!rc)
		rc = read_number(reader, false, UINT32_MAX, &below);
	if (!rc)
		reader->policy->exempt_below = (uint32_t)below;
	return rc;
}

/* --- Limits ----------------------------------------------------------------------------------- */

static int unknown_rule(struct policy_reader *reader)
{
	char what[512];
	int used = snprintf(what, sizeof(what), "there is no such key; there are");

	for (int rule = 0; rule < POLICY_RULES && used < (int)sizeof(what); rule++)
		used += snprintf(
			what + used, sizeof(what) - (size_t)used, " %s,", policy_rule_name(rule));
	snprintf(what + used, sizeof(what) - (size_t)used, " each with .soft or .hard");
	return wrong(reader, what);
}

static int read_limit(struct policy_reader *reader, enum policy_rule rule, uint64_t *limit)
{
	uint64_t max = rule == RULE_TINY_PERCENT ? 100 : POLICY_MAX_LIMIT;

	if (!strcmp(reader->at->value, "none")) {
		*limit = POLICY_NONE;
		return 0;
	}
	return read_number(reader, policy_rule_is_bytes(rule), max, limit);
}

static int limit_key(struct policy_reader *reader)
{
	const char *key = reader->at->key, *dot = strchr(key, '.');
	enum policy_rule rule;
	unsigned *line;
	bool soft;

	if (!dot || policy_rule_parse(key, (size_t)(dot - key), &rule))
		return unknown_rule(reader);
	soft = !strcmp(dot, ".soft");
	if (!soft && strcmp(dot, ".hard") != 0)
		return unknown_rule(reader);
	if ((rule == RULE_OLD_FILES || rule == RULE_OLD_BYTES) && reader->kind != OWNER_USER)
		return wrong(reader, "a scan knows the ages of users' files only");
	line = soft ? &reader->lines->soft[rule] : &reader->lines->hard[rule];
	if (*line)
		return wrong(reader, "is there twice");
	*line = reader->at->line;
	return read_limit(
		reader, rule, soft ? &reader->limits->soft[rule] : &reader->limits->hard[rule]);
}

int policy_read_key(struct policy_reader *reader)
{
	switch (reader->part) {
	case PART_POLICY:
		return policy_key(reader);
	case PART_EXEMPT:
		return exempt_key(reader);
	case PART_LIMITS:
		return limit_key(reader);
	case PART_NONE:
		break;
	}
	return err_set(reader->err, -EINVAL, "%s:%u: %s stands before any [section]",
		reader->at->file, reader->at->line, reader->at->key);
}
