// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report`: the first screen. Its first line answers what the user came for: how many files, how
 * many of them tiny, and whose. Then what the tiny ones cost, the owners that matter, the backup
 * window if it is known, and where to look next.
 */
#include "reports/common.h"
#include "reports/owner_sums.h"
#include "reports/summary_trees.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP   5   /* owners in the table */
#define MAX_CULPRITS  3   /* owners in the first line */
#define MAX_EXAMPLES  1   /* of each kind of failure */
#define CULPRIT_SHARE 0.2 /* of the tiny files, what makes one worth naming */
#define SIZES_DIFFER  2   /* times what is allocated, from which on sizes are told too */

enum { BACKUP_SECONDS = SUMS_COLUMNS };

/* The last column is there only with a prediction. */
static const struct column columns[] = {
	OWNER_SUM_COLUMNS(COLUMN_DATA_ONLY, COLUMN_OPTIONAL, COLUMN_DATA_ONLY),
	[BACKUP_SECONDS] = {"backup_seconds", "BACKUP TIME", VALUE_SECONDS, 0,
		"predicted for a level-0 dump"},
};

/* What the lines are made of. */
struct summary {
	const struct report_input *input;
	struct census_totals totals;
	uint64_t files_disk_bytes; /* allocated to regular files */
	uint64_t tiny_disk_bytes;  /* allocated to the tiny ones */
	struct owner_list owners;  /* most tiny files first */
};

/* --- The answer ---------------------------------------------------------------------------- */

/* The owners worth naming, from the first: each with a share, all with half of the tiny files. */
static size_t culprits(const struct summary *summary)
{
	double all = (double)summary->totals.tiny_files, held = 0;
	size_t count = 0;

	for (; count < summary->owners.count && count < MAX_CULPRITS; count++) {
		double files = (double)summary->owners.owners[count].tiny_files;

		if (files < CULPRIT_SHARE * all)
			break;
		held += files;
	}
	return held >= all / 2 ? count : 0;
}

/* Writes "uid 2041 (54 %)", without the share if @all are that owner's. Returns 0 or -ENOMEM. */
static int put_culprit(
	FILE *out, const struct summary *summary, const struct owner_sums *owner, bool all)
{
	autofree char *label =
		report_owner_label(summary->input->options, OWNER_USER, owner->id, NULL);
	char share[UNIT_TEXT_BYTES];

	if (!label)
		return -ENOMEM;
	fputs(label, out);
	unit_format_share((double)owner->tiny_files, (double)summary->totals.tiny_files, share);
	if (!all)
		fprintf(out, " (%s)", share);
	return 0;
}

/* ", mostly of uid 2041 (54 %) and uid 2177 (45 %)"; to be freed; NULL without memory. */
static char *culprits_text(const struct summary *summary)
{
	const struct owner_sums *owners = summary->owners.owners;
	bool all = owners[0].tiny_files == summary->totals.tiny_files;
	size_t count = culprits(summary), length;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);
	int rc = 0;

	if (!out)
		return NULL;
	fputs(all ? ", all of " : count ? ", mostly of " : ", of many owners, foremost ", out);
	for (size_t i = 0; i < max_u64(count, 1) && !rc; i++) {
		fputs(!i ? "" : i + 1 < count ? ", " : " and ", out);
		rc = put_culprit(out, summary, &owners[i], all);
	}
	if (fclose(out) || rc) {
		free(text);
		return NULL;
	}
	return text;
}

static void add_tiny_answer(struct document *document, const struct summary *summary)
{
	const struct census_totals *totals = &summary->totals;
	autofree char *whose = culprits_text(summary);
	char files[LABEL_BYTES], tiny[LABEL_BYTES], edge[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES];

	if (!whose) {
		document->code = -ENOMEM;
		return;
	}
	document_before(document, "%s: %s tiny (%s, below %s)%s.",
		report_plural(totals->regular_files, "file", "files", files),
		report_plural(totals->tiny_files, "is", "are", tiny),
		unit_format_share((double)totals->tiny_files, (double)totals->regular_files, share),
		unit_format_bytes(summary->input->scan->tiny_bytes, edge), whose);
}

