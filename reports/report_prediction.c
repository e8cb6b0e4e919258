// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `predict`: how long a dump takes, and what of it is whose. The seconds of phases and of users
 * each add up to the whole, those of classes to the files phase.
 */
#include "reports/common.h"

#include "analyzer/census/size_class.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <inttypes.h>
#include <string.h>

enum { PHASE, PHASE_SECONDS, PHASE_SHARE };

static const struct column phase_columns[] = {
	[PHASE] = {"name", "PHASE", VALUE_TEXT, 0, "inode-map, directories, files or sink"},
	[PHASE_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "how long it takes"},
	[PHASE_SHARE] = {"share", "OF ALL", VALUE_SHARE, COLUMN_TEXT_ONLY, "share of the dump"},
};

enum { SIZE, CLASS, LOW, HIGH, FILES, BYTES, SECONDS, SHARE };

static const struct column class_columns[] = {
	[SIZE] = {"size", "SIZE", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH, "range of sizes"},
	[CLASS] = {"class", "CLASS", VALUE_ID, COLUMN_DATA_ONLY, "size class"},
	[LOW] = {"low_bytes", "FROM", VALUE_BYTES, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"smallest size"},
	[HIGH] = {"high_bytes", "BELOW", VALUE_BYTES, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"first size above"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "their sizes"},
	[SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "reading them, of the files phase"},
	[SHARE] = {"share", "OF ALL", VALUE_SHARE, COLUMN_TEXT_ONLY, "share of the dump"},
};

enum { OWNER, ID, NAME, USER_FILES, USER_TINY, USER_SECONDS, USER_SHARE };

