// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `calibrate`: what the sample says of reading here, one row a size class; then metadata, and the
 * array as such. Whatever makes it less than it seems is said.
 */
#include "reports/common.h"

#include "analyzer/census/size_class.h"
#include "analyzer/window/cost_table.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <math.h>

enum { SIZE, CLASS, LOW, HIGH, FILES, BYTES, SECONDS, PER_FILE, RATE, LEFT_OUT };

static const struct column columns[] = {
	[SIZE] = SIZE_COLUMN(COLUMN_STRETCH),
	[CLASS] = {"class", "CLASS", VALUE_ID, COLUMN_DATA_ONLY, "size class"},
	[LOW] = LOW_COLUMN,
	[HIGH] = HIGH_COLUMN,
	[FILES] = {"sampled_files", "SAMPLED", VALUE_COUNT, 0, "files read"},
	[BYTES] = {"sampled_bytes", "READ", VALUE_BYTES, COLUMN_OPTIONAL, "bytes read of them"},
	[SECONDS] = {"seconds", "TIME", VALUE_SECONDS, COLUMN_OPTIONAL,
		"opening, reading, closing them"},
	[PER_FILE] = {"seconds_per_file", "A FILE", VALUE_SECONDS, COLUMN_NO_SUM,
		"seconds ÷ files"},
	[RATE] = {"bytes_per_second", "RATE", VALUE_RATE, COLUMN_NO_SUM, "bytes ÷ seconds"},
	[LEFT_OUT] = {"left_out_files", "LEFT OUT", VALUE_COUNT, COLUMN_OPTIONAL,
		"files left out since the page cache held them or their neighbours"},
};

enum { PASS, PASS_UNITS, PASS_BYTES, PASS_SECONDS, PASS_ASSUMED };

static const struct column pass_columns[] = {
	[PASS] = {"pass", "PASS", VALUE_TEXT, 0, "inode-map, directories or inodes"},
	[PASS_UNITS] = {"units", "MEASURED ON", VALUE_COUNT, 0, "inodes, or directories"},
	[PASS_BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "bytes of directory entries"},
	[PASS_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "what the measured part took"},
	[PASS_ASSUMED] = {"assumed_seconds", "OF IT ASSUMED", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"put at what the device takes for what was in memory"},
};

enum { PATTERN, READ, READ_BYTES, AT_ONCE, READS, READ_SECONDS, PER_READ, READ_RATE, READS_RATE };

static const struct column array_columns[] = {
	[PATTERN] = {"pattern", "PATTERN", VALUE_TEXT, 0, "sequential or random"},
	[READ] = {"size", "READS OF", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_RIGHT,
		"bytes of a read"},
	[READ_BYTES] = {"read_bytes", "READS OF", VALUE_BYTES, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"bytes of a read"},
	[AT_ONCE] = {"at_once", "AT ONCE", VALUE_COUNT, COLUMN_NO_SUM, "reads under way at a time"},
	[READS] = {"reads", "READS", VALUE_COUNT, 0, "how many"},
	[READ_SECONDS] = {"seconds", "TIME", VALUE_SECONDS, 0, "for all of them"},
	[PER_READ] = {"seconds_per_read", "A READ", VALUE_SECONDS, COLUMN_NO_SUM,
		"seconds × reads at a time ÷ reads"},
	[READ_RATE] = {"bytes_per_second", "RATE", VALUE_RATE, COLUMN_NO_SUM, "bytes ÷ seconds"},
	[READS_RATE] = {"reads_per_second", "READS/S", VALUE_RATE, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"reads ÷ seconds"},
};

#define NOTICED_SHARE 0.05 /* of what calibrating read: others' reads and writes are told */
#define NOTICED_DRIFT 0.1
#define WIDE_SHARE    0.1

struct class_sums {
	uint64_t files;
	uint64_t left_out;
	uint64_t bytes;
	double seconds;
};

