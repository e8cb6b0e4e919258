// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The script that `quota --emit=script` writes. It is made to be read first: it only says what it
 * would do unless run with --apply, saves what it replaces, and takes itself back with --undo.
 *
 * Nothing from the filesystem or the name services gets into it but in two ways: in single quotes,
 * or escaped (base/bytes.h), hence without line ends, in a comment. Owners are set by number,
 * which no name can be mistaken for; names may be missing, may mean somebody else on another
 * machine, or look like a number to xfs_quota. xfs_quota splits a command at blanks, so that no
 * path is part of one: files come and go by redirection.
 */
#include "reports/quota_text.h"

#include "analyzer/policy/enforce.h"
#include "base/bytes.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char letters[OWNER_KINDS] = {
	[OWNER_USER] = 'u',
	[OWNER_GROUP] = 'g',
	[OWNER_PROJECT] = 'p',
};

/* What follows the head, the limits and the timers. */
static const char body[] =
	"usage() {\n"
	"\tprintf 'usage: sh %s [--apply | --undo FOLDER]\\n' \"$0\" >&2\n"
	"\texit 64\n"
	"}\n"
	"\n"
	"fail() {\n"
	"\tprintf '%s\\n' \"$*\" >&2\n"
	"\texit 2\n"
	"}\n"
	"\n"
	"quota() { # COMMAND\n"
	"\txfs_quota -x -c \"$1\" \"$mount\"\n"
	"}\n"
	"\n"
	"act() { # COMMAND: does it, or says it in a dry run\n"
	"\tif [ \"$mode\" = dry ]; then\n"
	"\t\tprintf \"would run: xfs_quota -x -c '%s' %s\\n\" \"$1\" \"$shown\"\n"
	"\telse\n"
	"\t\tquota \"$1\" || failed=$((failed + 1))\n"
	"\tfi\n"
	"}\n"
	"\n"
	"limit() { # KIND ID LIMIT...\n"
	"\tkind=$1 id=$2 settings=''\n"
	"\tshift 2\n"
	"\tfor setting; do\n"
	"\t\t[ \"$mode\" != undo ] || setting=${setting%%=*}=0\n"
	"\t\tsettings=\"$settings $setting\"\n"
	"\tdone\n"
	"\tact \"limit -$kind$settings $id\"\n"
	"}\n"
	"\n"
	"timer() { # KIND FORM SECONDS\n"
	"\tact \"timer -$1 -$2 $3\"\n"
	"}\n"
	"\n"
	"mounted() { # COLUMN: of what is mounted there last, over whatever else is\n"
	"\tfindmnt -n -o \"$1\" --mountpoint \"$mount\" | tail -n 1\n"
	"}\n"
	"\n"
	"check_mount() {\n"
	"\tcommand -v xfs_quota >/dev/null || fail 'xfs_quota is missing: install xfsprogs'\n"
	"\tfound=$(mounted FSTYPE)\n"
	"\t[ -n \"$found\" ] || fail \"nothing is mounted at $shown\"\n"
	"\t[ \"$found\" = xfs ] || fail \"what is mounted at $shown is not XFS, but $found\"\n"
	"\tfound=$(mounted UUID)\n"
	"\t[ -z \"$found\" ] || [ \"$found\" = \"$uuid\" ] ||\n"
	"\t\tfail \"another filesystem is mounted at $shown now: $found\"\n"
	"}\n"
	"\n"
	"state() { # KIND WORD: whether that is ON; what comes last is no part of a name\n"
	"\t[ \"$(quota \"state -$1\" 2>/dev/null | sed -n \"s/^  $2: //p\" | tail -n 1)\" = ON ]\n"
	"}\n"
	"\n"
	"check_state() { # KIND\n"
	"\tif ! state \"$1\" Accounting; then\n"
	"\t\tready=no\n"
	"\t\tprintf 'quota accounting is OFF (state -%s): limits cannot be set. It is a mount "
	"option:\\n' \"$1\"\n"
	"\t\tprintf 'unmount %s and mount it with -o %squota.\\n' \"$shown\" \"$1\"\n"
	"\telif ! state \"$1\" Enforcement; then\n"
	"\t\tprintf 'quota enforcement is OFF (state -%s): limits will be kept, but nobody held "
	"to them.\\n' \"$1\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# The limits and timers of now, into a new folder in the current one.\n"
	"save() {\n"
	"\tsaved=$(mktemp -d ./quota-before.XXXXXX) || fail 'cannot make a folder for the limits "
	"of "
	"now'\n"
	"\tfor kind in $kinds; do\n"
	"\t\tif ! quota \"dump -$kind\" >\"$saved/$kind.dump\" ||\n"
	"\t\t\t! quota \"state -$kind\" >\"$saved/$kind.state\"; then\n"
	"\t\t\tfail 'cannot save the limits of now; nothing was set'\n"
	"\t\tfi\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Timers are told in words, as \"7 days\" or \"0 days 01:30:00\".\n"
	"undo_timer() { # KIND FORM WORD\n"
	"\twas=$(sed -n \"s/^$3 grace time: *//p\" <\"$saved/$1.state\" | tail -n 1 | tr -d '[]')\n"
	"\tcase $was in\n"
	"\t*[0-9]' day' | *[0-9]' days' | *[0-9]' day '*:*:* | *[0-9]' days '*:*:*)\n"
	"\t\ttimer \"$1\" \"$2\" \"$(printf '%s\\n' \"$was\" |\n"
	"\t\t\tawk -F '[ :]' '{ printf \"%.0f\", $1 * 86400 + $3 * 3600 + $4 * 60 + $5 }')\"\n"
	"\t\t;;\n"
	"\t*) printf 'set the timer by hand; it was: %s grace time %s\\n' \"$3\" \"$was\" ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"undo() {\n"
	"\tfor kind in $kinds; do\n"
	"\t\tif ! [ -r \"$saved/$kind.dump\" ] || ! [ -r \"$saved/$kind.state\" ]; then\n"
	"\t\t\tfail \"$saved holds no limits that --apply has saved\"\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tlimits # those set here go; what was there before comes back\n"
	"\tfor kind in $kinds; do\n"
	"\t\tquota \"restore -$kind\" <\"$saved/$kind.dump\" || failed=$((failed + 1))\n"
	"\t\t[ \"$grace\" = none ] || {\n"
	"\t\t\tundo_timer \"$kind\" b Blocks\n"
	"\t\t\tundo_timer \"$kind\" i Inodes\n"
	"\t\t}\n"
	"\tdone\n"
	"}\n"
	"\n"
	"mode=dry saved='' ready=yes failed=0\n"
	"case ${1-} in\n"
	"'') ;;\n"
	"--apply) mode=apply ;;\n"
	"--undo) mode=undo saved=${2-} ;;\n"
	"*) usage ;;\n"
	"esac\n"
	"[ \"$mode\" != undo ] || [ -n \"$saved\" ] || usage\n"
	"check_mount\n"
	"for kind in $kinds; do\n"
	"\tcheck_state \"$kind\"\n"
	"done\n"
	"if [ \"$mode\" = dry ]; then\n"
	"\tlimits\n"
	"\ttimers\n"
	"\tprintf 'This was a dry run: nothing was changed. To act: sh %s --apply\\n' \"$0\"\n"
	"\texit 0\n"
	"fi\n"
	"[ \"$ready\" = yes ] || fail 'nothing was changed'\n"
	"[ \"$(id -u)\" = 0 ] || fail 'only root can set limits: nothing was changed'\n"
	"if [ \"$mode\" = undo ]; then\n"
	"\tundo\n"
	"else\n"
	"\tsave\n"
	"\tlimits\n"
	"\ttimers\n"
	"\tprintf 'The limits of before are in %s. To undo: sh %s --undo %s\\n' \"$saved\" \"$0\" "
	"\"$saved\"\n"
	"fi\n"
	"[ \"$failed\" = 0 ] || fail \"$failed commands of xfs_quota failed\"\n";

struct script {
	const struct report_input *input;
	const struct policy_evaluation *evaluation;
	FILE *out;
	bool kinds[OWNER_KINDS]; /* for which there are limits */
	bool inodes_soft[OWNER_KINDS];
	bool bytes_soft[OWNER_KINDS];
};

static int write_quoted(const struct script *script, const char *variable, const char *text)
{
	autofree char *quoted = quota_shell_quote(text);

	if (!quoted)
		return -ENOMEM;
	fprintf(script->out, "%s=%s\n", variable, quoted);
	return 0;
}

/* Limits hold for the whole filesystem, whatever was counted. */
static int write_scope(const struct script *script)
{
	const struct scan_info *scan = script->input->scan;
	autofree char *path = scan->whole_filesystem ? NULL : report_place(scan);

	if (scan->whole_filesystem)
		return 0;
	if (!path)
		return -ENOMEM;
	fprintf(script->out,
		"# The scan was of the tree %s alone:\n"
		"# what owners have elsewhere was not counted, and counts against these "
		"limits.\n#\n",
		path);
	return 0;
}

static int write_head(const struct script *script)
{
	const struct scan_info *scan = script->input->scan;
	const struct policy *policy = script->evaluation->policy;
	autofree char *mount = bytes_escape(scan->mount_point, strlen(scan->mount_point));
	autofree char *name = bytes_escape(policy->name, strlen(policy->name));
	char time[LABEL_BYTES];

	if (!mount || !name)
		return -ENOMEM;
	fprintf(script->out,
		"#!/bin/sh\n"
		"# Quota limits on %s, as the policy %s wants them.\n"
		"# Written by xfscensus from scan %" PRId64 " of %s. Read it before you run it:\n"
		"#\n"
		"#   sh SCRIPT                dry run: checks, and says what it would do\n"
		"#   sh SCRIPT --apply        saves the limits of now in a folder, then sets "
		"these\n"
		"#   sh SCRIPT --undo FOLDER  takes these back and restores what FOLDER holds\n"
		"#\n"
		"# Only owners of that scan get limits. XFS counts inodes of all kinds, "
		"directories\n"
		"# and links too. Bytes have no suffix here. Root is never limited.\n"
		"#\n",
		mount, name, scan->scan_id, report_time(scan->started_seconds, time));
	if (write_scope(script))
		return -ENOMEM;
	fprintf(script->out, "# Names are quoted, whatever is in them.\n"
			     "# shellcheck disable=SC1003,SC2016\n"
			     "set -u\n"
			     "export LC_ALL=C\n\n");
	return 0;
}

/* A name as it is shown: escaped, and quoted where a shell that it is pasted to might act on it. */
static char *shown_name(const char *name)
{
	static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789/._-+,:@%";
	char *escaped = bytes_escape(name, strlen(name)), *quoted;

	if (!escaped || !escaped[strspn(escaped, harmless)])
		return escaped;
	quoted = quota_shell_quote(escaped);
	free(escaped);
	return quoted;
}

static int write_settings(const struct script *script)
{
	const struct scan_info *scan = script->input->scan;
	autofree char *shown = shown_name(scan->mount_point);
	char kinds[2 * OWNER_KINDS + 1] = "";
	int rc = write_quoted(script, "mount", scan->mount_point);

	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		size_t used = strlen(kinds);

		if (script->kinds[kind])
			snprintf(kinds + used, sizeof(kinds) - used, "%s%c", used ? " " : "",
				letters[kind]);
	}
	if (!rc)
		rc = shown ? write_quoted(script, "shown", shown) : -ENOMEM;
	if (!rc)
		rc = write_quoted(script, "uuid", scan->fs_id);
	if (!rc)
		rc = write_quoted(script, "kinds", kinds);
	fprintf(script->out, "grace='%s'\n",
		script->evaluation->policy->grace_seconds > 0 ? "set" : "none");
	return rc;
}

