// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Policy files. libinih splits lines into section, key and value; its own limits (a line of 200
 * bytes, a name of 50) cut silently, and it tells neither where a section starts nor on which line
 * a key stands. So it reads through read_line(), which counts lines, refuses what would be cut and
 * what is no text, and drops blanks at the start of a line, which would make it a continuation.
 */
#include "analyzer/policy/policy_read.h"

#include "base/units.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libinih cuts section names, and key names, at 49 bytes. */
#define MAX_SECTION_BYTES 49

/* Some editors put it before UTF-8. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* More sections than this are no policy. */
#define MAX_OVERRIDES 10000

int policy_read_error(struct policy_reader *reader, int code, const char *key, const char *what)
{
	return err_set(reader->err, code, "%s:%u: [%s] %s: %s", reader->file, reader->line,
		reader->section, key, what);
}

/* Refuses what libinih would cut or misread. */
static int check_line(struct policy_reader *reader, const char *line, size_t length, size_t room)
{
	for (size_t i = 0; i < length; i++) {
		if (((unsigned char)line[i] < ' ' && line[i] != '\t' && line[i] != '\r') ||
			line[i] == 0x7f)
			return err_set(reader->err, -EINVAL,
				"%s:%u: byte %zu of the line is 0x%02x: this is no text file",
				reader->file, reader->line, i + 1, (unsigned char)line[i]);
	}
	if (length > room)
		return err_set(reader->err, -EINVAL, "%s:%u: a line of more than %zu bytes",
			reader->file, reader->line, room);
	if (length > MAX_SECTION_BYTES && line[0] == '[')
		return err_set(reader->err, -EINVAL,
			"%s:%u: the name of a section has more than %d bytes", reader->file,
			reader->line, MAX_SECTION_BYTES - 2);
	return 0;
}

/* An ini_reader: the next line without blanks at its start, as fgets() would give it. */
static char *read_line(char *out, int bytes, void *stream)
{
	struct policy_reader *reader = stream;
	const char *start = reader->at, *end;

	if (start == reader->end || reader->err->code)
		return NULL;
	end = memchr(start, '\n', (size_t)(reader->end - start));
	reader->at = end ? end + 1 : reader->end;
	end = end ? end : reader->end;
	reader->line++;
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	if (check_line(reader, start, (size_t)(end - start), (size_t)bytes - 3))
		return NULL;
	reader->new_section |= start < end && *start == '[';
	snprintf(out, (size_t)bytes, "%.*s\n", (int)(end - start), start);
	return out;
}

/* --- Sections --------------------------------------------------------------------------------- */

static int add_override(struct policy_reader *reader, const struct policy_match *match)
{
	struct policy *policy = reader->policy;
	size_t count = policy->override_count;
	struct policy_override *overrides;
	struct policy_lines *lines;

	if (count == MAX_OVERRIDES)
		return err_set(reader->err, -EINVAL, "%s:%u: more than %d sections", reader->file,
			reader->line, MAX_OVERRIDES);
	overrides = reallocarray(policy->overrides, count + 1, sizeof(*overrides));
	if (overrides)
		policy->overrides = overrides;
	lines = reallocarray(reader->override_lines, count + 1, sizeof(*lines));
	if (lines)
		reader->override_lines = lines;
	if (!overrides || !lines)
		return err_set(reader->err, -ENOMEM, "out of memory");
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
	uint64_t number;

	*match = (struct policy_match){
		.kind = kind,
		.has_id = !unit_parse_u64(text, &number) && number < UINT32_MAX,
		.pattern = strpbrk(text, "*?["),
		.text = strdup(text),
	};
	if (match->has_id)
		match->id = (uint32_t)number;
	return match->text ? 0 : err_set(reader->err, -ENOMEM, "out of memory");
}

/* "user alice": an override. */
static int enter_override(struct policy_reader *reader, enum owner_kind kind, const char *whom)
{
	struct policy *policy = reader->policy;
	struct policy_match match;
	int rc;

	whom += strspn(whom, " \t");
	if (!*whom)
		return err_set(reader->err, -EINVAL, "%s:%u: [%s] names nobody", reader->file,
			reader->line, reader->section);
	for (size_t i = 0; i < policy->override_count; i++) {
		const struct policy_match *other = &policy->overrides[i].match;

		if (other->kind == kind && !strcmp(other->text, whom))
			return err_set(reader->err, -EINVAL, "%s:%u: [%s] is there twice",
				reader->file, reader->line, reader->section);
	}
	reader->part = PART_LIMITS;
	reader->kind = kind;
	rc = policy_read_match(reader, kind, whom, &match);
	if (!rc)
		rc = add_override(reader, &match);
	if (rc)
		free(match.text);
	return rc;
}