static void collect(const struct calibration *calibration, struct class_sums classes[SIZE_CLASSES],
	struct class_sums *all)
{
	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];
		struct class_sums *const both[] = {&classes[cell->size_class], all};

		for (size_t j = 0; j < ARRAY_LENGTH(both); j++) {
			both[j]->files = sat_add_u64(both[j]->files, cell->files);
			both[j]->left_out = sat_add_u64(both[j]->left_out, cell->left_out);
			both[j]->bytes = sat_add_u64(both[j]->bytes, cell->bytes);
			both[j]->seconds += cell->file_seconds + cell->data_seconds;
		}
	}
}

static void add_row(struct document *document, struct table *table, unsigned size_class,
	const struct class_sums *sums)
{
	struct value *row = table_row(document, table);
	char range[LABEL_BYTES];

	if (!row)
		return;
	value_set_text(document, &row[SIZE],
		report_size_range(size_class_low(size_class), size_class_high(size_class), range));
	value_set_number(&row[CLASS], size_class);
	value_set_number(&row[LOW], size_class_low(size_class));
	value_set_number(&row[HIGH], size_class_high(size_class));
	value_set_number(&row[FILES], sums->files);
	value_set_number(&row[BYTES], sums->bytes);
	value_set_real(&row[SECONDS], sums->seconds);
	value_set_number(&row[LEFT_OUT], sums->left_out);
	if (sums->files)
		value_set_real(&row[PER_FILE], sums->seconds / (double)sums->files);
	if (sums->bytes && sums->seconds > 0)
		value_set_real(&row[RATE], (double)sums->bytes / sums->seconds);
}

static void add_passes(struct document *document, const struct calibration *calibration)
{
	static const char *const names[PASS_FEW_EXTENTS] = {
		[PASS_INODE_MAP] = "inode-map",
		[PASS_DIRECTORIES] = "directories",
		[PASS_INODES] = "inodes",
		[PASS_LOOK_UPS] = "look-ups",
		[PASS_LISTED_AGAIN] = "directories-again",
		[PASS_ATTRS] = "attributes",
		[PASS_ATTR_BLOCKS] = "attributes-in-blocks",
	};
	struct table *table = document_table(document, "passes",
		"Metadata, measured in passes:", pass_columns, ARRAY_LENGTH(pass_columns));

	/* what of extents is for the size of dumps took no time of its own */
	for (int i = 0; i < PASS_FEW_EXTENTS; i++) {
		const struct calibration_pass *pass = &calibration->passes[i];
		struct value *row = pass->units ? table_row(document, table) : NULL;

		if (!row)
			continue;
		value_set_text(document, &row[PASS], names[i]);
		value_set_number(&row[PASS_UNITS], pass->units);
		if (pass->bytes || i == PASS_DIRECTORIES)
			value_set_number(&row[PASS_BYTES], pass->bytes);
		value_set_real(&row[PASS_SECONDS], pass->seconds);
		value_set_real(&row[PASS_ASSUMED], pass->assumed_seconds);
	}
}

static void add_reading(
	struct document *document, struct table *table, const struct array_reading *reading)
{
	struct value *row = table_row(document, table);
	char bytes[UNIT_TEXT_BYTES];

	if (!row)
		return;
	value_set_text(document, &row[PATTERN], reading->sequential ? "sequential" : "random");
	value_set_text(document, &row[READ], unit_format_bytes(reading->read_bytes, bytes));
	value_set_number(&row[READ_BYTES], reading->read_bytes);
	value_set_number(&row[AT_ONCE], reading->at_once);
	value_set_number(&row[READS], reading->reads);
	value_set_real(&row[READ_SECONDS], reading->seconds);
	if (!reading->reads || reading->seconds <= 0)
		return;
	value_set_real(
		&row[PER_READ], reading->seconds * reading->at_once / (double)reading->reads);
	value_set_real(
		&row[READ_RATE], (double)reading->reads * reading->read_bytes / reading->seconds);
	value_set_real(&row[READS_RATE], (double)reading->reads / reading->seconds);
}

static void add_array(struct document *document, const struct calibration *calibration)
{
	struct table *table = document_table(document, "array",
		"The array as such, past all caches:", array_columns, ARRAY_LENGTH(array_columns));

	for (unsigned i = 0; i < calibration->reading_count; i++)
		add_reading(document, table, &calibration->readings[i]);
}