static void write_setting(const struct script *script, const char *name, uint64_t limit)
{
	if (limit)
		fprintf(script->out, " %s=%" PRIu64, name, limit);
}

/* "limit u 2041 isoft=500000 ihard=1000000 # alice: 13.1 M inodes, 31 GiB; over hard" */
static int write_limit(const struct script *script, const struct policy_verdict *verdict,
	const struct quota_limits *limits)
{
	const struct policy_owner *owner = &verdict->owner;
	autofree char *label =
		report_owner_label(script->input->options, owner->kind, owner->id, NULL);
	char inodes[LABEL_BYTES], bytes[LABEL_BYTES];

	if (!label)
		return -ENOMEM;
	fprintf(script->out, "\tlimit %c %" PRIu32, letters[owner->kind], owner->id);
	write_setting(script, "isoft", limits->inodes_soft);
	write_setting(script, "ihard", limits->inodes_hard);
	write_setting(script, "bsoft", limits->bytes_soft);
	write_setting(script, "bhard", limits->bytes_hard);
	fprintf(script->out, " # %s: %s, %s; %s%s\n", label,
		report_plural(owner->inodes, "inode", "inodes", inodes),
		quota_amount(RULE_ALLOCATED_BYTES, owner->allocated_bytes, false, bytes),
		verdict->state == STATE_OK ? "" : "over ", policy_state_name(verdict->state));
	return 0;
}

