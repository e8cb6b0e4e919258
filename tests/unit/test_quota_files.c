// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `quota` shows and writes, byte by byte as in golden files (golden.h). That a script with
 * hostile names does no harm is tested by running it, in tests/integration/quota.sh.
 */
#include "tests/unit/test.h"

#include "base/bytes.h"
#include "base/cleanup.h"
#include "reports/quota.h"
#include "reports/render.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_fixture.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char policy_text[] =
	"[policy]\nname = golden <'\"$(x)`>\nsource = https://example.org/\ngrace = 14d\n"
	"[exempt]\nids_below = 2\n"
	"[users]\nfiles.soft = 1\nfiles.hard = 3\ntiny_percent.soft = 50\n"
	"[user 2177]\nfiles.hard = 20M\nallocated_bytes.soft = 1G\n"
	"[groups]\nfiles_per_tb.hard = 1M\n";

struct scene {
	struct fixture fixture;
	struct policy policy;
	struct policy_material material;
	struct quota_side side;
	struct policy_usage *usage;
	struct policy_usages usages;
	struct quota_findings findings;
};

static void scene_init(struct scene *scene, const char *name)
{
	struct policy_evaluation *evaluation = &scene->side.evaluation;
	struct err err = {0};

	memset(scene, 0, sizeof(*scene));
	fixture_init(&scene->fixture, name);
	if (policy_parse(&scene->policy, policy_text, strlen(policy_text), "p", &err))
		fail_msg("%s", err.message);
	scene->material = (struct policy_material){
		.cube = &scene->fixture.cube,
		.ages = &scene->fixture.ages,
		.tiny_bytes = scene->fixture.scan.tiny_bytes,
		.block_bytes = 4096,
	};
	assert_int_equal(policy_evaluate(&scene->policy, &scene->material, evaluation), 0);
	scene->side.has_after = true;
	scene->side.after_seconds = 5999;
	scene->usage = calloc(evaluation->count + 1, sizeof(*scene->usage));
	for (size_t i = 0; i < evaluation->count; i++)
		scene->usage[i] = (struct policy_usage){.known = i % 2,
			.inodes = evaluation->verdicts[i].owner.inodes + i / 2,
			.allocated_bytes = evaluation->verdicts[i].owner.allocated_bytes,
			.bytes_soft = 1024,
			.bytes_hard = 1 << 20,
			.inodes_soft = 9,
			.realtime_bytes_hard = 5120};
	scene->usages = (struct policy_usages){.present = true,
		.accounted = {[OWNER_USER] = true},
		.enforced = {[OWNER_USER] = true},
		.count = evaluation->count,
		.usages = scene->usage};
	scene->findings = (struct quota_findings){
		.count = 1,
		.sides = &scene->side,
		.has_before = true,
		.before_seconds = 65640,
		.usages = &scene->usages,
	};
	scene->fixture.options.top = 12;
}

static void scene_fini(struct scene *scene)
{
	free(scene->usage);
	policy_evaluation_fini(&scene->side.evaluation);
	policy_fini(&scene->policy);
	fixture_fini(&scene->fixture);
}

/* --- What is written, as one text ------------------------------------------------------------- */

static void write_report(
	const struct scene *scene, enum render_format format, bool exact, FILE *out)
{
	const struct render_options options = {.format = format, .exact = exact, .width = 100};
	struct quota_findings findings = scene->findings;
	struct document document;
	struct err err = {0};

	findings.exact = exact;
	findings.everyone = format != RENDER_TEXT;
	if (report_quota(&scene->fixture.input, &findings, &document, &err))
		fail_msg("%s", err.message);
	assert_int_equal(render_document(&document, &options, out), 0);
	document_fini(&document);
}

static void write_suggestion(const struct scene *scene, FILE *out)
{
	static const struct policy_suggestion suggestion = {
		.before_seconds = 65640,
		.reachable = true,
		.best = {9500000, 2, 5000000, 28799},
		.count = 3,
		.points = {{13000000, 0, 0, 65640}, {9500000, 2, 5000000, 28799},
			{0, 212, 24000000, 5000}},
		.best_at = 1,
	};
	struct policy_suggestion nothing = suggestion;
	struct document document;
	struct err err = {0};

	nothing.reachable = false;
	nothing.best = nothing.points[2];
	nothing.best_at = 2;
	for (int format = RENDER_TEXT; format <= RENDER_CSV; format++) {
		const struct render_options options = {.format = format};

		assert_int_equal(report_quota_suggest(&scene->fixture.input, RULE_TINY_FILES, 28800,
					 false, format ? &suggestion : &nothing, &document, &err),
			0);
		assert_int_equal(render_document(&document, &options, out), 0);
		document_fini(&document);
	}
}

