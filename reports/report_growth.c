// SPDX-License-Identifier: GPL-2.0-or-later
/* `report growth`: who gained and who lost between two scans, most tiny files gained first. */
#include "reports/common.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	OWNER,
	ID,
	NAME,
	TINY_CHANGE,
	TINY_FILES,
	FILES_CHANGE,
	FILES,
	BYTES_CHANGE,
	BYTES,
	ALLOCATED_CHANGE,
	SECONDS_CHANGE,
	SECONDS,
};

static const struct column columns[] = {
	[OWNER] = {"owner", "USER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH, "who"},
	[ID] = {"id", "ID", VALUE_ID, COLUMN_DATA_ONLY, "numeric id"},
	[NAME] = {"name", "NAME", VALUE_TEXT, COLUMN_DATA_ONLY, "name, where it has one"},
	[TINY_CHANGE] = {"tiny_files_change", "TINY ±", VALUE_COUNT_CHANGE, 0, "tiny files gained"},
	[TINY_FILES] = {"tiny_files", "TINY NOW", VALUE_COUNT, 0, "tiny files in the newer scan"},
	[FILES_CHANGE] = {"files_change", "FILES ±", VALUE_COUNT_CHANGE, 0, "regular files gained"},
	[FILES] = {"files", "FILES NOW", VALUE_COUNT, COLUMN_OPTIONAL,
		"regular files in the newer scan"},
	[BYTES_CHANGE] = {"bytes_change", "BYTES ±", VALUE_BYTES_CHANGE, 0,
		"sizes of regular files gained"},
	[BYTES] = {"bytes", "BYTES NOW", VALUE_BYTES, COLUMN_OPTIONAL,
		"sizes of regular files in the newer scan"},
	[ALLOCATED_CHANGE] = {"allocated_bytes_change", "ON DISK ±", VALUE_BYTES_CHANGE,
		COLUMN_DATA_ONLY, "taken on disk more, by all inodes"},
	[SECONDS_CHANGE] = {"backup_seconds_change", "BACKUP ±", VALUE_SECONDS_CHANGE, 0,
		"time in a level-0 dump gained, by today's calibration"},
	[SECONDS] = {"backup_seconds", "BACKUP NOW", VALUE_SECONDS, COLUMN_OPTIONAL,
		"time in a level-0 dump of the newer scan"},
};

/* What is allocated alone makes no row: text would show nothing but zeros. */
static bool has_changed(const struct growth_user *user)
{
	const struct growth_side *before = &user->before, *after = &user->after;

	return before->files != after->files || before->tiny_files != after->tiny_files ||
	       before->bytes != after->bytes;
}

static void add_row(struct document *document, struct table *table, const struct growth_user *user,
	bool has_seconds)
{
	const struct growth_side *before = &user->before, *after = &user->after;
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_number(&row[ID], user->uid);
	value_set_change(&row[TINY_CHANGE], before->tiny_files, after->tiny_files);
	value_set_number(&row[TINY_FILES], after->tiny_files);
	value_set_change(&row[FILES_CHANGE], before->files, after->files);
	value_set_number(&row[FILES], after->files);
	value_set_change(&row[BYTES_CHANGE], before->bytes, after->bytes);
	value_set_number(&row[BYTES], after->bytes);
	value_set_change(&row[ALLOCATED_CHANGE], before->allocated_bytes, after->allocated_bytes);
	if (!has_seconds)
		return;
	value_set_real(&row[SECONDS_CHANGE], after->seconds - before->seconds);
	value_set_real(&row[SECONDS], after->seconds);
}

/* Most tiny files gained first, then most files, most bytes, smallest id. */
static int most_first(const void *left, const void *right)
{
	static const enum history_measure order[] = {
		HISTORY_TINY_FILES, HISTORY_FILES, HISTORY_BYTES};
	const struct growth_user *a = *(const struct growth_user *const *)left;
	const struct growth_user *b = *(const struct growth_user *const *)right;

	for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
		double x = growth_change(a, order[i]), y = growth_change(b, order[i]);

		if (x > y || x < y)
			return x < y ? 1 : -1;
	}
	return (a->uid > b->uid) - (a->uid < b->uid);
}

/* Those of whom something changed, and whom the options let through; to be freed. */
static const struct growth_user **changed_users(const struct report_input *input, size_t *count)
{
	const struct growth *growth = input->growth;
	const struct growth_user **users =
		reallocarray(NULL, growth->count + 1, sizeof(struct growth_user *));

	*count = 0;
	for (size_t i = 0; users && i < growth->count; i++) {
		const struct growth_user *user = &growth->users[i];

		if (has_changed(user) && report_wants(input->options, user->uid))
			users[(*count)++] = user;
	}
	if (users)
		qsort(users, *count, sizeof(struct growth_user *), most_first);
	return users;
}

