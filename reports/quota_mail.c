// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The texts that `quota --emit=mail` writes, one for each user over a limit. They go to people who
 * did not ask for them, so they say what, where, what to do and by when, and nothing else.
 */
#include "reports/directory_view.h"
#include "reports/quota_text.h"

#include "analyzer/census/hot_trees.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLACES     5
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

char *quota_mail_file(const struct report_options *options, uint32_t uid, bool by_number)
{
	autofree char *name = NULL;
	char *file;
	int length;

	if (options->owner_name && !by_number)
		name = options->owner_name(OWNER_USER, uid, options->context);
	if (name && is_file_name(name))
		length = asprintf(&file, "%s.txt", name);
	else
		length = asprintf(&file, NUMBERED "%" PRIu32 ".txt", uid);
	return length < 0 ? NULL : file;
}

/* What a rule is about, for people who have not read the policy. Returns @out. */
static const char *subject_of(enum policy_rule rule, const struct policy *policy,
	const struct scan_info *scan, char out[LABEL_BYTES])
{
	static const char *const subjects[POLICY_RULES] = {
		[RULE_INODES] = "files, directories and links",
		[RULE_FILES] = "files",
		[RULE_TINY_FILES] = "files below ",
		[RULE_BYTES] = "sizes of files, in all",
		[RULE_ALLOCATED_BYTES] = "space on disk",
		[RULE_FILES_PER_TB] = "files per terabyte",
		[RULE_TINY_PERCENT] = "share of files below ",
		[RULE_OLD_FILES] = "files unchanged for ",
		[RULE_OLD_BYTES] = "sizes of files unchanged for ",
	};
	char detail[UNIT_TEXT_BYTES] = "";

	if (rule == RULE_TINY_FILES || rule == RULE_TINY_PERCENT)
		unit_format_bytes(scan->tiny_bytes, detail);
	else if (rule == RULE_OLD_FILES || rule == RULE_OLD_BYTES)
		snprintf(detail, sizeof(detail), "%" PRIu64 " days", policy->old_after_days);
	snprintf(out, LABEL_BYTES, "%s%s", subjects[rule], detail);
	return out;
}

/* "the limits are 500.0 k (soft) and 1.0 M (hard)" */
static void write_limits_of(const struct policy_finding *finding, FILE *out)
{
	char soft[LABEL_BYTES], hard[LABEL_BYTES];

	quota_amount(finding->rule, finding->soft, false, soft);
	quota_amount(finding->rule, finding->hard, false, hard);
	if (finding->soft < POLICY_NONE && finding->hard < POLICY_NONE)
		fprintf(out, "the limits are %s (soft) and %s (hard)", soft, hard);
	else if (finding->soft < POLICY_NONE)
		fprintf(out, "the soft limit is %s", soft);
	else
		fprintf(out, "the hard limit is %s", hard);
}

static void write_findings(const struct policy *policy, const struct policy_verdict *verdict,
	const struct scan_info *scan, FILE *out)
{
	for (int rule = 0; rule < POLICY_RULES; rule++) {
		struct policy_finding finding;
		char subject[LABEL_BYTES], value[LABEL_BYTES], excess[LABEL_BYTES];

		if (!policy_finding_of(verdict, rule, &finding) || finding.state == STATE_OK)
			continue;
		fprintf(out, "  %s: %s\n    ", subject_of(rule, policy, scan, subject),
			quota_amount(rule, finding.value, false, value));
		write_limits_of(&finding, out);
		fprintf(out, "; %s to go\n",
			quota_amount(rule, policy_excess(&finding), false, excess));
	}
}

static void write_holding(const struct policy_owner *owner, const struct scan_info *scan, FILE *out)
{
	char inodes[LABEL_BYTES], files[LABEL_BYTES], tiny[UNIT_TEXT_BYTES];
	char bytes[UNIT_TEXT_BYTES], edge[UNIT_TEXT_BYTES];

	fprintf(out,
		"\nIn all you have %s of %s, %s of them below %s;\nwith directories and links "
		"%s.\n",
		report_plural(owner->files, "file", "files", files),
		unit_format_bytes(owner->bytes, bytes), unit_format_count(owner->tiny_files, tiny),
		unit_format_bytes(scan->tiny_bytes, edge),
		report_plural(owner->inodes, "inode", "inodes", inodes));
}

/* --- Where it is ------------------------------------------------------------------------------ */

static void write_place(
	const struct report_input *input, size_t directory, const char *amount, FILE *out)
{
	autofree char *path =
		directories_path(input->directories, directory, directory_prefix(input->scan));

	fprintf(out, "  %9s  %s\n", amount, path ? path : "?");
}

/* The fewest trees that nearly all of the tiny files are in. */
static int write_trees(const struct report_input *input, uint32_t uid, FILE *out)
{
	struct hot_trees hot;
	int rc = hot_trees_find(input->directories, &uid, 1.0 / MAX_PLACES, &hot);

	if (!rc && hot.count)
		fprintf(out, "\nMost of the small ones are in these trees:\n");
	for (size_t i = 0; i < hot.count && i < MAX_PLACES; i++) {
		char tiny[UNIT_TEXT_BYTES];

		write_place(input, hot.trees[i].directory,
			unit_format_count(hot.trees[i].tiny_files, tiny), out);
	}
	hot_trees_fini(&hot);
	return rc;
}

