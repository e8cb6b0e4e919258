// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `predict`: how long a dump takes, and what of it is whose. The seconds of phases, of users and of
 * causes each add up to the whole. As CSV, what-ifs are the table that was asked for.
 */
#include "reports/common.h"
#include "reports/learned.h"
#include "reports/prediction_text.h"

#include "analyzer/census/size_class.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PHASE, PHASE_SECONDS, PHASE_LOW, PHASE_HIGH, PHASE_SHARE };

static const struct column phase_columns[] = {
	[PHASE] = {"name", "PHASE", VALUE_TEXT, 0, "inode-map, directories, files or sink"},
	[PHASE_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "how long it takes"},
	[PHASE_LOW] = {"low_seconds", "FROM", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"where all reading is as fast as the interval allows"},
	[PHASE_HIGH] = {"high_seconds", "TO", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"where it is as slow"},
	[PHASE_SHARE] = {"share", "OF ALL", VALUE_SHARE, COLUMN_TEXT_ONLY, "share of the dump"},
};

enum { SIZE, CLASS, LOW, HIGH, FILES, BYTES, SECONDS, SHARE };

static const struct column class_columns[] = {
	[SIZE] = SIZE_COLUMN(COLUMN_STRETCH),
	[CLASS] = {"class", "CLASS", VALUE_ID, COLUMN_DATA_ONLY, "size class"},
	[LOW] = LOW_COLUMN,
	[HIGH] = HIGH_COLUMN,
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "their sizes"},
	[SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "reading them, of the files phase"},
	[SHARE] = {"share", "OF ALL", VALUE_SHARE, COLUMN_TEXT_ONLY, "share of the dump"},
};

enum { OWNER, ID, NAME, USER_FILES, USER_TINY, USER_SECONDS, USER_TINY_SECONDS, USER_SHARE };

static const struct column user_columns[] = {
	[OWNER] = OWNER_COLUMN("USER"),
	[ID] = {"id", "ID", VALUE_ID, COLUMN_DATA_ONLY, "user id"},
	[NAME] = NAME_COLUMN,
	[USER_FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[USER_TINY] = {"tiny_files", "TINY", VALUE_COUNT, 0, "of them, below the tiny edge"},
	[USER_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "of all phases"},
	[USER_TINY_SECONDS] = {"tiny_seconds", "OF IT TINY", VALUE_SECONDS, COLUMN_OPTIONAL,
		"what the tiny files of it take"},
	[USER_SHARE] = {"share", "OF ALL", VALUE_SHARE, COLUMN_TEXT_ONLY, "share of the dump"},
};

static void set_share(struct value *value, double part, double whole)
{
	if (whole > 0)
		value_set_real(value, part / whole);
}

enum { STREAM, STREAM_START, STREAM_FILES, STREAM_BYTES, STREAM_SECONDS };

static const struct column stream_columns[] = {
	[STREAM] = {"stream", "STREAM", VALUE_ID, 0, "its number, from 0"},
	[STREAM_START] = {"first_inode", "FROM INODE", VALUE_ID, 0, "about where it starts"},
	[STREAM_FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[STREAM_BYTES] = {"dump_bytes", "SIZE", VALUE_BYTES, 0, "of its media file"},
	[STREAM_SECONDS] = {"seconds", "TIME ALONE", VALUE_SECONDS, COLUMN_NO_SUM,
		"after the inode map, if the array and the sink served it alone"},
};

enum {
	VARIANT,
	VARIANT_SECONDS,
	VARIANT_LOW,
	VARIANT_HIGH,
	VARIANT_SHARE,
	VARIANT_BYTES,
	VARIANT_FILES,
	VARIANT_BOTTLENECK,
};

static const struct column variant_columns[] = {
	[VARIANT] = {"name", "WHAT IF", VALUE_TEXT, COLUMN_STRETCH,
		"as is, each what-if by itself, all together"},
	[VARIANT_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, COLUMN_NO_SUM,
		"how long the dump would take; unknown where the calibration does not tell"},
	[VARIANT_LOW] = {"low_seconds", "FROM", VALUE_SECONDS, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"lower end of the 95 % interval"},
	[VARIANT_HIGH] = {"high_seconds", "TO", VALUE_SECONDS, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"upper end"},
	[VARIANT_SHARE] = {"share", "OF NOW", VALUE_SHARE, COLUMN_TEXT_ONLY | COLUMN_NO_SUM,
		"of the time as is"},
	[VARIANT_BYTES] = {"dump_bytes", "SIZE", VALUE_BYTES, COLUMN_NO_SUM, "what it would write"},
	[VARIANT_FILES] = {"files", "FILES", VALUE_COUNT, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"regular files"},
	[VARIANT_BOTTLENECK] = {"bottleneck", "HELD BACK BY", VALUE_TEXT, COLUMN_OPTIONAL,
		"contents, array, sink or cpu"},
};

enum { CAUSE, CAUSE_SECONDS, CAUSE_SHARE };

static const struct column cause_columns[] = {
	[CAUSE] = {"name", "HELD BACK BY", VALUE_TEXT, 0, "contents, array, sink or cpu"},
	[CAUSE_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "of the dump"},
	[CAUSE_SHARE] = {"share", "OF ALL", VALUE_SHARE, 0, "share of the dump"},
};

static void add_fields(struct document *document, const struct prediction *prediction)
{
	document_field_real(document, "seconds", VALUE_SECONDS, prediction->seconds);
	document_field_real(document, "low_seconds", VALUE_SECONDS, prediction->low_seconds);
	document_field_real(document, "high_seconds", VALUE_SECONDS, prediction->high_seconds);
	document_field_number(document, "dump_bytes", VALUE_BYTES, prediction->dump_bytes);
	document_field_number(document, "xfsdump_estimate_bytes", VALUE_BYTES,
		prediction->xfsdump_estimate_bytes);
	document_field_number(document, "files", VALUE_COUNT, prediction->files);
	document_field_text(document, "bottleneck", prediction->bottleneck);
}

/* Which dump that is. */
static void add_dump(struct document *document, const struct dump_options *dump)
{
	if (!dump)
		return;
	document_field_number(document, "level", VALUE_COUNT, dump->level);
	if (dump->incremental)
		document_field_time(document, "since", VALUE_TIME, dump->since_seconds);
	document_field_number(document, "stream_count", VALUE_COUNT, max_u64(dump->streams, 1));
	document_field_bytes(document, "sink", dump->sink ? dump->sink->spec : "null");
	if (dump->sink && dump->sink->bytes_per_second > 0)
		document_field_real(document, "sink_bytes_per_second", VALUE_RATE,
			dump->sink->bytes_per_second);
	if (dump->max_file_bytes)
		document_field_number(
			document, "max_file_bytes", VALUE_BYTES, dump->max_file_bytes);
	document_field_number(document, "exclude_nodump", VALUE_COUNT, dump->exclude_nodump);
	document_field_number(document, "no_attributes", VALUE_COUNT, dump->no_attributes);
}

/* Rates that somebody knew. */
static void add_rates(struct document *document, const struct calibration *calibration)
{
	autofree char *path = bytes_escape(calibration->path, strlen(calibration->path));

	document_field_bytes(document, "rates", calibration->path);
	document_before(document, "By the rates in %s, not by a calibration.", path ? path : "");
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
	if (!calibration->calibration_id) {
		add_rates(document, calibration);
		return;
	}
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
		value_set_real(&row[PHASE_LOW], prediction->phases_low[i]);
		value_set_real(&row[PHASE_HIGH], prediction->phases_high[i]);
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
		value_set_real(&row[USER_TINY_SECONDS], user->tiny_seconds);
		set_share(&row[USER_SHARE], user->seconds, prediction->seconds);
	}
	return table;
}

static void add_streams(struct document *document, const struct prediction *prediction)
{
	struct table *table = document_table(
		document, "streams", "By stream:", stream_columns, ARRAY_LENGTH(stream_columns));

	for (unsigned i = 0; i < prediction->stream_count; i++) {
		const struct dump_stream *stream = &prediction->streams[i];
		struct value *row = table_row(document, table);

		if (!row)
			return;
		value_set_number(&row[STREAM], i);
		value_set_number(&row[STREAM_START], stream->first_ino);
		value_set_number(&row[STREAM_FILES], (uint64_t)llround(stream->files));
		value_set_number(&row[STREAM_BYTES], (uint64_t)llround(stream->bytes));
		value_set_real(&row[STREAM_SECONDS], stream->seconds);
	}
}

static void add_variant(struct document *document, struct table *table,
	const struct prediction_variant *variant, double as_is)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_bytes(document, &row[VARIANT], variant->label);
	if (!(variant->seconds >= 0))
		return;
	value_set_real(&row[VARIANT_SECONDS], variant->seconds);
	value_set_real(&row[VARIANT_LOW], variant->low_seconds);
	value_set_real(&row[VARIANT_HIGH], variant->high_seconds);
	set_share(&row[VARIANT_SHARE], variant->seconds, as_is);
	value_set_number(&row[VARIANT_BYTES], variant->dump_bytes);
	value_set_number(&row[VARIANT_FILES], variant->files);
	value_set_text(document, &row[VARIANT_BOTTLENECK], verdict_cause_name(variant->cause));
}

