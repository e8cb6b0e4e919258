// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus quota [suggest]`: policies, whom they hit and what they bring. */
#include "analyzer/policy/suggest.h"
#include "cli/command.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/quota_emit.h"
#include "cli/quota_material.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum emit { EMIT_SCRIPT, EMIT_RESTORE, EMIT_MAIL, EMIT_NOTHING };

static const char *const emissions[] = {"script", "restore", "mail", NULL};

struct quota_args {
	struct common_args common;
	struct selection_args selection;
	struct option_texts policies;
	int emit; /* enum emit */
	bool everyone;
	const char *sort;
	uint64_t top;          /* OPTION_NOT_GIVEN */
	double window_seconds; /* suggest; 0: not given */
	const char *rule;      /* suggest */
};

static const struct option_spec options[] = {
	SELECTION_OPTIONS(struct quota_args, selection),
	{.name = "policy",
		.type = OPTION_TEXTS,
		.offset = offsetof(struct quota_args, policies),
		.value = "FILE|PRESET",
		.help = "the policy to hold the scan against; several times: side by side; "
			"without it, 500k files soft and 1M hard for each user"},
	{.name = "emit",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct quota_args, emit),
		.value = "script|restore|mail",
		.choices = emissions,
		.help = "instead of the result write a script that sets the limits; limits for "
			"xfs_quota's restore; or, to the folder that --output names, a text to "
			"each user over a limit"},
	{.name = "all",
		.type = OPTION_FLAG,
		.offset = offsetof(struct quota_args, everyone),
		.help = "show those who are within, too, as JSON and CSV do"},
	{.name = "sort",
		.type = OPTION_TEXT,
		.offset = offsetof(struct quota_args, sort),
		.value = "COLUMN",
		.help = "order by that column, named as in JSON, instead of the worst first"},
	{.name = "top",
		.type = OPTION_COUNT,
		.offset = offsetof(struct quota_args, top),
		.value = "N",
		.max = 1000000000,
		.help = "show the first N rows, 0 for all; by default all, but 20 in text"},
	{.name = "window",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct quota_args, window_seconds),
		.value = "DURATION",
		.help = "suggest: the backup window to reach, such as 8h"},
	{.name = "rule",
		.type = OPTION_TEXT,
		.offset = offsetof(struct quota_args, rule),
		.value = "RULE",
		.help = "suggest: what to limit, tiny_files by default; files, inodes, bytes or "
			"allocated_bytes"},
	{0},
};

/* Rows shown in text unless --top says otherwise. */
#define ROWS_ON_A_SCREEN 20

static void defaults(void *args)
{
	struct quota_args *quota = args;

	quota->emit = EMIT_NOTHING;
	quota->top = OPTION_NOT_GIVEN;
}

static enum exit_status check_usage(const struct quota_args *args, bool suggest, struct err *err)
{
	if (args->selection.scan && args->selection.fs)
		return command_usage_error(err, "--scan and --fs: name one of them, not both");
	if (!suggest && (args->window_seconds > 0 || args->rule))
		return command_usage_error(err, "--window and --rule are for quota suggest");
	if (suggest && args->emit != EMIT_NOTHING)
		return command_usage_error(err, "quota suggest emits nothing: put the limit into a "
						"policy, then quota --policy=FILE --emit=…");
	if (suggest && (args->everyone || args->sort || args->top != OPTION_NOT_GIVEN))
		return command_usage_error(
			err, "--all, --sort and --top are not for quota suggest");
	if (args->emit != EMIT_NOTHING &&
		(args->everyone || args->sort || args->top != OPTION_NOT_GIVEN))
		return command_usage_error(err, "--all, --sort and --top are not for --emit, which "
						"writes for everybody concerned");
	if (suggest && !(args->window_seconds > 0))
		return command_usage_error(
			err, "quota suggest wants the window to reach: --window=8h");
	if ((suggest || args->emit != EMIT_NOTHING) && args->policies.count > 1)
		return command_usage_error(err, "several policies are for showing them side by "
						"side only");
	if (args->emit == EMIT_MAIL && !args->common.output)
		return command_usage_error(
			err, "--emit=mail writes files: name their folder by --output");
	return STATUS_CLEAN;
}

