// SPDX-License-Identifier: GPL-2.0-or-later
/* Policy files: what is taken, what is refused and in which words, and what then holds for whom. */
#include "tests/unit/test.h"

#include "analyzer/policy/policy.h"
#include "base/cleanup.h"
#include "base/ini_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char everything[] = "\xef\xbb\xbf[policy]\n"
				 "name = all of it   ; a comment\n"
				 "source = https://example.org/quota\n"
				 "grace = 2w\n"
				 "old_after = 90d\n"
				 "tiny_percent_from = 10k\n"
				 "\n"
				 "# system users\n"
				 "[exempt]\n"
				 "ids_below = 500\n"
				 "users = backup, 7777 svc-*\n"
				 "users = another\n"
				 "projects = 3\n"
				 "\n"
				 "[users]\r\n"
				 "  files.soft = 500k\r\n"
				 "\tfiles.hard = 1M\r\n"
				 "tiny_percent.soft = 90\n"
				 "old_bytes.hard = 1.5T\n"
				 "allocated_bytes.hard: 2G\n"
				 "[group physics]\n"
				 "files_per_tb.hard = 10k\n"
				 "[user 2041]\n"
				 "files.hard = none\n"
				 "[user g*]\n"
				 "files.soft = 5\n"
				 "[user guest]\n"
				 "files.soft = 6\n"
				 "[user gu*]\n"
				 "files.soft = 7\n"
				 "[projects]\n"
				 "inodes.soft = 0";

static void parse(struct policy *policy, const char *text)
{
	struct err err = {0};

	if (policy_parse(policy, text, strlen(text), "p.ini", &err))
		fail_msg("%s", err.message);
}

static void everything_is_read(void **state)
{
	struct policy policy;

	(void)state;
	parse(&policy, everything);
	assert_string_equal(policy.name, "all of it");
	assert_string_equal(policy.source, "https://example.org/quota");
	assert_true(policy.grace_seconds == 14 * 86400.0);
	assert_int_equal(policy.old_after_days, 90);
	assert_int_equal(policy.share_from_files, 10000);
	assert_int_equal(policy.exempt_below, 500);
	assert_int_equal(policy.exemption_count, 5);
	assert_int_equal(policy.override_count, 5);
	assert_int_equal(policy.limits[OWNER_USER].soft[RULE_FILES], 500000);
	assert_int_equal(policy.limits[OWNER_USER].hard[RULE_FILES], 1000000);
	assert_int_equal(policy.limits[OWNER_USER].hard[RULE_OLD_BYTES], 3ULL << 39);
	assert_int_equal(policy.limits[OWNER_USER].hard[RULE_ALLOCATED_BYTES], 2ULL << 30);
	assert_int_equal(policy.limits[OWNER_PROJECT].soft[RULE_INODES], 0);
	assert_int_equal(policy.limits[OWNER_GROUP].soft[RULE_INODES], POLICY_UNSET);
	assert_true(policy_wants_names(&policy, OWNER_USER));
	assert_true(policy_wants_names(&policy, OWNER_GROUP));
	assert_false(policy_wants_names(&policy, OWNER_PROJECT));
	policy_fini(&policy);
}

static uint64_t soft_files(const struct policy *policy, uint32_t id, const char *name)
{
	struct policy_limits limits;

	if (policy_exempts(policy, OWNER_USER, id, name))
		return POLICY_NONE;
	policy_limits_of(policy, OWNER_USER, id, name, &limits);
	return limits.soft[RULE_FILES];
}

/* A section's name ends with its line, so that patterns with brackets and long names are names. */
static void sections_take_any_name(void **state)
{
	static const char text[] =
		"[user svc[0-9]*]\nfiles.soft = 8\n"
		"[user a]b] ; odd, but a name\nfiles.soft = 9\n"
		"[user DOM:x=y#z]\nfiles.soft = 10\n"
		"[user J\xc3\xbcrgen]\nfiles.soft = 11\n"
		"[user \xff\xfe]\nfiles.soft = 12\n"
		"[user an.account.of.a.directory.service@department.university.example.org]\r\n"
		"files.soft = 13\r\n";
	struct policy policy;

	(void)state;
	parse(&policy, text);
	assert_int_equal(soft_files(&policy, 1000, "svc7-web"), 8);
	assert_int_equal(soft_files(&policy, 1000, "svcx"), POLICY_NONE);
	assert_int_equal(soft_files(&policy, 1000, "a]b"), 9);
	assert_int_equal(soft_files(&policy, 1000, "DOM:x=y#z"), 10);
	assert_int_equal(soft_files(&policy, 1000, "J\xc3\xbcrgen"), 11);
	assert_int_equal(soft_files(&policy, 1000, "\xff\xfe"), 12);
	assert_int_equal(
		soft_files(&policy, 1000,
			"an.account.of.a.directory.service@department.university.example.org"),
		13);
	policy_fini(&policy);
}