static void write_mails(const struct scene *scene, FILE *out)
{
	const struct policy_evaluation *evaluation = &scene->side.evaluation;
	size_t written = 0;

	for (size_t i = 0; i < evaluation->count && written < 4; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];
		autofree char *file = NULL;

		if (!quota_wants_mail(verdict))
			continue;
		file = quota_mail_file(&scene->fixture.options, verdict->owner.id, false);
		assert_non_null(file);
		fprintf(out, "-- %s --\n", file);
		assert_int_equal(quota_write_mail(&scene->fixture.input, &scene->policy, verdict,
					 scene->fixture.scan.started_seconds + 86400, out),
			0);
		written++;
	}
}

static char *write_everything(const char *name)
{
	struct scene scene;
	struct err err = {0};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	scene_init(&scene, name);
	fputs("== text ==\n", out);
	write_report(&scene, RENDER_TEXT, false, out);
	fputs("== exact text ==\n", out);
	write_report(&scene, RENDER_TEXT, true, out);
	fputs("== json ==\n", out);
	write_report(&scene, RENDER_JSON, false, out);
	fputs("== suggest ==\n", out);
	write_suggestion(&scene, out);
	fputs("== script ==\n", out);
	assert_int_equal(
		quota_write_script(&scene.fixture.input, &scene.side.evaluation, out, &err), 0);
	for (int kind = OWNER_USER; kind <= OWNER_GROUP; kind++) {
		fprintf(out, "== %s restore ==\n", policy_kind_name(kind));
		assert_int_equal(quota_write_restore(&scene.fixture.input, &scene.side.evaluation,
					 kind ? NULL : &scene.usages, kind, out, &err),
			0);
	}
	fputs("== mail ==\n", out);
	write_mails(&scene, out);
	fclose(out);
	scene_fini(&scene);
	return text;
}

/* --- Golden files ----------------------------------------------------------------------------- */

static void check_golden(const char *name)
{
	autofree char *text = write_everything(name);

	golden_check(name, "quota.txt", text);
}

static void an_array_is_as_it_was(void **state)
{
	(void)state;
	check_golden("array");
}

static void odd_names_are_as_they_were(void **state)
{
	(void)state;
	check_golden("odd");
}

/* --- What must hold of each ------------------------------------------------------------------- */

/* Not inlined: gcc takes what open_memstream() fills in for a pointer to the variable itself. */
__attribute__((noinline)) static char *script_of(const struct scene *scene)
{
	struct err err = {0};
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(
		quota_write_script(&scene->fixture.input, &scene->side.evaluation, out, &err), 0);
	fclose(out);
	return text;
}

/* Every line between "limits() {" and "}" is one call with numbers, and a comment. */
static void a_limit_is_a_line_of_numbers(void **state)
{
	struct scene scene;
	char *text, *rest, *line;
	size_t lines = 0;

	(void)state;
	scene_init(&scene, "odd");
	text = script_of(&scene);
	assert_non_null(text);
	rest = strstr(text, "\nlimits() {\n");
	assert_non_null(rest);
	rest += strlen("\nlimits() {\n");
	while ((line = strsep(&rest, "\n")) && strcmp(line, "}") != 0) {
		char *comment = strchr(line, '#');

		assert_non_null(comment);
		assert_int_equal(strncmp(line, "\tlimit ", 7), 0);
		assert_true(
			strspn(line, "\tlimt ugpsohardf=b0123456789e") >= (size_t)(comment - line));
		assert_null(strstr(line, " u 0 "));
		lines++;
	}
	assert_true(lines > 3);
	scene_fini(&scene);
	free(text);
}

static void what_cannot_be_written_says_why(void **state)
{
	struct scene scene;
	struct err err = {0};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	scene_init(&scene, "one");
	scene.fixture.scan.path = strdup("/image");
	assert_int_equal(
		quota_write_script(&scene.fixture.input, &scene.side.evaluation, out, &err),
		-ENODATA);
	assert_non_null(strstr(err.message, "was not mounted"));
	err_clear(&err);
	assert_int_equal(quota_write_restore(&scene.fixture.input, &scene.side.evaluation, NULL,
				 OWNER_PROJECT, out, &err),
		-ENODATA);
	assert_non_null(strstr(err.message, "could enforce"));
	err_clear(&err);
	free(scene.fixture.scan.device);
	scene.fixture.scan.device = strdup("/dev/x\n0 0 0 0 0");
	assert_int_equal(quota_write_restore(&scene.fixture.input, &scene.side.evaluation, NULL,
				 OWNER_USER, out, &err),
		-ENODATA);
	assert_non_null(strstr(err.message, "cannot hold"));
	err_clear(&err);
	strcpy(scene.fixture.scan.fs_type, "ext4");
	assert_int_equal(
		quota_write_script(&scene.fixture.input, &scene.side.evaluation, out, &err),
		-ENODATA);
	assert_non_null(strstr(err.message, "is of ext4"));
	fclose(out);
	scene_fini(&scene);
	free(text);
}