static struct report_input make_input(
	const struct quota_material *material, const struct report_options *report_options)
{
	return (struct report_input){
		.scan = &material->selection.scan,
		.cube = &material->selection.cube,
		.ages = &material->ages,
		.directories = &material->directories,
		.options = report_options,
	};
}

/* --- quota ------------------------------------------------------------------------------------ */

struct evaluated {
	size_t count;
	struct quota_side sides[OPTION_TEXTS_MAX];
	struct err no_after[OPTION_TEXTS_MAX];
	struct policy_usages usages;
	struct err no_usages;
};

static void evaluated_fini(struct evaluated *evaluated)
{
	while (evaluated->count)
		policy_evaluation_fini(&evaluated->sides[--evaluated->count].evaluation);
	quota_usages_fini(&evaluated->usages);
}

static int evaluate_one(const struct quota_material *material, const struct policy *policy,
	struct quota_side *side, struct err *no_after, struct err *err)
{
	int rc = policy_evaluate(policy, &material->policy, &side->evaluation);

	if (rc)
		return err_set(err, rc, "out of memory");
	if (!material->selection.has_prediction)
		return 0;
	rc = policy_window_after(&material->policy, &side->evaluation, &material->basis,
		&side->after_seconds, no_after);
	side->has_after = !rc;
	side->no_after = rc ? no_after->message : NULL;
	return rc == -ENOMEM ? err_set(err, rc, "out of memory") : 0;
}

static int evaluate(const struct quota_material *material, const struct policy *policies,
	size_t count, struct evaluated *evaluated, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		rc = evaluate_one(
			material, &policies[i], &evaluated->sides[i], &evaluated->no_after[i], err);
		evaluated->count++;
	}
	if (!rc)
		rc = quota_usages_ask(&material->selection.scan, &evaluated->sides[0].evaluation,
			&evaluated->usages, &evaluated->no_usages, err);
	return rc;
}

