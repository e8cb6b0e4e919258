// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sections of policy files; policy_keys.c has their keys, base/ini_file.h the lines. Each limit
 * remembers its line, so that two that contradict each other can be told where both stand.
 */
#include "analyzer/policy/policy_read.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More sections than this are no policy. */
#define MAX_OVERRIDES 10000

/* "project " and a name as long as a line. */
#define SECTION_BYTES 320

/* The largest id that an owner can have: the one above stands for nobody. */
#define MAX_ID (UINT32_MAX - 1)

/* --- Sections --------------------------------------------------------------------------------- */

static int wrong_section(struct policy_reader *reader, const char *why)
{
	return ini_error(reader->err, -EINVAL, reader->at, "%s", why);
}

static int out_of_memory(struct policy_reader *reader)
{
	return err_set(reader->err, -ENOMEM, "out of memory");
}

static int add_override(struct policy_reader *reader, const struct policy_match *match)
{
	struct policy *policy = reader->policy;
	size_t count = policy->override_count;
	struct policy_override *overrides;
	struct policy_lines *lines;

	if (count == MAX_OVERRIDES)
		return ini_error(reader->err, -EINVAL, reader->at,
			"is one too many: a policy has at most %d such sections", MAX_OVERRIDES);
	overrides = reallocarray(policy->overrides, count + 1, sizeof(*overrides));
	if (overrides)
		policy->overrides = overrides;
	lines = reallocarray(reader->override_lines, count + 1, sizeof(*lines));
	if (lines)
		reader->override_lines = lines;
	if (!overrides || !lines)
		return out_of_memory(reader);
	overrides[count].match = *match;
	memset(&overrides[count].limits, 0xff, sizeof(overrides[count].limits));
	lines[count] = (struct policy_lines){0};
	policy->override_count++;
	reader->limits = &overrides[count].limits;
	reader->lines = &lines[count];
	return 0;
}

int policy_read_match(struct policy_reader *reader, enum owner_kind kind, const char *text,
	struct policy_match *match)
{
	uint64_t number = 0;
	int rc = unit_parse_u64(text, &number);

	if (rc == -ERANGE || (!rc && number > MAX_ID))
		return ini_error(reader->err, -EINVAL, reader->at, "%s is no id: the largest is %u",
			text, MAX_ID);
	*match = (struct policy_match){
		.kind = kind,
		.has_id = !rc,
		.id = rc ? 0 : (uint32_t)number,
		.pattern = strpbrk(text, "*?["),
		.text = strdup(text),
	};
	return match->text ? 0 : out_of_memory(reader);
}

static bool same_match(const struct policy_match *a, const struct policy_match *b)
{
	if (a->kind != b->kind || a->has_id != b->has_id)
		return false;
	return a->has_id ? a->id == b->id : !strcmp(a->text, b->text);
}

/* "user alice": an override. */
static int enter_override(struct policy_reader *reader, enum owner_kind kind, const char *whom)
{
	struct policy *policy = reader->policy;
	struct policy_match match;
	int rc;

	whom += strspn(whom, " \t");
	if (!*whom)
		return wrong_section(reader, "names nobody");
	rc = policy_read_match(reader, kind, whom, &match);
	if (rc)
		return rc;
	for (size_t i = 0; i < policy->override_count && !rc; i++) {
		if (same_match(&policy->overrides[i].match, &match))
			rc = wrong_section(reader, "is there twice");
	}
	reader->part = PART_LIMITS;
	reader->kind = kind;
	if (!rc)
		rc = add_override(reader, &match);
	if (rc)
		free(match.text);
	return rc;
}

static int enter_once(struct policy_reader *reader, enum policy_part part, unsigned bit)
{
	if (reader->seen & 1U << bit)
		return wrong_section(reader, "is there twice");
	reader->seen |= 1U << bit;
	reader->part = part;
	return 0;
}

/* "users": what holds for all of a kind. */
static int enter_kind(struct policy_reader *reader, enum owner_kind kind)
{
	reader->kind = kind;
	reader->limits = &reader->policy->limits[kind];
	reader->lines = &reader->kind_lines[kind];
	return enter_once(reader, PART_LIMITS, (unsigned)kind);
}

static int enter_section(struct policy_reader *reader)
{
	const char *section = reader->at->section;

	if (!strcmp(section, "policy"))
		return enter_once(reader, PART_POLICY, OWNER_KINDS);
	if (!strcmp(section, "exempt"))
		return enter_once(reader, PART_EXEMPT, OWNER_KINDS + 1);
	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		const char *name = policy_kind_name(kind);
		size_t length = strlen(name);

		if (strncmp(section, name, length) != 0)
			continue;
		if (!strcmp(section + length, "s"))
			return enter_kind(reader, kind);
		if (section[length] == ' ' || section[length] == '\t')
			return enter_override(reader, kind, section + length);
	}
	return wrong_section(reader,
		"is no section of a policy; there are [policy], [exempt], [users], [groups], "
		"[projects], [user NAME], [group NAME], [project NAME]");
}