/* What all of them have together, whether it changed or not. */
static struct growth_user add_up(const struct report_input *input)
{
	struct growth_user all = {0};

	for (size_t i = 0; i < input->growth->count; i++) {
		const struct growth_user *user = &input->growth->users[i];

		if (!report_wants(input->options, user->uid))
			continue;
		growth_side_add(&all.before, &user->before);
		growth_side_add(&all.after, &user->after);
	}
	return all;
}

static void add_fields(
	struct document *document, const struct growth *growth, const struct growth_user *all)
{
	const struct growth_side *before = &all->before, *after = &all->after;

	document_field_number(document, "from_scan_id", VALUE_ID, (uint64_t)growth->before_scan_id);
	document_field_time(document, "from_started", VALUE_TIME, growth->before_seconds);
	document_field_change(document, "tiny_files_change", VALUE_COUNT_CHANGE, before->tiny_files,
		after->tiny_files);
	document_field_change(
		document, "files_change", VALUE_COUNT_CHANGE, before->files, after->files);
	document_field_change(
		document, "bytes_change", VALUE_BYTES_CHANGE, before->bytes, after->bytes);
	if (growth->has_seconds)
		document_field_real(document, "backup_seconds_change", VALUE_SECONDS_CHANGE,
			after->seconds - before->seconds);
}

/* "+1.2 M", "−3", "0". */
static const char *signed_count(double change, char out[LABEL_BYTES])
{
	char count[UNIT_TEXT_BYTES];

	unit_format_count((uint64_t)fmin(fabs(change), 0x1p63), count);
	snprintf(out, LABEL_BYTES, "%s%s", change > 0 ? "+" : change < 0 ? "−" : "", count);
	return out;
}

/* "20.0 days"; "4 min 10" where it is less than a day. */
static const char *duration(double days, char out[LABEL_BYTES])
{
	char seconds[UNIT_TEXT_BYTES];

	if (days >= 1)
		snprintf(out, LABEL_BYTES, "%.1f days", days);
	else
		snprintf(out, LABEL_BYTES, "%s",
			unit_format_seconds(fmax(days, 0) * SECONDS_PER_DAY, seconds));
	return out;
}

/* "In 30 days: +10.1 M tiny files; uid 2041 gained most, +9.8 M." */
static void add_answer(
	struct document *document, const struct report_input *input, const struct growth_user *all)
{
	const struct growth *growth = input->growth;
	const struct growth_user *most = growth_most(growth, HISTORY_TINY_FILES);
	char days[LABEL_BYTES], change[LABEL_BYTES], files[LABEL_BYTES], part[LABEL_BYTES];
	autofree char *label = NULL;

	duration(growth_days(growth), days);
	signed_count(growth_change(all, HISTORY_TINY_FILES), change);
	signed_count(growth_change(all, HISTORY_FILES), files);
	if (!most || input->options->has_user) {
		document_before(document, "In %s: %s tiny files, %s files.", days, change, files);
		return;
	}
	label = report_owner_label(input->options, OWNER_USER, most->uid, NULL);
	if (!label)
		document->code = -ENOMEM;
	else
		document_before(document,
			"In %s: %s tiny files, %s files; %s gained most tiny files, %s.", days,
			change, files, label,
			signed_count(growth_change(most, HISTORY_TINY_FILES), part));
}

static int add_users(struct document *document, const struct report_input *input, struct err *err)
{
	size_t shown = ARRAY_LENGTH(columns) - (input->growth->has_seconds ? 0 : 2), count;
	autofree const struct growth_user **users = changed_users(input, &count);
	struct table *table = document_table(document, "rows", NULL, columns, shown);

	if (!users) {
		document->code = -ENOMEM;
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		add_row(document, table, users[i], input->growth->has_seconds);
	if (!count)
		document_before(document, "Nothing changed.");
	return report_arrange_owners(document, table, input->options, input->options->top,
		OWNER_USER, (struct owner_columns){.label = OWNER, .id = ID, .name = NAME}, err);
}

int report_growth(const struct report_input *input, struct document *document, struct err *err)
{
	const struct growth *growth = input->growth;
	struct growth_user all = add_up(input);
	struct census_totals totals; /* of the newer scan, whichever user is asked for */
	char then[LABEL_BYTES];
	int rc;

	report_begin(document, "growth", input);
	add_fields(document, growth, &all);
	add_answer(document, input, &all);
	census_total(input->cube, input->scan->tiny_bytes, &totals);
	report_scan_line(document, input->scan, totals.inodes);
	document_before(document, "compared with scan %lld of %s",
		(long long)growth->before_scan_id, report_time(growth->before_seconds, then));
	rc = add_users(document, input, err);
	return rc ? rc : report_end(document, err);
}