static const struct column user_columns[] = {
	[OWNER] = {"owner", "USER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH,
		"name, or the id where it has none"},
	[ID] = {"id", "ID", VALUE_ID, COLUMN_DATA_ONLY, "user id"},
	[NAME] = {"name", "NAME", VALUE_TEXT, COLUMN_DATA_ONLY, "name, escaped"},
	[USER_FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[USER_TINY] = {"tiny_files", "TINY", VALUE_COUNT, 0, "of them, below the tiny edge"},
	[USER_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "of all phases"},
	[USER_SHARE] = {"share", "OF ALL", VALUE_SHARE, COLUMN_TEXT_ONLY, "share of the dump"},
};

static void set_share(struct value *value, double part, double whole)
{
	if (whole > 0)
		value_set_real(value, part / whole);
}

static void add_fields(struct document *document, const struct prediction *prediction)
{
	document_field_real(document, "seconds", VALUE_SECONDS, prediction->seconds);
	document_field_real(document, "low_seconds", VALUE_SECONDS, prediction->low_seconds);
	document_field_real(document, "high_seconds", VALUE_SECONDS, prediction->high_seconds);
	document_field_number(document, "dump_bytes", VALUE_BYTES, prediction->dump_bytes);
	document_field_number(document, "files", VALUE_COUNT, prediction->files);
	document_field_text(document, "bottleneck", prediction->bottleneck);
}

/* Which calibration it goes by. */
static void add_calibration(struct document *document, const struct calibration *calibration)
{
	autofree char *device = NULL;
	char files[LABEL_BYTES], time[LABEL_BYTES];
	uint64_t sampled = 0;

	if (!calibration)
		return;
	for (size_t i = 0; i < calibration->cell_count; i++)
		sampled = sat_add_u64(sampled, calibration->cells[i].files);
	document_field_number(
		document, "calibration_id", VALUE_ID, (uint64_t)calibration->calibration_id);
	document_field_time(document, "calibrated", VALUE_TIME, calibration->started_seconds);
	document_field_bytes(document, "calibration_device", calibration->device);
	document_field_bytes(document, "calibration_device_identity", calibration->device_identity);
	document_field_real(
		document, "calibration_budget_seconds", VALUE_SECONDS, calibration->budget_seconds);
	document_field_number(document, "sampled_files", VALUE_COUNT, sampled);
	if (calibration->device)
		device = bytes_escape(calibration->device, strlen(calibration->device));
	document_before(document, "By calibration %" PRId64 " of %s%s%s, which sampled %s.",
		calibration->calibration_id, report_time(calibration->started_seconds, time),
		device ? " on " : "", device ? device : "",
		report_plural(sampled, "file", "files", files));
}

/* What the scan lacks, the prediction lacks. */
static void add_unread(struct document *document, const struct report_input *input)
{
	char failures[LABEL_BYTES], inodes[LABEL_BYTES];
	uint64_t unread = 0;

	for (int kind = 0; kind < FAILURE_KINDS && input->failures; kind++)
		unread = sat_add_u64(unread, input->failures->inodes[kind]);
	document_field_number(document, "errors", VALUE_COUNT, input->scan->errors);
	document_field_number(document, "unread_inodes", VALUE_COUNT, unread);
	if (!input->scan->errors)
		return;
	report_plural(input->scan->errors, "failure", "failures", failures);
	report_plural(unread, "inode", "inodes", inodes);
	document_before(document,
		"Too low: the scan met %s to read, and what that hid is not in it%s%s%s.", failures,
		unread ? " (" : "", unread ? inodes : "", unread ? " at least)" : "");
}

static void add_phases(struct document *document, const struct prediction *prediction)
{
	struct table *table = document_table(
		document, "phases", "By phase:", phase_columns, ARRAY_LENGTH(phase_columns));

	for (int i = 0; i < PREDICTION_PHASES; i++) {
		struct value *row = table_row(document, table);

		if (!row)
			return;
		value_set_text(document, &row[PHASE], prediction_phase_name(i));
		value_set_real(&row[PHASE_SECONDS], prediction->phases[i]);
		set_share(&row[PHASE_SHARE], prediction->phases[i], prediction->seconds);
	}
}

/* Adds up the classes from @first to @last and gives them a row; none if they have no files. */
static void add_class_row(struct document *document, struct table *table,
	const struct prediction *prediction, unsigned first, unsigned last)
{
	struct prediction_class sum = {0};
	char range[LABEL_BYTES];
	struct value *row;

	for (size_t i = 0; i < prediction->class_count; i++) {
		const struct prediction_class *class = &prediction->classes[i];

		if (class->size_class < first || class->size_class > last)
			continue;
		sum.files = sat_add_u64(sum.files, class->files);
		sum.bytes = sat_add_u64(sum.bytes, class->bytes);
		sum.seconds += class->seconds;
	}
	row = sum.files ? table_row(document, table) : NULL;
	if (!row)
		return;
	value_set_text(document, &row[SIZE],
		report_size_range(size_class_low(first), size_class_high(last), range));
	value_set_number(&row[CLASS], first);
	value_set_number(&row[LOW], size_class_low(first));
	value_set_number(&row[HIGH], size_class_high(last));
	value_set_number(&row[FILES], sum.files);
	value_set_number(&row[BYTES], sum.bytes);
	value_set_real(&row[SECONDS], sum.seconds);
	set_share(&row[SHARE], sum.seconds, prediction->seconds);
}

/* The same twice: class by class for data, in bands for people. */
static void add_classes(struct document *document, const struct prediction *prediction)
{
	static const uint64_t edges[] = {4 * KIB, 64 * KIB, MIB, 64 * MIB, GIB, 0};
	struct table *table = document_table(
		document, "classes", NULL, class_columns, ARRAY_LENGTH(class_columns));
	unsigned first = 0;

	if (table)
		table->flags = TABLE_DATA_ONLY;
	for (unsigned size_class = 0; size_class < SIZE_CLASSES; size_class++)
		add_class_row(document, table, prediction, size_class, size_class);
	table = document_table(
		document, "bands", "By size of files:", class_columns, ARRAY_LENGTH(class_columns));
	if (table)
		table->flags = TABLE_TEXT_ONLY;
	for (size_t i = 0; i < ARRAY_LENGTH(edges); i++) {
		unsigned end = edges[i] ? size_class_below(edges[i]) : SIZE_CLASSES;

		add_class_row(document, table, prediction, first, end - 1);
		first = end;
	}
}

static struct table *add_users(struct document *document, const struct report_options *options,
	const struct prediction *prediction)
{
	struct table *table = document_table(
		document, "users", "By user:", user_columns, ARRAY_LENGTH(user_columns));

	for (size_t i = 0; i < prediction->user_count; i++) {
		const struct prediction_user *user = &prediction->users[i];
		struct value *row =
			report_wants(options, user->uid) ? table_row(document, table) : NULL;

		if (!row)
			continue;
		value_set_number(&row[ID], user->uid);
		value_set_number(&row[USER_FILES], user->files);
		value_set_number(&row[USER_TINY], user->tiny_files);
		value_set_real(&row[USER_SECONDS], user->seconds);
		set_share(&row[USER_SHARE], user->seconds, prediction->seconds);
	}
	return table;
}

static void add_answer(struct document *document, const struct prediction *prediction)
{
	char seconds[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	char bytes[UNIT_TEXT_BYTES], files[LABEL_BYTES];

	document_before(document,
		"A level-0 xfsdump to a null sink takes %s (95 %%: %s to %s) and writes %s, %s.",
		unit_format_seconds(prediction->seconds, seconds),
		unit_format_seconds(prediction->low_seconds, low),
		unit_format_seconds(prediction->high_seconds, high),
		unit_format_bytes(prediction->dump_bytes, bytes),
		report_plural(prediction->files, "file", "files", files));
	if (prediction->bottleneck[0])
		document_before(document, "What holds it up: %s.", prediction->bottleneck);
}

int report_prediction(const struct report_input *input, struct document *document, struct err *err)
{
	const struct prediction *prediction = input->prediction;
	struct table *users;
	int rc;

	report_begin(document, "predict", input);
	document->csv_fields = true;
	add_fields(document, prediction);
	add_answer(document, prediction);
	add_calibration(document, input->calibration);
	add_unread(document, input);
	add_phases(document, prediction);
	add_classes(document, prediction);
	users = add_users(document, input->options, prediction);
	rc = report_arrange_owners(document, users, input->options, input->options->top, OWNER_USER,
		(struct owner_columns){.label = OWNER, .id = ID, .name = NAME}, err);
	return rc ? rc : report_end(document, err);
}