static int show(const struct quota_args *args, const struct quota_material *material,
	const struct report_input *input, const struct evaluated *evaluated, struct err *err)
{
	const struct quota_findings findings = {
		.count = evaluated->count,
		.sides = evaluated->sides,
		.has_before = material->selection.has_prediction,
		.before_seconds = material->selection.prediction.seconds,
		.no_window = material->no_window.message,
		.everyone = args->everyone || args->common.format == FORMAT_JSON ||
			    args->common.format == FORMAT_CSV,
		.exact = args->common.bytes,
		.usages = &evaluated->usages,
	};
	struct document document;
	int rc = report_quota(input, &findings, &document, err);

	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

/* A restore file replaces all limits of an owner, also those that could not be asked for. */
static void note_what_is_lost(const struct quota_args *args, const struct evaluated *evaluated)
{
	static const char lost[] = "limits that the policy says nothing of are written as none";
	const struct policy_usages *usages = &evaluated->usages;
	bool kinds[OWNER_KINDS];

	if (usages->why)
		output_note(&args->common,
			"before you restore: %s; so the device may be another's, and %s",
			usages->why, lost);
	quota_restore_kinds(&evaluated->sides[0].evaluation, kinds);
	for (int kind = 0; kind < OWNER_KINDS && usages->present; kind++) {
		if (kinds[kind] && !usages->accounted[kind])
			output_note(&args->common,
				"before you restore: %s quota accounting is off; it has to be on "
				"by "
				"then, and %s",
				policy_kind_name(kind), lost);
	}
}

static int emit(const struct quota_args *args, const struct report_input *input,
	const struct evaluated *evaluated, struct err *err)
{
	const struct quota_emission emission = {
		.input = input,
		.evaluation = &evaluated->sides[0].evaluation,
		.usages = &evaluated->usages,
		.output = args->common.output,
	};
	size_t written;
	int rc;

	if (args->emit == EMIT_SCRIPT)
		return quota_emit_script(&emission, err);
	if (args->emit == EMIT_RESTORE) {
		rc = quota_emit_restore(&emission, err);
		if (!rc)
			note_what_is_lost(args, evaluated);
		return rc;
	}
	rc = quota_emit_mail(&emission, &written, err);
	if (!rc)
		output_note(&args->common, "wrote %zu %s to %s; nothing was sent", written,
			written == 1 ? "text" : "texts", args->common.output);
	return rc;
}

static int run_quota(const struct quota_args *args, const struct quota_material *material,
	const struct policy *policies, size_t count, struct err *err)
{
	const struct report_options report_options = {
		.owner_name = names_lookup,
		.sort = args->sort,
		.top = args->top != OPTION_NOT_GIVEN        ? args->top
		       : args->common.format == FORMAT_TEXT ? ROWS_ON_A_SCREEN
							    : 0,
	};
	const struct report_input input = make_input(material, &report_options);
	struct evaluated *evaluated = calloc(1, sizeof(*evaluated));
	int rc;

	if (!evaluated)
		return err_set(err, -ENOMEM, "out of memory");
	rc = evaluate(material, policies, count, evaluated, err);
	if (!rc)
		rc = args->emit == EMIT_NOTHING ? show(args, material, &input, evaluated, err)
						: emit(args, &input, evaluated, err);
	evaluated_fini(evaluated);
	free(evaluated);
	return rc;
}

/* --- quota suggest ---------------------------------------------------------------------------- */

static int suggest(const struct quota_args *args, enum policy_rule rule,
	const struct quota_material *material, const struct policy *policy, struct err *err)
{
	const struct report_options report_options = {.owner_name = names_lookup};
	const struct report_input input = make_input(material, &report_options);
	struct policy_suggestion suggestion;
	struct document document;
	int rc;

	if (!material->selection.has_prediction)
		return err_set(err, -ENODATA,
			"without a backup window there is no limit to "
			"suggest: %s",
			material->no_window.message);
	rc = policy_suggest(policy, &material->policy, &material->basis, rule, args->window_seconds,
		&suggestion, err);
	if (rc)
		return rc;
	rc = report_quota_suggest(&input, rule, args->window_seconds, args->common.bytes,
		&suggestion, &document, err);
	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

static int parse_rule(const struct quota_args *args, enum policy_rule *rule, struct err *err)
{
	*rule = RULE_TINY_FILES;
	if (!args->rule || (!policy_rule_parse(args->rule, strlen(args->rule), rule) &&
				   policy_rule_is_amount(*rule)))
		return 0;
	return err_set(err, -EINVAL,
		"--rule: \"%s\" is none of tiny_files, files, inodes, bytes, allocated_bytes",
		args->rule);
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct quota_args *args = arguments;
	struct policy policies[OPTION_TEXTS_MAX];
	struct quota_material material;
	enum policy_rule rule;
	int rc, count;

	if (operands[0] && strcmp(operands[0], "suggest") != 0)
		return command_usage_error(err,
			"there is no quota \"%s\"; there are quota and quota suggest", operands[0]);
	if (check_usage(args, operands[0], err))
		return STATUS_USAGE;
	if (parse_rule(args, &rule, err))
		return STATUS_USAGE;
	count = quota_policies_load(&args->policies, policies, err);
	if (count < 0)
		return STATUS_FAILED;
	rc = quota_material_load(&material, &args->common, &args->selection, err);
	if (!rc) {
		rc = operands[0] ? suggest(args, rule, &material, &policies[0], err)
				 : run_quota(args, &material, policies, (size_t)count, err);
		quota_material_fini(&material);
	}
	while (count)
		policy_fini(&policies[--count]);
	return !rc ? STATUS_CLEAN : rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
}

const struct command command_quota = {
	.name = "quota",
	.summary = "hold a scan against a quota policy: who is over, and what keeping it brings",
	.operands = "[suggest]",
	.max_operands = 1,
	.options = options,
	.args_bytes = sizeof(struct quota_args),
	.defaults = defaults,
	.run = run,
};