/* A line of a restore file replaces all limits: those that were not told must not become none. */
static void limits_that_are_not_told_are_not_replaced(void **state)
{
	struct scene scene;
	struct err err = {0};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	scene_init(&scene, "array");
	for (size_t i = 0; i < scene.usages.count; i++)
		scene.usage[i].error = -EPERM;
	assert_int_equal(quota_write_restore(&scene.fixture.input, &scene.side.evaluation,
				 &scene.usages, OWNER_USER, out, &err),
		-EPERM);
	assert_non_null(strstr(err.message, "cannot be asked for, which may take root"));
	fclose(out);
	scene_fini(&scene);
	free(text);
}

/* Texts go out by mail: no line of ours is longer than what a reply still has room for. */
static void mail_fits_a_mail(void **state)
{
	static const char policy[] =
		"[policy]\ngrace=14d\ntiny_percent_from=1\n[exempt]\nids_below=1\n[users]\n"
		"inodes.soft=1\ninodes.hard=2\nfiles.soft=1\ntiny_files.soft=1\n"
		"bytes.soft=1\nallocated_bytes.soft=1\nfiles_per_tb.soft=1\n"
		"tiny_percent.soft=1\nold_files.soft=0\nold_bytes.soft=0\n";
	struct policy_evaluation evaluation;
	struct scene scene;
	struct err err = {0};
	char *text = NULL, *rest, *line;
	size_t length, lines = 0;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	scene_init(&scene, "array");
	policy_fini(&scene.policy);
	if (policy_parse(&scene.policy, policy, strlen(policy), "p", &err))
		fail_msg("%s", err.message);
	assert_int_equal(policy_evaluate(&scene.policy, &scene.material, &evaluation), 0);
	for (size_t i = 0; i < evaluation.count; i++) {
		evaluation.verdicts[i].state = i % 2 ? STATE_SOFT : STATE_HARD;
		assert_int_equal(quota_write_mail(&scene.fixture.input, &scene.policy,
					 &evaluation.verdicts[i], 0, out),
			0);
	}
	fclose(out);
	for (rest = text; (line = strsep(&rest, "\n")); lines++) {
		if (strlen(line) > 76 && !strchr(line, '/'))
			fail_msg("%zu bytes: %s", strlen(line), line);
	}
	assert_true(lines > 50);
	policy_evaluation_fini(&evaluation);
	scene_fini(&scene);
	free(text);
}

static char *given_name(enum owner_kind kind, uint32_t id, void *context)
{
	(void)kind;
	(void)id;
	return strdup(context);
}

static void mail_goes_into_files_of_harmless_names(void **state)
{
	static const struct {
		char name[80];
		const char *file;
	} names[] = {
		{"alice", "alice.txt"},
		{"a.b-c_D9", "a.b-c_D9.txt"},
		{"", "uid-7.txt"},
		{"..", "uid-7.txt"},
		{".hidden", "uid-7.txt"},
		{"-rf", "uid-7.txt"},
		{"../../etc/passwd", "uid-7.txt"},
		{"a b", "uid-7.txt"},
		{"line\nend", "uid-7.txt"},
		{"uid-9", "uid-7.txt"},
		{"J\xc3\xbcrgen", "uid-7.txt"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			"uid-7.txt"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		char name[80];
		const struct report_options options = {
			.owner_name = given_name, .context = memcpy(name, names[i].name, 80)};
		autofree char *file = quota_mail_file(&options, 7, false);
		autofree char *numbered = quota_mail_file(&options, 7, true);

		assert_string_equal(file, names[i].file);
		assert_string_equal(numbered, "uid-7.txt");
	}
}

static void without_a_window_it_says_why(void **state)
{
	struct scene scene;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	scene_init(&scene, "one");
	scene.findings.has_before = false;
	scene.findings.no_window = "nobody measured";
	scene.side.has_after = false;
	scene.usages = (struct policy_usages){.why = "not mounted"};
	write_report(&scene, RENDER_TEXT, false, out);
	write_report(&scene, RENDER_JSON, false, out);
	fclose(out);
	assert_non_null(strstr(text, "No backup window: nobody measured."));
	assert_non_null(strstr(text, "\"window_seconds_before\": null"));
	assert_non_null(strstr(text, "\"window_seconds_after\": null"));
	assert_non_null(strstr(text, "\"window_unknown\": \"nobody measured\""));
	assert_non_null(strstr(text, "accounts for it: not mounted."));
	scene_fini(&scene);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_is_as_it_was),
		cmocka_unit_test(odd_names_are_as_they_were),
		cmocka_unit_test(a_limit_is_a_line_of_numbers),
		cmocka_unit_test(what_cannot_be_written_says_why),
		cmocka_unit_test(limits_that_are_not_told_are_not_replaced),
		cmocka_unit_test(mail_fits_a_mail),
		cmocka_unit_test(mail_goes_into_files_of_harmless_names),
		cmocka_unit_test(without_a_window_it_says_why),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