static void the_most_special_section_holds(void **state)
{
	struct policy_limits limits;
	struct policy policy;

	(void)state;
	parse(&policy, everything);
	assert_int_equal(soft_files(&policy, 1000, NULL), 500000);
	assert_int_equal(soft_files(&policy, 1000, "alice"), 500000);
	assert_int_equal(soft_files(&policy, 1000, "george"), 5);
	assert_int_equal(soft_files(&policy, 1000, "gunter"), 5); /* the first that matches */
	assert_int_equal(soft_files(&policy, 1000, "guest"), 6);  /* exact before patterns */
	assert_int_equal(soft_files(&policy, 2041, "guest"), 500000);
	policy_limits_of(&policy, OWNER_USER, 2041, NULL, &limits);
	assert_int_equal(limits.hard[RULE_FILES], POLICY_NONE);
	assert_int_equal(limits.soft[RULE_TINY_PERCENT], 90);
	assert_int_equal(limits.soft[RULE_INODES], POLICY_NONE);
	policy_limits_of(&policy, OWNER_GROUP, 2041, "physics", &limits);
	assert_int_equal(limits.hard[RULE_FILES_PER_TB], 10000);
	policy_limits_of(&policy, OWNER_GROUP, 2041, "chemistry", &limits);
	assert_false(policy_limits_any(&limits));
	policy_fini(&policy);
}

static void the_exempt_are_told(void **state)
{
	static const struct {
		enum owner_kind kind;
		uint32_t id;
		const char *name;
		bool limited;
	} owners[] = {
		{OWNER_USER, 0, "root", false},
		{OWNER_USER, 499, NULL, false},
		{OWNER_USER, 500, NULL, true},
		{OWNER_USER, 7777, NULL, false},
		{OWNER_USER, 1000, "backup", false},
		{OWNER_USER, 1000, "another", false},
		{OWNER_USER, 1000, "svc-web", false},
		{OWNER_USER, 1000, "svc", true},
		{OWNER_USER, UINT32_MAX, NULL, true},
		{OWNER_GROUP, 100, "backup", false},
		{OWNER_GROUP, 1000, "backup", true},
		{OWNER_PROJECT, 0, NULL, false},
		{OWNER_PROJECT, 3, NULL, false},
		{OWNER_PROJECT, 4, NULL, true},
	};
	struct policy policy;

	(void)state;
	parse(&policy, everything);
	for (size_t i = 0; i < ARRAY_LENGTH(owners); i++) {
		bool exempt = policy_exempts(&policy, owners[i].kind, owners[i].id, owners[i].name);

		if (exempt == owners[i].limited)
			fail_msg("owner %zu: %d", i, exempt);
	}
	policy_fini(&policy);
}