/* What share of the dump the tiny files take, as " and take 91 % of the backup". */
static void backup_share(const struct summary *summary, char out[LABEL_BYTES])
{
	const struct prediction *prediction = summary->input->prediction;
	unsigned tiny_classes = size_class_below(summary->input->scan->tiny_bytes);
	char share[UNIT_TEXT_BYTES];
	double seconds = 0;

	out[0] = '\0';
	if (!prediction || summary->input->options->has_user)
		return;
	for (size_t i = 0; i < prediction->class_count; i++) {
		if (prediction->classes[i].size_class < tiny_classes)
			seconds += prediction->classes[i].seconds;
	}
	snprintf(out, LABEL_BYTES, " and reading them takes %s of the backup",
		unit_format_share(seconds, prediction->seconds, share));
}

/* Adds up what is allocated to the files that the options let through. */
static void measure_disk(struct summary *summary)
{
	const struct report_input *input = summary->input;
	unsigned tiny_classes = size_class_below(input->scan->tiny_bytes);

	for (size_t i = 0; i < cube_count(input->cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(input->cube, i, &key);
		uint64_t bytes = sums->allocated_bytes;

		if (key.kind != KIND_REGULAR || !report_wants(input->options, key.uid))
			continue;
		summary->files_disk_bytes = sat_add_u64(summary->files_disk_bytes, bytes);
		if (key.size_class < tiny_classes)
			summary->tiny_disk_bytes = sat_add_u64(summary->tiny_disk_bytes, bytes);
	}
}

/* " (their sizes add up to 53 GiB)" where that is quite another number than what is allocated. */
static const char *sizes_text(const struct summary *summary, char out[LABEL_BYTES])
{
	uint64_t sizes = summary->totals.bytes, disk = summary->files_disk_bytes;
	char bytes[UNIT_TEXT_BYTES];

	out[0] = '\0';
	if (sizes / SIZES_DIFFER > disk || disk / SIZES_DIFFER > sizes)
		snprintf(out, LABEL_BYTES, " (their sizes add up to %s)",
			unit_format_bytes(sizes, bytes));
	return out;
}

static void add_answer(struct document *document, const struct summary *summary)
{
	const struct census_totals *totals = &summary->totals;
	char count[LABEL_BYTES], sizes[LABEL_BYTES], edge[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];
	char share[UNIT_TEXT_BYTES], backup[LABEL_BYTES];

	if (!totals->regular_files) {
		document_before(document, "No files, %s.",
			report_plural(totals->inodes, "inode of another kind",
				"inodes of other kinds", count));
		return;
	}
	unit_format_bytes(summary->files_disk_bytes, bytes);
	sizes_text(summary, sizes);
	if (!totals->tiny_files) {
		document_before(document, "%s, %s on disk%s: none is tiny (below %s).",
			report_plural(totals->regular_files, "file", "files", count), bytes, sizes,
			unit_format_bytes(summary->input->scan->tiny_bytes, edge));
		return;
	}
	add_tiny_answer(document, summary);
	backup_share(summary, backup);
	document_before(document, "The tiny ones hold %s of the %s that files take on disk%s%s.",
		unit_format_share(
			(double)summary->tiny_disk_bytes, (double)summary->files_disk_bytes, share),
		bytes, sizes, backup);
}

/* --- The owners ---------------------------------------------------------------------------- */

static int by_uid(const void *left, const void *right)
{
	const struct prediction_user *a = *(const struct prediction_user *const *)left;
	const struct prediction_user *b = *(const struct prediction_user *const *)right;

	return (a->uid > b->uid) - (a->uid < b->uid);
}

/* The users of a prediction, or none, in order of their ids; to be freed. */
static const struct prediction_user **sorted_users(const struct prediction *prediction)
{
	size_t count = prediction ? prediction->user_count : 0;
	const struct prediction_user **users = reallocarray(NULL, count + 1, sizeof(*users));

	for (size_t i = 0; users && i < count; i++)
		users[i] = &prediction->users[i];
	if (users)
		qsort(users, count, sizeof(*users), by_uid);
	return users;
}

static void add_row(struct document *document, struct table *table, const struct owner_sums *owner,
	uint64_t all_tiny_files, const struct prediction_user *user)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	owner_row_fill(row, owner, all_tiny_files);
	if (user)
		value_set_real(&row[BACKUP_SECONDS], user->seconds);
}