struct place {
	size_t directory;
	uint64_t bytes; /* of the user, but for what other rows hold */
};

static int most_bytes_first(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->directory > b->directory) - (a->directory < b->directory);
}

static void find_places(const struct directories *directories, uint32_t uid, struct place *places)
{
	for (size_t i = 0; i < directories->count; i++) {
		uint32_t parent = directories->rows[i].parent;
		struct directory_sums own, tree;

		directories_user(directories, i, uid, &own, &tree);
		places[i] = (struct place){i, tree.bytes};
		if (parent != DIRECTORY_NO_PARENT)
			places[parent].bytes -= min_u64(places[parent].bytes, tree.bytes);
	}
	qsort(places, directories->count, sizeof(*places), most_bytes_first);
}

/* The directories with most bytes. */
static int write_bytes(const struct report_input *input, uint32_t uid, FILE *out)
{
	const struct directories *directories = input->directories;
	autofree struct place *places = calloc(directories->count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	find_places(directories, uid, places);
	if (places[0].bytes)
		fprintf(out, "\nMost of the bytes are in these directories:\n");
	for (size_t i = 0; i < directories->count && i < MAX_PLACES && places[i].bytes; i++) {
		char bytes[UNIT_TEXT_BYTES];

		write_place(
			input, places[i].directory, unit_format_bytes(places[i].bytes, bytes), out);
	}
	return 0;
}

static bool is_on_bytes(enum policy_rule rule)
{
	return policy_rule_is_bytes(rule) || rule == RULE_OLD_FILES;
}

/* Where what is above the limits is, if the scan looked. */
static int write_places(
	const struct report_input *input, const struct policy_verdict *verdict, FILE *out)
{
	bool counts = false, bytes = false;
	int rc = 0;

	if (!input->directories || !input->directories->present)
		return 0;
	for (int rule = 0; rule < POLICY_RULES; rule++) {
		struct policy_finding finding;

		if (!policy_finding_of(verdict, rule, &finding) || finding.state == STATE_OK)
			continue;
		counts |= !is_on_bytes(rule);
		bytes |= is_on_bytes(rule);
	}
	if (counts)
		rc = write_trees(input, verdict->owner.id, out);
	if (bytes && !rc)
		rc = write_bytes(input, verdict->owner.id, out);
	return rc;
}

/* --- What to do ------------------------------------------------------------------------------- */

/* Nobody should remove a tree by a command that a program has written: DIRECTORY stays a word. */
static void write_advice(FILE *out)
{
	fputs("\nWhat you can do (DIRECTORY stands for one of yours):\n\n"
	      "- Put what belongs together into one archive, compare it, and only then\n"
	      "  remove the single files:\n"
	      "    tar -czf DIRECTORY.tar.gz DIRECTORY\n"
	      "    tar -dzf DIRECTORY.tar.gz && rm -r DIRECTORY\n"
	      "- Leave out of backups what can be made anew, by an attribute that some\n"
	      "  backups heed (xfsdump -e does). What has it cannot be restored then,\n"
	      "  and still counts against the limits:\n"
	      "    chattr -R +d DIRECTORY\n"
	      "- Remove what you no longer need.\n",
		out);
}

static void write_date(const struct policy *policy, const struct policy_verdict *verdict,
	int64_t now_seconds, FILE *out)
{
	char day[LABEL_BYTES];

	if (policy->grace_seconds > 0)
		fprintf(out, "\nPlease do so by %s.",
			report_day((double)now_seconds + policy->grace_seconds, day));
	else
		fprintf(out, "\nPlease do so soon.");
	if (verdict->state == STATE_HARD)
		fprintf(out, " Where a hard limit is enforced, nothing\nmore can be created above "
			     "it.\n");
	else
		fprintf(out,
			" After that a soft limit counts as a hard\none: where it is enforced, "
			"nothing more can be created above it.\n");
}

int quota_write_mail(const struct report_input *input, const struct policy *policy,
	const struct policy_verdict *verdict, int64_t now_seconds, FILE *out)
{
	const struct scan_info *scan = input->scan;
	autofree char *label =
		report_owner_label(input->options, OWNER_USER, verdict->owner.id, NULL);
	autofree char *where = report_place(scan);
	char day[LABEL_BYTES];
	int rc;

	if (!label || !where)
		return -ENOMEM;
	fprintf(out, "To %s.\n\nAs counted on %s, you have more than the limits allow on\n%s:\n\n",
		label, report_day((double)scan->started_seconds, day), where);
	write_findings(policy, verdict, scan, out);
	write_holding(&verdict->owner, scan, out);
	rc = write_places(input, verdict, out);
	write_advice(out);
	write_date(policy, verdict, now_seconds, out);
	return rc;
}