/* Each wrong in one way, and what is to be said of it. */
static const struct {
	const char *text;
	const char *said;
} bad[] = {
	{"", "p.ini: there is no limit in it"},
	{"\n\n# nothing\n", "p.ini: there is no limit in it"},
	{"[policy]\nname = x\n", "p.ini: there is no limit in it"},
	{"[users]\nfiles.hard = none\n", "p.ini: there is no limit in it"},
	{"files.hard = 1\n", "p.ini:1: files.hard stands before any [section]"},
	{"[users]\nfiles = 1\n", "p.ini:2: [users] files: there is no such key; there are inodes"},
	{"[users]\nfile.hard = 1\n", "p.ini:2: [users] file.hard: there is no such key"},
	{"[users]\nfiles.max = 1\n", "p.ini:2: [users] files.max: there is no such key"},
	{"[users]\n\nfiles.hard = 1\nfiles.hard = 2\n",
		"p.ini:4: [users] files.hard: is there twice"},
	{"[users]\nfiles.hard = 1\n[groups]\nfiles.hard = 1\n[users]\nfiles.soft = 1\n",
		"p.ini:5: [users] is there twice"},
	{"[users]\nfiles.hard = 1\n[users]\nfiles.soft = 1\n", "p.ini:3: [users] is there twice"},
	{"[user a]\nfiles.hard = 1\n[user a]\nfiles.soft = 1\n",
		"p.ini:3: [user a] is there twice"},
	{"[user]\nfiles.hard = 1\n",
		"p.ini:1: [user] is no section of a policy; there are [policy]"},
	{"[user ]\nfiles.hard = 1\n", "p.ini:1: [user ] names nobody"},
	{"[people]\nfiles.hard = 1\n", "p.ini:1: [people] is no section of a policy"},
	{"[]\nfiles.hard = 1\n", "p.ini:1: [] is no section of a policy"},
	/* without keys, sections are read all the same */
	{"[users]\nfiles.hard = 1\n[people]\n", "p.ini:3: [people] is no section of a policy"},
	{"[users]\n[users]\nfiles.hard = 1\n", "p.ini:2: [users] is there twice"},
	{"[user a]\n[user  a]\nfiles.hard = 1\n", "p.ini:2: [user  a] is there twice"},
	{"[user 7]\nfiles.hard = 1\n[user 007]\nfiles.soft = 1\n",
		"p.ini:3: [user 007] is there twice"},
	/* what follows a section on its line */
	{"[users] files.hard = 1\n", "p.ini:1: neither a comment, nor [section]"},
	{"[users] # all of them\nfiles.hard = 1\n", "p.ini:1: neither a comment"},
	{"[users]]\nfiles.hard = 1\n", "p.ini:1: [users]] is no section of a policy"},
	{"[user 4294967295]\nfiles.hard = 1\n",
		"p.ini:1: [user 4294967295] 4294967295 is no id: the largest is 4294967294"},
	{"[exempt]\nusers = 1 99999999999999999999\n",
		"p.ini:2: [exempt] users: 99999999999999999999 is no id"},
	{"[users]\rfiles.hard = 1\r", "p.ini:1: byte 8 of the line is 0x0d"},
	{"[users]\nfiles.hard = 1 ;\r;\n", "p.ini:2: byte 17 of the line is 0x0d"},
	{"[users]\nfiles.soft = 2\nfiles.hard = 1\n",
		"p.ini:3: [users] files.soft (line 2) is above files.hard (line 3)"},
	{"[users]\nfiles.hard = 5\n[user a]\nfiles.soft = 9\n",
		"p.ini:4: [user a] files.soft (line 4) is above files.hard (line 2)"},
	{"[user a]\nfiles.soft = 9\n[users]\nfiles.hard = 5\n",
		"p.ini:4: [user a] files.soft (line 2) is above files.hard (line 4)"},
	{"[users]\nfiles.hard = -1\n", "p.ini:2: [users] files.hard: \"-1\" is negative"},
	{"[users]\nfiles.hard =\n", "p.ini:2: [users] files.hard: no value"},
	{"[users]\nfiles.hard = many\n", "\"many\" is not a whole number such as 500k"},
	{"[users]\nfiles.hard = 1.5G\n", "\"1.5G\" is not a whole number"},
	{"[users]\nbytes.hard = 1 apple\n", "\"1 apple\" is not a size such as 500G"},
	{"[users]\nfiles.hard = 9223372036854775808\n",
		"is too large; the most is 9223372036854775807"},
	{"[users]\nfiles.hard = 99999999999999999999\n", "is too large"},
	{"[users]\nbytes.hard = 8E\n", "p.ini:2: [users] bytes.hard: \"8E\" is too large"},
	{"[users]\ntiny_percent.hard = 101\n", "is too large; the most is 100"},
	{"[groups]\nold_files.hard = 1\n",
		"p.ini:2: [groups] old_files.hard: a scan knows the ages"},
	{"[policy]\ngrace = soon\n",
		"p.ini:2: [policy] grace: \"soon\" is not a duration such as 14d"},
	{"[policy]\ngrace = 0s\n", "the grace is less than 1s"},
	{"[policy]\ngrace = 100000000w\n", "more than 68 years"},
	{"[policy]\ngrace = 99999999999999999999d\n", "more than 68 years"},
	{"[policy]\nold_after = 1s\n", "p.ini:2: [policy] old_after: the age is less than 1d"},
	{"[policy]\ncolour = red\n",
		"p.ini:2: [policy] colour: there is no such key; there are name"},
	{"[policy]\nname = a\nname = b\n", "p.ini:3: [policy] name: is there twice"},
	{"[exempt]\nusers = ,\n", "p.ini:2: [exempt] users: \",\" is not names"},
	{"[exempt]\nids_below = 4294967296\n", "is too large; the most is 4294967295"},
	{"[exempt]\nuser = a\n", "p.ini:2: [exempt] user: there is no such key"},
	{"[users]\nfiles.hard = 1\nrubbish\n",
		"p.ini:3: neither a comment, nor [section], nor key = value"},
	{"[users\nfiles.hard = 1\n", "p.ini:1: neither a comment"},
	{"[users]\nfiles.hard = 1\n\x01",
		"p.ini:3: byte 1 of the line is 0x01: this is no text file"},
	{"[users]\nnonsense\n[people]\n", "p.ini:2: neither a comment"}, /* the first */
};

