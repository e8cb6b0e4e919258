// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The texts that `quota --emit=mail` writes, one for each user over a limit. They go to people who
 * did not ask for them, so they say what, where, what to do and by when, and nothing else.
 */
#include "reports/directory_view.h"
#include "reports/quota_text.h"

#include "analyzer/census/hot_trees.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_TREES      5
#define MAX_NAME_BYTES 64
#define NUMBERED       "uid-"

#define HARMLESS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* Harmless as a file name, and no name that stands for a number. */
static bool is_file_name(const char *name)
{
	size_t length = strlen(name);

	return length && length <= MAX_NAME_BYTES && strspn(name, HARMLESS) == length &&
	       name[0] != '.' && name[0] != '-' && strncmp(name, NUMBERED, strlen(NUMBERED)) != 0;
}

char *quota_mail_file(const struct report_options *options, uint32_t uid)
{
	autofree char *name = NULL;
	char *file;
	int length;

	if (options->owner_name)
		name = options->owner_name(OWNER_USER, uid, options->context);
	if (name && is_file_name(name))
		length = asprintf(&file, "%s.txt", name);
	else
		length = asprintf(&file, NUMBERED "%" PRIu32 ".txt", uid);
	return length < 0 ? NULL : file;
}

/* "2026-12-14" */
static const char *date(double seconds, char out[LABEL_BYTES])
{
	time_t time = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&time, &tm) || !strftime(out, LABEL_BYTES, "%Y-%m-%d", &tm))
		snprintf(out, LABEL_BYTES, "an unknown day");
	return out;
}

static void write_limits(const struct policy_verdict *verdict, FILE *out)
{
	for (int rule = 0; rule < POLICY_RULES; rule++) {
		struct policy_finding finding;
		char value[LABEL_BYTES], limit[LABEL_BYTES], excess[LABEL_BYTES];

		if (!policy_finding_of(verdict, rule, &finding) || finding.state == STATE_OK)
			continue;
		fprintf(out, "  %s: %s, the %s limit is %s; %s to go\n", policy_rule_name(rule),
			quota_amount(rule, finding.value, false, value),
			policy_state_name(finding.state),
			quota_amount(rule, finding.limit, false, limit),
			quota_amount(rule, policy_excess(&finding), false, excess));
	}
}

static void write_holding(const struct policy_owner *owner, const struct scan_info *scan, FILE *out)
{
	char inodes[LABEL_BYTES], files[LABEL_BYTES], tiny[UNIT_TEXT_BYTES];
	char bytes[UNIT_TEXT_BYTES], edge[UNIT_TEXT_BYTES];

	fprintf(out,
		"\nYou have %s, %s of them below %s, with %s in all; with directories and links "
		"%s.\n",
		report_plural(owner->files, "file", "files", files),
		unit_format_count(owner->tiny_files, tiny),
		unit_format_bytes(scan->tiny_bytes, edge), unit_format_bytes(owner->bytes, bytes),
		report_plural(owner->inodes, "inode", "inodes", inodes));
}

/* Where the tiny files are, if the scan looked. */
static void write_trees(const struct report_input *input, uint32_t uid, FILE *out)
{
	const struct directories *directories = input->directories;
	const char *prefix = directory_prefix(input->scan);
	struct hot_trees hot;

	if (!directories || !directories->present ||
		hot_trees_find(directories, &uid, HOT_TREE_SHARE, &hot))
		return;
	if (hot.count)
		fprintf(out, "\nMost of the small ones are in these trees:\n");
	for (size_t i = 0; i < hot.count && i < MAX_TREES; i++) {
		autofree char *path = directories_path(directories, hot.trees[i].directory, prefix);
		char tiny[UNIT_TEXT_BYTES];

		fprintf(out, "  %9s  %s\n", unit_format_count(hot.trees[i].tiny_files, tiny),
			path ? path : "?");
	}
	hot_trees_fini(&hot);
}

/* Nobody should remove a tree by a command that a program has written: DIRECTORY stays a word. */
static void write_advice(FILE *out)
{
	fputs("\nWhat you can do (DIRECTORY stands for one of yours):\n\n"
	      "- Put what belongs together into one archive, compare it, then remove the single "
	      "files:\n"
	      "    tar -czf DIRECTORY.tar.gz DIRECTORY\n"
	      "    tar -dzf DIRECTORY.tar.gz && rm -r DIRECTORY\n"
	      "- What can be made anew needs no backup. This attribute leaves it out of backups "
	      "that "
	      "heed it;\n"
	      "  it then cannot be restored, and it still counts against the limits:\n"
	      "    chattr -R +d DIRECTORY\n"
	      "- Remove what you no longer need.\n",
		out);
}

static void write_date(const struct policy *policy, const struct policy_verdict *verdict,
	const struct scan_info *scan, FILE *out)
{
	char day[LABEL_BYTES];

	if (policy->grace_seconds > 0)
		fprintf(out, "\nPlease do so by %s.",
			date((double)scan->started_seconds + policy->grace_seconds, day));
	else
		fprintf(out, "\nPlease do so soon.");
	if (verdict->state == STATE_HARD)
		fprintf(out, " Where a hard limit is enforced, nothing more can be created above "
			     "it.\n");
	else
		fprintf(out, " After that a soft limit counts as a hard one: where it is enforced, "
			     "nothing more\ncan be created above it.\n");
}

int quota_write_mail(const struct report_input *input, const struct policy *policy,
	const struct policy_verdict *verdict, FILE *out)
{
	const struct scan_info *scan = input->scan;
	const char *prefix = directory_prefix(scan);
	autofree char *label =
		report_owner_label(input->options, OWNER_USER, verdict->owner.id, NULL);
	autofree char *where = bytes_escape(prefix ? prefix : "", prefix ? strlen(prefix) : 0);
	char day[LABEL_BYTES];

	if (!label || !where)
		return -ENOMEM;
	fprintf(out, "To %s.\n\nOn %s, counted on %s, you have more than the limits allow:\n\n",
		label, *where ? where : "the filesystem", date((double)scan->started_seconds, day));
	write_limits(verdict, out);
	write_holding(&verdict->owner, scan, out);
	write_trees(input, verdict->owner.id, out);
	write_advice(out);
	write_date(policy, verdict, scan, out);
	return 0;
}