/* An ini_take. */
static int take(void *context, const struct ini_setting *setting, struct err *err)
{
	struct policy_reader *reader = context;

	reader->at = setting;
	reader->err = err;
	return setting->key ? policy_read_key(reader) : enter_section(reader);
}

/* --- The whole -------------------------------------------------------------------------------- */

static unsigned line_of(unsigned special, unsigned general)
{
	return special ? special : general;
}

/* That soft limits are not above hard ones, in a section over the general one. */
static int check_limits(const char *file, const char *section, const struct policy_limits *general,
	const struct policy_lines *general_lines, const struct policy_limits *special,
	const struct policy_lines *special_lines, struct err *err)
{
	for (int rule = 0; rule < POLICY_RULES; rule++) {
		bool own_soft = special->soft[rule] != POLICY_UNSET;
		bool own_hard = special->hard[rule] != POLICY_UNSET;
		uint64_t soft = own_soft ? special->soft[rule] : general->soft[rule];
		uint64_t hard = own_hard ? special->hard[rule] : general->hard[rule];
		unsigned soft_line = line_of(special_lines->soft[rule], general_lines->soft[rule]);
		unsigned hard_line = line_of(special_lines->hard[rule], general_lines->hard[rule]);

		if (soft >= POLICY_NONE || hard >= POLICY_NONE || soft <= hard)
			continue;
		return err_set(err, -EINVAL,
			"%s:%u: [%s] %s.soft (line %u) is above %s.hard (line %u)", file,
			soft_line > hard_line ? soft_line : hard_line, section,
			policy_rule_name(rule), soft_line, policy_rule_name(rule), hard_line);
	}
	return 0;
}

/* That the sections go together, and say something. */
static int check_policy(const struct policy_reader *reader, const char *file, struct err *err)
{
	const struct policy *policy = reader->policy;
	char section[SECTION_BYTES];
	bool any = false;
	int rc = 0;

	for (int kind = 0; kind < OWNER_KINDS && !rc; kind++) {
		snprintf(section, sizeof(section), "%ss", policy_kind_name(kind));
		any |= policy_limits_any(&policy->limits[kind]);
		rc = check_limits(file, section, &policy->limits[kind], &reader->kind_lines[kind],
			&policy->limits[kind], &reader->kind_lines[kind], err);
	}
	for (size_t i = 0; i < policy->override_count && !rc; i++) {
		const struct policy_override *override = &policy->overrides[i];
		enum owner_kind kind = override->match.kind;

		snprintf(section, sizeof(section), "%s %s", policy_kind_name(kind),
			override->match.text);
		any |= policy_limits_any(&override->limits);
		rc = check_limits(file, section, &policy->limits[kind], &reader->kind_lines[kind],
			&override->limits, &reader->override_lines[i], err);
	}
	if (!rc && !any)
		rc = err_set(err, -EINVAL,
			"%s: there is no limit in it; the least of a policy is a section [users] "
			"with a line such as files.hard = 1M",
			file);
	return rc;
}

/* Begins a policy that has the file's name until it says another. */
static int begin(
	struct policy_reader *reader, struct policy *policy, const char *file, struct err *err)
{
	int rc = policy_init(policy, file);

	*reader = (struct policy_reader){.policy = policy};
	return rc ? err_set(err, rc, "out of memory") : 0;
}

/* What is left to do once all was read, or not: @rc. */
static int end(struct policy_reader *reader, const char *file, int rc, struct err *err)
{
	if (!rc)
		rc = check_policy(reader, file, err);
	free(reader->override_lines);
	if (rc)
		policy_fini(reader->policy);
	return rc;
}

int policy_parse(
	struct policy *policy, const char *text, size_t length, const char *file, struct err *err)
{
	struct policy_reader reader;
	int rc = begin(&reader, policy, file, err);

	if (!rc)
		rc = ini_read_text(file, text, length, take, &reader, err);
	return end(&reader, file, rc, err);
}

int policy_load(struct policy *policy, const char *path, struct err *err)
{
	struct policy_reader reader;
	int rc = begin(&reader, policy, path, err);

	if (!rc)
		rc = ini_read_file(path, take, &reader, err);
	return end(&reader, path, rc, err);
}