static void check_bad(const char *text, size_t length, const char *said)
{
	struct policy policy;
	struct err err = {0};
	int rc = policy_parse(&policy, text, length, "p.ini", &err);

	if (rc != -EINVAL || !strstr(err.message, said) || strchr(err.message, '\n'))
		fail_msg("%s: %d \"%s\" instead of \"%s\"", text, rc, err.message, said);
}

static void the_bad_are_told_in_one_line(void **state)
{
	static const char nul[] = "[users]\nfiles\0.hard = 1\n";
	char line[400] = "[users]\nfiles.hard = 1";

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
		check_bad(bad[i].text, strlen(bad[i].text), bad[i].said);
	check_bad(nul, sizeof(nul) - 1, "p.ini:2: byte 6 of the line is 0x00");
	memset(line + strlen(line), '0', 300);
	check_bad(line, strlen(line), "p.ini:2: a line of more than");
}

static void garbage_ends_at_once(void **state)
{
	size_t length = 10 << 20;
	autofree char *garbage = malloc(length);
	uint64_t random = 88172645463325252ULL;

	(void)state;
	assert_non_null(garbage);
	for (size_t i = 0; i < length; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		garbage[i] = (char)random;
	}
	check_bad(garbage, length, "p.ini: larger than 1048576 bytes");
	check_bad(garbage, INI_MAX_FILE_BYTES, "p.ini:1: byte ");
	memset(garbage, '[', INI_MAX_FILE_BYTES);
	check_bad(garbage, INI_MAX_FILE_BYTES, "p.ini:1: ");
	for (size_t i = 1; i < INI_MAX_FILE_BYTES; i += 2)
		garbage[i] = '\n';
	check_bad(garbage, INI_MAX_FILE_BYTES, "p.ini:1: neither a comment");
}

static void sections_have_an_end(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	for (int i = 0; i < 10001; i++)
		fprintf(out, "[user %d]\nfiles.hard=1\n", i);
	fclose(out);
	check_bad(text, length,
		"p.ini:20001: [user 10000] is one too many: a policy has at most 10000");
	free(text);
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct policy policy;
	struct err err = {0};

	(void)state;
	assert_int_equal(policy_load(&policy, "/nonexistent/p.ini", &err), -ENOENT);
	assert_non_null(strstr(err.message, "/nonexistent/p.ini"));
	err_clear(&err);
	assert_int_equal(policy_load(&policy, "/", &err), -EISDIR);
}

static void the_built_in_one_is_as_documented(void **state)
{
	struct policy policy;

	(void)state;
	assert_int_equal(policy_init_default(&policy), 0);
	assert_int_equal(soft_files(&policy, 1000, NULL), 500000);
	assert_int_equal(soft_files(&policy, 999, NULL), POLICY_NONE);
	assert_int_equal(policy.limits[OWNER_USER].hard[RULE_FILES], 1000000);
	assert_true(policy.grace_seconds == 14 * 86400.0);
	policy_fini(&policy);
}

static void presets_are_policies_with_a_source(void **state)
{
	static const char *const names[] = {"alliance", "cscs-home", "cscs-store",
		"michigan-data-den", "msu-home", "ncsa-jade", "nersc-home", "stanford-oak",
		"zib-work"};
	const char *top = getenv("top_srcdir");

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		struct policy policy;
		struct err err = {0};
		char path[4096];

		snprintf(path, sizeof(path), "%s/policies/%s.ini", top ? top : ".", names[i]);
		if (policy_load(&policy, path, &err))
			fail_msg("%s", err.message);
		assert_non_null(policy.source);
		assert_int_equal(strncmp(policy.source, "https://", 8), 0);
		assert_string_not_equal(policy.name, path);
		policy_fini(&policy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_read),
		cmocka_unit_test(the_most_special_section_holds),
		cmocka_unit_test(sections_take_any_name),
		cmocka_unit_test(the_exempt_are_told),
		cmocka_unit_test(the_bad_are_told_in_one_line),
		cmocka_unit_test(garbage_ends_at_once),
		cmocka_unit_test(sections_have_an_end),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(the_built_in_one_is_as_documented),
		cmocka_unit_test(presets_are_policies_with_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