static void add_sink_fields(struct document *document, const struct sink *sink)
{
	if (!sink->spec)
		return;
	document_field_bytes(document, "sink", sink->spec);
	if (isfinite(sink->bytes_per_second))
		document_field_real(
			document, "sink_bytes_per_second", VALUE_RATE, sink->bytes_per_second);
	document_field_number(document, "sink_buffer_bytes", VALUE_BYTES, sink->buffer_bytes);
	document_field_real(document, "sink_record_seconds", VALUE_SECONDS, sink->record_seconds);
	document_field_number(document, "sink_measured_bytes", VALUE_BYTES, sink->measured_bytes);
	document_field_real(
		document, "sink_measured_seconds", VALUE_SECONDS, sink->measured_seconds);
}

static void add_fields(struct document *document, const struct calibration *calibration,
	const struct class_sums *all)
{
	document_field_number(
		document, "calibration_id", VALUE_ID, (uint64_t)calibration->calibration_id);
	document_field_text(document, "fs_id", calibration->fs_id);
	document_field_bytes(document, "path", calibration->path);
	document_field_bytes(document, "device", calibration->device);
	document_field_bytes(document, "device_identity", calibration->device_identity);
	document_field_time(document, "started", VALUE_TIME, calibration->started_seconds);
	document_field_real(document, "seconds", VALUE_SECONDS, calibration->seconds);
	document_field_real(document, "budget_seconds", VALUE_SECONDS, calibration->budget_seconds);
	document_field_number(document, "runs", VALUE_COUNT, calibration->runs);
	document_field_number(document, "sampled_files", VALUE_COUNT, all->files);
	document_field_number(document, "sampled_bytes", VALUE_BYTES, all->bytes);
	document_field_number(document, "picked_files", VALUE_COUNT, calibration->picked_files);
	document_field_number(document, "cached_files", VALUE_COUNT, calibration->cached_files);
	document_field_number(document, "picked_runs", VALUE_COUNT, calibration->picked_runs);
	document_field_number(document, "skipped_files", VALUE_COUNT, calibration->skipped_files);
	document_field_number(document, "inodes", VALUE_COUNT, calibration->inodes);
	document_field_number(document, "nice", VALUE_COUNT, calibration->nice);
	document_field_real(document, "interval_share", VALUE_SHARE, calibration->interval_share);
	document_field_real(document, "drift", VALUE_SHARE, calibration->drift);
	document_field_number(document, "read_bytes", VALUE_BYTES, calibration->read_bytes);
	document_field_number(
		document, "others_read_bytes", VALUE_BYTES, calibration->others_read_bytes);
	document_field_number(
		document, "others_written_bytes", VALUE_BYTES, calibration->others_written_bytes);
	add_sink_fields(document, &calibration->sink);
}

/* How far it can be trusted: the interval, and who else was at work. */
static void add_certainty_lines(struct document *document, const struct calibration *calibration)
{
	double interval = calibration->interval_share;
	uint64_t others =
		sat_add_u64(calibration->others_read_bytes, calibration->others_written_bytes);
	double assumed = 0;
	char text[UNIT_TEXT_BYTES], written[UNIT_TEXT_BYTES];

	for (int i = 0; i < CALIBRATION_PASSES; i++)
		assumed += calibration->passes[i].assumed_seconds;
	if (interval > 0)
		document_before(document, "What all files take is known to ±%s%s.",
			unit_format_share(interval, 1, text),
			interval > WIDE_SHARE ? "; a larger --budget would narrow that" : "");
	if (calibration->nice)
		document_before(document,
			"It was nice: others had two thirds of the time, which is not counted, and "
			"their reads went first: if they were busy, it tells too much.");
	if ((double)others > NOTICED_SHARE * (double)calibration->read_bytes)
		document_before(document,
			"Others used the disk meanwhile (read %s, written %s): alone it is faster.",
			unit_format_bytes(calibration->others_read_bytes, text),
			unit_format_bytes(calibration->others_written_bytes, written));
	if (calibration->drift > NOTICED_DRIFT)
		document_before(document,
			"Its speed changed by %s meanwhile, more than the files explain: calibrate "
			"when the load is what it is during the backup.",
			unit_format_share(calibration->drift, 1, text));
	if (assumed > 0)
		document_before(document,
			"Metadata was in memory; what it takes from the device, %s, was put in.",
			unit_format_seconds(assumed, text));
	if (!calibration->reading_count)
		document_before(document,
			"The device itself could not be read: nothing is known of it as such.");
}