static void add_variants(struct document *document, const struct prediction *prediction)
{
	struct table *table = document_table(document, "variants",
		"What it would be if:", variant_columns, ARRAY_LENGTH(variant_columns));

	for (size_t i = 0; i < prediction->variant_count; i++)
		add_variant(document, table, &prediction->variants[i], prediction->seconds);
}

static void add_shares(struct document *document, const struct prediction *prediction)
{
	struct table *table = document_table(
		document, "shares", NULL, cause_columns, ARRAY_LENGTH(cause_columns));

	if (table)
		table->flags = TABLE_DATA_ONLY;
	for (int i = 0; i < VERDICT_CAUSES; i++) {
		struct value *row = table_row(document, table);

		if (!row)
			return;
		value_set_text(document, &row[CAUSE], verdict_cause_name(i));
		value_set_real(&row[CAUSE_SECONDS], prediction->verdict.seconds[i]);
		set_share(&row[CAUSE_SHARE], prediction->verdict.seconds[i], prediction->seconds);
	}
}

int report_prediction(const struct report_input *input, struct document *document, struct err *err)
{
	const struct prediction *prediction = input->prediction;
	struct table *users;
	int rc;

	report_begin(document, "predict", input);
	document->csv_fields = !prediction->variant_count;
	add_fields(document, prediction);
	add_dump(document, input->dump);
	prediction_text_answer(document, input);
	prediction_text_verdict(document, input);
	add_calibration(document, input->calibration);
	learned_add(document, input->history, input->uncorrected);
	prediction_text_warnings(document, input);
	if (prediction->variant_count)
		add_variants(document, prediction);
	add_phases(document, prediction);
	add_shares(document, prediction);
	if (prediction->stream_count)
		add_streams(document, prediction);
	add_classes(document, prediction);
	users = add_users(document, input->options, prediction);
	rc = report_arrange_owners(document, users, input->options, input->options->top, OWNER_USER,
		(struct owner_columns){.label = OWNER, .id = ID, .name = NAME}, err);
	if (rc)
		return rc;
	if (input->uncorrected)
		learned_add_rows(document, input->history);
	return report_end(document, err);
}