static int write_limits(struct script *script)
{
	const struct policy_evaluation *evaluation = script->evaluation;
	int rc = 0;

	fprintf(script->out, "\nlimits() {\n");
	for (size_t i = 0; i < evaluation->count && !rc; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];
		struct quota_limits limits;

		if (!policy_enforceable(verdict, &limits))
			continue;
		script->inodes_soft[verdict->owner.kind] |= limits.inodes_soft > 0;
		script->bytes_soft[verdict->owner.kind] |= limits.bytes_soft > 0;
		rc = write_limit(script, verdict, &limits);
	}
	fprintf(script->out, "}\n");
	return rc;
}

static void write_timers(const struct script *script)
{
	double grace_seconds = script->evaluation->policy->grace_seconds;

	fprintf(script->out, "\ntimers() {\n\t: # from the soft limit to refusal\n");
	for (int kind = 0; kind < OWNER_KINDS && grace_seconds > 0; kind++) {
		if (script->inodes_soft[kind])
			fprintf(script->out, "\ttimer %c i %.0f\n", letters[kind], grace_seconds);
		if (script->bytes_soft[kind])
			fprintf(script->out, "\ttimer %c b %.0f\n", letters[kind], grace_seconds);
	}
	fprintf(script->out, "}\n\n");
}