static void add_sink_line(struct document *document, const struct sink *sink)
{
	char rate[UNIT_TEXT_BYTES], buffer[UNIT_TEXT_BYTES];

	if (sink->spec && sink->measured_bytes)
		document_before(document,
			"The sink takes %s in the long run, and %s at once before that.",
			unit_format_rate(sink->bytes_per_second, rate),
			unit_format_bytes(sink->buffer_bytes, buffer));
}

/* How much of the small files is missing: so far the interval of a prediction gets wider. */
static void add_left_out_line(struct document *document, const struct calibration *calibration,
	const struct class_sums classes[SIZE_CLASSES])
{
	uint64_t files = 0, left_out = 0;
	char share[UNIT_TEXT_BYTES];

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		if (!cost_needs_neighbours(i))
			continue;
		files = sat_add_u64(files, classes[i].files);
		left_out = sat_add_u64(left_out, classes[i].left_out);
	}
	if (!calibration->cached_files ||
		(double)left_out <= NOTICED_SHARE * (double)(files + left_out))
		return;
	document_before(document,
		"Of the small files looked at, %s do not count for that, and predictions "
		"are the less sure: 'echo 3 > /proc/sys/vm/drop_caches' before calibrating helps.",
		unit_format_share((double)left_out / (double)(files + left_out), 1, share));
}

static void add_lines(struct document *document, const struct calibration *calibration,
	const struct class_sums classes[SIZE_CLASSES], const struct class_sums *all)
{
	char files[LABEL_BYTES], runs[LABEL_BYTES], bytes[UNIT_TEXT_BYTES], cached[LABEL_BYTES];
	char seconds[UNIT_TEXT_BYTES], picked[LABEL_BYTES];

	if (!all->files && !calibration->cached_files && !calibration->skipped_files)
		document_before(document, "There is no regular file here to read.");
	else
		document_before(document, "Sampled %s in %s of consecutive inodes: read %s in %s.",
			report_plural(all->files, "file", "files", files),
			report_plural(calibration->runs, "run", "runs", runs),
			unit_format_bytes(all->bytes, bytes),
			unit_format_seconds(all->seconds, seconds));
	if (calibration->picked_runs)
		document_before(document,
			"The runs met few files of some sizes: %s drawn among those that hold such "
			"files.",
			report_plural(calibration->picked_runs, "more run was", "more runs were",
				picked));
	if (calibration->picked_files)
		document_before(document, "The runs met few big files: %s picked besides.",
			report_plural(calibration->picked_files, "was", "were", picked));
	if (calibration->cached_files)
		document_before(document, "Left out %s that the page cache held.",
			report_plural(calibration->cached_files, "file", "files", cached));
	add_left_out_line(document, calibration, classes);
	if (calibration->skipped_files)
		document_before(document, "Left out %s that could not be read.",
			report_plural(calibration->skipped_files, "file", "files", cached));
	add_certainty_lines(document, calibration);
	add_sink_line(document, &calibration->sink);
	if (all->files)
		document_after(document, "Next: xfscensus predict");
}

int report_calibration(const struct report_input *input, struct document *document, struct err *err)
{
	struct class_sums classes[SIZE_CLASSES] = {0}, all = {0};
	struct table *table;
	int rc;

	document_init(document, "calibrate");
	collect(input->calibration, classes, &all);
	add_fields(document, input->calibration, &all);
	add_lines(document, input->calibration, classes, &all);
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (unsigned size_class = 0; size_class < SIZE_CLASSES; size_class++) {
		if (classes[size_class].files || classes[size_class].left_out)
			add_row(document, table, size_class, &classes[size_class]);
	}
	rc = report_arrange(document, table, input->options, err);
	if (rc)
		return rc;
	add_passes(document, input->calibration);
	add_array(document, input->calibration);
	return report_end(document, err);
}