static void add_rows(struct document *document, struct table *table, const struct summary *summary)
{
	const struct prediction *prediction = summary->input->prediction;
	const struct prediction_user **users = sorted_users(prediction);

	if (!users) {
		document->code = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < summary->owners.count; i++) {
		const struct owner_sums *owner = &summary->owners.owners[i];
		const struct prediction_user wanted = {.uid = owner->id}, *key = &wanted;
		const struct prediction_user **user = bsearch(&key, users,
			prediction ? prediction->user_count : 0, sizeof(*users), by_uid);

		add_row(document, table, owner, summary->totals.tiny_files, user ? *user : NULL);
	}
	free(users);
}

static int add_owners(struct document *document, const struct summary *summary, struct err *err)
{
	const struct report_options *options = summary->input->options;
	size_t shown = ARRAY_LENGTH(columns) - !summary->input->prediction;
	struct table *table = document_table(document, "rows", NULL, columns, shown);
	size_t top = options->top ? options->top : DEFAULT_TOP;

	add_rows(document, table, summary);
	/* "1 other" takes as much room as who it is. */
	if (!options->top && table && table->row_count == top + 1)
		top++;
	return report_arrange_owners(document, table, options, top, OWNER_USER,
		(struct owner_columns){.label = SUMS_OWNER, .id = SUMS_ID, .name = SUMS_NAME}, err);
}

/* --- What comes after the table ------------------------------------------------------------ */

/* What the tiny files of those who are named in the answer take of the dump. */
static double culprits_seconds(const struct summary *summary, size_t count)
{
	const struct prediction *prediction = summary->input->prediction;
	double seconds = 0;

	for (size_t i = 0; i < prediction->user_count; i++)
		for (size_t j = 0; j < count; j++)
			if (prediction->users[i].uid == summary->owners.owners[j].id)
				seconds += prediction->users[i].tiny_seconds;
	return seconds;
}

/* ". Without the tiny files of those two: 1 h 40", or nothing. */
static void without_culprits(const struct summary *summary, char out[LABEL_BYTES])
{
	static const char *const whose[] = {"", "that one", "those two", "those three"};
	size_t count = summary->totals.tiny_files ? culprits(summary) : 0;
	char seconds[UNIT_TEXT_BYTES];

	out[0] = '\0';
	if (!count || summary->input->options->has_user)
		return;
	unit_format_seconds(
		summary->input->prediction->seconds - culprits_seconds(summary, count), seconds);
	snprintf(out, LABEL_BYTES, ". Without the tiny files of %s: %s", whose[count], seconds);
}