static int enter_once(struct policy_reader *reader, enum policy_part part, unsigned bit)
{
	if (reader->seen & 1U << bit)
		return err_set(reader->err, -EINVAL, "%s:%u: [%s] is there twice", reader->file,
			reader->line, reader->section);
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

static int enter_section(struct policy_reader *reader, const char *section)
{
	snprintf(reader->section, sizeof(reader->section), "%s", section);
	reader->new_section = false;
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
	return err_set(reader->err, -EINVAL,
		"%s:%u: there is no section [%s]; there are [policy], [exempt], [users], [groups], "
		"[projects], [user NAME], [group NAME], [project NAME]",
		reader->file, reader->line, section);
}

/* An ini_handler: 0 is an error. */
static int take_key(void *user, const char *section, const char *key, const char *value)
{
	struct policy_reader *reader = user;

	if (reader->err->code)
		return 0;
	if (!*section)
		return !err_set(reader->err, -EINVAL, "%s:%u: %s stands before any [section]",
			reader->file, reader->line, key);
	if (reader->new_section && enter_section(reader, section))
		return 0;
	return !policy_read_key(reader, key, value);
}

/* --- The whole -------------------------------------------------------------------------------- */

static unsigned line_of(unsigned special, unsigned general)
{
	return special ? special : general;
}

/* That soft limits are not above hard ones, in a section over the general one. */
static int check_limits(struct policy_reader *reader, const char *section,
	const struct policy_limits *general, const struct policy_lines *general_lines,
	const struct policy_limits *special, const struct policy_lines *special_lines)
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
		return err_set(reader->err, -EINVAL,
			"%s:%u: [%s] %s.soft (line %u) is above %s.hard (line %u)", reader->file,
			soft_line > hard_line ? soft_line : hard_line, section,
			policy_rule_name(rule), soft_line, policy_rule_name(rule), hard_line);
	}
	return 0;
}

static int check_policy(struct policy_reader *reader)
{
	struct policy *policy = reader->policy;
	bool any = false;
	int rc = 0;

	for (int kind = 0; kind < OWNER_KINDS && !rc; kind++) {
		char section[16];

		snprintf(section, sizeof(section), "%ss", policy_kind_name(kind));
		any |= policy_limits_any(&policy->limits[kind]);
		rc = check_limits(reader, section, &policy->limits[kind], &reader->kind_lines[kind],
			&policy->limits[kind], &reader->kind_lines[kind]);
	}
	for (size_t i = 0; i < policy->override_count && !rc; i++) {
		const struct policy_override *override = &policy->overrides[i];
		enum owner_kind kind = override->match.kind;
		char section[MAX_SECTION_BYTES + 16];

		snprintf(section, sizeof(section), "%s %s", policy_kind_name(kind),
			override->match.text);
		any |= policy_limits_any(&override->limits);
		rc = check_limits(reader, section, &policy->limits[kind], &reader->kind_lines[kind],
			&override->limits, &reader->override_lines[i]);
	}
	if (!rc && !any)
		rc = err_set(reader->err, -EINVAL,
			"%s: there is no limit in it; the least of a policy is a section [users] "
			"with a line such as files.hard = 1M",
			reader->file);
	return rc;
}

/* libinih returns the line of the first error, its own or ours; or below 0 without memory. */
static int read_all(struct policy_reader *reader)
{
	int line = ini_parse_stream(read_line, reader, take_key, reader);

	if (line < 0)
		return err_set(reader->err, -ENOMEM, "out of memory");
	if (line > 0 && (!reader->err->code || (unsigned)line < reader->line)) {
		err_clear(reader->err);
		return err_set(reader->err, -EINVAL,
			"%s:%d: neither a [section] nor a line \"key = value\"", reader->file,
			line);
	}
	return reader->err->code ? reader->err->code : check_policy(reader);
}

int policy_parse(
	struct policy *policy, const char *text, size_t length, const char *file, struct err *err)
{
	struct err own = {0};
	struct policy_reader reader = {
		.policy = policy,
		.file = file,
		.at = text,
		.end = text + length,
		.err = &own,
	};
	int rc;

	if (length >= strlen(BYTE_ORDER_MARK) && !memcmp(text, BYTE_ORDER_MARK, 3))
		reader.at += strlen(BYTE_ORDER_MARK);
	if (length > POLICY_MAX_FILE_BYTES)
		return err_set(err, -EINVAL, "%s: larger than %d bytes: this is no policy", file,
			POLICY_MAX_FILE_BYTES);
	rc = policy_init(policy, file);
	if (!rc)
		rc = read_all(&reader);
	free(reader.override_lines);
	if (rc)
		policy_fini(policy);
	return rc ? err_set(err, rc, "%s", own.code ? own.message : "out of memory") : 0;
}

static int read_file(FILE *in, char *text, size_t *length)
{
	*length = fread(text, 1, POLICY_MAX_FILE_BYTES + 1, in);
	return ferror(in) ? -errno : 0;
}

int policy_load(struct policy *policy, const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	char *text = in ? malloc(POLICY_MAX_FILE_BYTES + 1) : NULL;
	size_t length = 0;
	int rc;

	if (!in)
		return err_set_errno(err, -errno, "cannot read the policy %s", path);
	rc = text ? read_file(in, text, &length) : -ENOMEM;
	fclose(in);
	if (rc)
		err_set_errno(err, rc, "cannot read the policy %s", path);
	else
		rc = policy_parse(policy, text, length, path, err);
	free(text);
	return rc;
}