/* What the policy asks for and XFS does not know. */
static void write_unenforced(const struct script *script)
{
	static const enum policy_rule rules[] = {
		RULE_TINY_FILES, RULE_TINY_PERCENT, RULE_OLD_FILES, RULE_OLD_BYTES};
	const struct policy_evaluation *evaluation = script->evaluation;

	for (size_t r = 0; r < ARRAY_LENGTH(rules); r++) {
		for (size_t i = 0; i < evaluation->count; i++) {
			struct policy_finding finding;

			if (!policy_finding_of(&evaluation->verdicts[i], rules[r], &finding))
				continue;
			fprintf(script->out,
				"# XFS cannot enforce the policy's limits on %s: see xfscensus "
				"quota.\n",
				policy_rule_name(rules[r]));
			break;
		}
	}
}

int quota_write_script(const struct report_input *input, const struct policy_evaluation *evaluation,
	FILE *out, struct err *err)
{
	struct script script = {.input = input, .evaluation = evaluation, .out = out};
	const char *mount_point = input->scan->mount_point;
	int rc = quota_check_xfs(input->scan, err);

	if (rc)
		return rc;
	quota_restore_kinds(evaluation, script.kinds);
	if (!script.kinds[OWNER_USER] && !script.kinds[OWNER_GROUP] && !script.kinds[OWNER_PROJECT])
		return quota_nothing_to_enforce(evaluation, err);
	if (!mount_point || mount_point[0] != '/')
		return err_set(err, -ENODATA,
			"scan %" PRId64 " is of a filesystem that was not mounted: scan it where "
			"it is, and limits can be set there",
			input->scan->scan_id);
	rc = write_head(&script);
	if (!rc)
		rc = write_settings(&script);
	if (!rc)
		rc = write_limits(&script);
	if (rc)
		return err_set(err, rc, "out of memory");
	write_timers(&script);
	write_unenforced(&script);
	fputs(body, out);
	return 0;
}