static void add_window(struct document *document, const struct summary *summary)
{
	const struct report_input *input = summary->input;
	const struct prediction *prediction = input->prediction;
	char seconds[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	char without[LABEL_BYTES];

	if (!prediction && input->no_prediction)
		document_after(document, "No backup window: %s.", input->no_prediction);
	else if (!prediction && input->options->no_hints && !strcmp(input->scan->fs_type, "xfs"))
		document_after(document, "No backup window: nothing is calibrated; xfscensus "
					 "calibrate measures it.");
	if (!prediction)
		return;
	document_field_real(document, "backup_seconds", VALUE_SECONDS, prediction->seconds);
	document_field_real(document, "backup_low_seconds", VALUE_SECONDS, prediction->low_seconds);
	document_field_real(
		document, "backup_high_seconds", VALUE_SECONDS, prediction->high_seconds);
	document_field_number(document, "dump_bytes", VALUE_BYTES, prediction->dump_bytes);
	document_field_text(document, "bottleneck", prediction->bottleneck);
	without_culprits(summary, without);
	document_after(document,
		"Backup window%s, level 0 to a null sink: %s (95 %%: %s to %s), held back by the "
		"%s%s.",
		input->options->has_user ? " of the whole filesystem" : "",
		unit_format_seconds(prediction->seconds, seconds),
		unit_format_seconds(prediction->low_seconds, low),
		unit_format_seconds(prediction->high_seconds, high), prediction->bottleneck,
		without);
}

/* Whether a shell takes @path as it is. */
static bool is_plain_path(const char *path)
{
	return path && path[0] == '/' &&
	       !path[strspn(path, "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789._-+,:@=")];
}

static void add_hints(struct document *document, const struct summary *summary)
{
	const struct scan_info *scan = summary->input->scan;
	const struct directories *directories = summary->input->directories;
	const char *path = is_plain_path(scan->mount_point) ? scan->mount_point : "PATH";
	const char *dirs = directories && directories->present ? "dirs|tree|" : "";
	const char *sudo_db = summary->input->options->sudo_db;
	const char *db = !sudo_db || is_plain_path(sudo_db) ? sudo_db : "FILE";

	if (summary->input->options->no_hints)
		return;
	if (document->after_count)
		document_after(document, "%s", "");
	if (summary->input->prediction)
		document_after(document,
			"Next: xfscensus report %susers|classes|ages · xfscensus predict", dirs);
	else if (!strcmp(scan->fs_type, "xfs") && scan->mount_point)
		document_after(document,
			"Next: xfscensus report %susers|classes|ages · %sxfscensus calibrate "
			"%s%s%s%s, "
			"for the time a backup takes",
			dirs, db ? "sudo " : "", db ? "--db=" : "", db ? db : "", db ? " " : "",
			path);
	else
		document_after(document, "Next: xfscensus report %susers|classes|ages", dirs);
}

static int fill(struct document *document, struct summary *summary, struct err *err)
{
	const struct scan_info *scan = summary->input->scan;
	struct census_totals all; /* of the scan, whichever user is asked for */
	int rc;

	measure_disk(summary);
	report_total_fields(document, &summary->totals);
	document_field_number(document, "files_disk_bytes", VALUE_BYTES, summary->files_disk_bytes);
	document_field_number(document, "tiny_disk_bytes", VALUE_BYTES, summary->tiny_disk_bytes);
	document_field_number(document, "owners", VALUE_COUNT, summary->owners.count);
	document_field_real(document, "seconds", VALUE_SECONDS, scan->seconds);
	document_field_number(document, "errors", VALUE_COUNT, scan->errors);
	add_answer(document, summary);
	census_total(summary->input->cube, scan->tiny_bytes, &all);
	report_scan_line(document, scan, all.inodes);
	rc = add_owners(document, summary, err);
	summary_trees_add(document, summary->input);
	add_window(document, summary);
	report_failure_lines(document, summary->input->failures, MAX_EXAMPLES);
	add_hints(document, summary);
	return rc;
}

int report_summary(const struct report_input *input, struct document *document, struct err *err)
{
	struct summary summary = {.input = input};
	int rc = 0;

	report_begin(document, "summary", input);
	if (report_total(input, &summary.totals) ||
		owner_list_make(input, OWNER_USER, &summary.owners))
		document->code = -ENOMEM;
	else
		rc = fill(document, &summary, err);
	owner_list_fini(&summary.owners);
	return rc ? rc : report_end(document, err);
}
