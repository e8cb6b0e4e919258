// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report metrics`: numbers for a monitoring system. Names follow what Prometheus asks for: base
 * units at the end, labels for what is counted apart. Every series has the labels `filesystem` and
 * `fs_id`; how many there are depends on the options and not on how many users there are.
 */
#include "reports/common.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "reports/bands.h"
#include "reports/owner_sums.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define AHEAD_DAYS 30

/* The labels that every table begins with. */
enum { FILESYSTEM, FS_ID, FIRST_VALUE };

#define LABELS                                                                  \
	[FILESYSTEM] = {"filesystem", "FILESYSTEM", VALUE_TEXT, COLUMN_STRETCH, \
		"where it is mounted, else its device"},                        \
	[FS_ID] = {"fs_id", "ID", VALUE_TEXT, COLUMN_DATA_ONLY, "its id"}

static void set_labels(struct document *document, struct value *row, const struct scan_info *scan)
{
	autofree char *place = report_place(scan);

	if (!place)
		document->code = -ENOMEM;
	value_set_text(document, &row[FILESYSTEM], place);
	value_set_text(document, &row[FS_ID], scan->fs_id);
}

/* A new row with its labels; NULL without memory. */
static struct value *add_row(
	struct document *document, struct table *table, const struct report_input *input)
{
	struct value *row = table_row(document, table);

	if (row)
		set_labels(document, row, input->scan);
	return row;
}

/* --- The scan and its totals --------------------------------------------------------------- */

enum {
	STARTED = FIRST_VALUE,
	DURATION,
	UNREADABLE,
	CAPACITY,
	FILES,
	FILE_BYTES,
	TINY_EDGE,
	TINY_FILES,
	TINY_BYTES,
	ALLOCATED_BYTES,
	USERS,
};

static const struct column scan_columns[] = {
	LABELS,
	[STARTED] = {"scan_timestamp_seconds", "SCAN", VALUE_TIME, 0,
		"When the newest scan began, since 1970."},
	[DURATION] = {"scan_duration_seconds", "TOOK", VALUE_SECONDS, 0, "How long it took."},
	[UNREADABLE] = {"scan_failures", "UNREADABLE", VALUE_COUNT, 0,
		"What it could not read, of all kinds."},
	[CAPACITY] = {"capacity_bytes", "CAPACITY", VALUE_BYTES, 0, "Size of the filesystem."},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "Regular files."},
	[FILE_BYTES] = {"file_size_bytes", "BYTES", VALUE_BYTES, 0, "Sizes of regular files."},
	[TINY_EDGE] = {"tiny_edge_bytes", "TINY BELOW", VALUE_BYTES, COLUMN_DATA_ONLY,
		"Regular files smaller than this are tiny."},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0, "Tiny files."},
	[TINY_BYTES] = {"tiny_file_size_bytes", "TINY BYTES", VALUE_BYTES, COLUMN_DATA_ONLY,
		"Sizes of tiny files."},
	[ALLOCATED_BYTES] = {"allocated_bytes", "ON DISK", VALUE_BYTES, COLUMN_OPTIONAL,
		"Taken on disk by all inodes."},
	[USERS] = {"users", "USERS", VALUE_COUNT, 0, "Users who own anything."},
};

static void add_scan(struct document *document, const struct report_input *input, size_t users)
{
	const struct scan_info *scan = input->scan;
	struct table *table =
		document_table(document, "scan", NULL, scan_columns, ARRAY_LENGTH(scan_columns));
	struct value *row = add_row(document, table, input);
	struct census_totals totals;

	if (!row)
		return;
	census_total(input->cube, scan->tiny_bytes, &totals);
	value_set_time(&row[STARTED], scan->started_seconds);
	value_set_real(&row[DURATION], scan->seconds);
	value_set_number(&row[UNREADABLE], scan->errors);
	value_set_number(&row[CAPACITY], scan->capacity_bytes);
	value_set_number(&row[FILES], totals.regular_files);
	value_set_number(&row[FILE_BYTES], totals.bytes);
	value_set_number(&row[TINY_EDGE], scan->tiny_bytes);
	value_set_number(&row[TINY_FILES], totals.tiny_files);
	value_set_number(&row[TINY_BYTES], totals.tiny_bytes);
	value_set_number(&row[ALLOCATED_BYTES], totals.allocated_bytes);
	value_set_number(&row[USERS], users);
}

enum { KIND = FIRST_VALUE, KIND_INODES };

static const struct column kind_columns[] = {
	LABELS,
	[KIND] = {"kind", "KIND", VALUE_TEXT, 0, "regular, directory, symlink or other"},
	[KIND_INODES] = {"inodes", "INODES", VALUE_COUNT, 0, "Inodes by kind."},
};

static void add_kinds(struct document *document, const struct report_input *input)
{
	struct table *table =
		document_table(document, "kinds", NULL, kind_columns, ARRAY_LENGTH(kind_columns));
	struct census_totals totals;

	census_total(input->cube, input->scan->tiny_bytes, &totals);
	for (size_t i = 0; i < 4; i++) {
		const char *const names[] = {"regular", "directory", "symlink", "other"};
		const uint64_t inodes[] = {
			totals.regular_files, totals.directories, totals.symlinks, totals.others};
		struct value *row = add_row(document, table, input);

		if (!row)
			return;
		value_set_text(document, &row[KIND], names[i]);
		value_set_number(&row[KIND_INODES], inodes[i]);
	}
}

/* --- Bands --------------------------------------------------------------------------------- */

enum { FROM = FIRST_VALUE, BELOW, BAND_FILES, BAND_BYTES };

static const struct column band_columns[] = {
	LABELS,
	[FROM] = {"from_bytes", "FROM BYTES", VALUE_TEXT, COLUMN_RIGHT, "smallest size"},
	[BELOW] = {"below_bytes", "BELOW BYTES", VALUE_TEXT, COLUMN_RIGHT,
		"first size above, or +Inf"},
	[BAND_FILES] = {"band_files", "FILES", VALUE_COUNT, 0, "Regular files by size."},
	[BAND_BYTES] = {"band_file_size_bytes", "BYTES", VALUE_BYTES, 0,
		"Sizes of regular files by size."},
};

static void add_bands(
	struct document *document, const struct report_input *input, const struct bands *bands)
{
	struct table *table =
		document_table(document, "bands", NULL, band_columns, ARRAY_LENGTH(band_columns));

	for (size_t band = 0; band < bands->count; band++) {
		struct cube_sums sums = bands_sum(bands, band, input->cube);
		struct value *row = add_row(document, table, input);
		char from[LABEL_BYTES], below[LABEL_BYTES];

		if (!row)
			return;
		snprintf(from, sizeof(from), "%" PRIu64, bands_low(bands, band));
		snprintf(below, sizeof(below), "%" PRIu64, bands_high(bands, band));
		value_set_text(document, &row[FROM], from);
		value_set_text(document, &row[BELOW], band + 1 < bands->count ? below : "+Inf");
		value_set_number(&row[BAND_FILES], sums.inodes);
		value_set_number(&row[BAND_BYTES], sums.size_bytes);
	}
}

/* --- The window ---------------------------------------------------------------------------- */

enum {
	WINDOW = FIRST_VALUE,
	WINDOW_LOW,
	WINDOW_HIGH,
	DUMP_BYTES,
	CALIBRATED,
	AHEAD,
	AHEAD_LOW,
	AHEAD_HIGH,
	TINY_AHEAD,
};

static const struct column window_columns[] = {
	LABELS,
	[WINDOW] = {"window_seconds", "WINDOW", VALUE_SECONDS, 0,
		"Predicted time of a level-0 dump."},
	[WINDOW_LOW] = {"window_low_seconds", "LOW", VALUE_SECONDS, 0,
		"Low end of its 95 % interval."},
	[WINDOW_HIGH] = {"window_high_seconds", "HIGH", VALUE_SECONDS, 0,
		"High end of its 95 % interval."},
	[DUMP_BYTES] = {"dump_bytes", "DUMP", VALUE_BYTES, 0, "Predicted size of a level-0 dump."},
	[CALIBRATED] = {"calibration_timestamp_seconds", "CALIBRATED", VALUE_TIME, COLUMN_OPTIONAL,
		"When the calibration behind it began, since 1970."},
	[AHEAD] = {"window_forecast_seconds", "IN 30 DAYS", VALUE_SECONDS, 0,
		"What the window is expected to be 30 days after the newest scan."},
	[AHEAD_LOW] = {"window_forecast_low_seconds", "LOW", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"Low end of the 95 % interval of that."},
	[AHEAD_HIGH] = {"window_forecast_high_seconds", "HIGH", VALUE_SECONDS, COLUMN_DATA_ONLY,
		"High end of the 95 % interval of that."},
	[TINY_AHEAD] = {"tiny_files_forecast", "TINY THEN", VALUE_REAL, COLUMN_DATA_ONLY,
		"Tiny files expected 30 days after the newest scan."},
};

static void set_forecasts(struct value *row, const struct trend *trend)
{
	const struct forecast *window = &trend->forecasts[HISTORY_WINDOW];
	const struct forecast *tiny = &trend->forecasts[HISTORY_TINY_FILES];
	double ahead = AHEAD_DAYS * SECONDS_PER_DAY, low, high;

	if (window->state == FORECAST_MADE) {
		value_set_real(&row[AHEAD],
			forecast_value(window, window->until_seconds + ahead, &low, &high));
		value_set_real(&row[AHEAD_LOW], low);
		value_set_real(&row[AHEAD_HIGH], high);
	}
	if (tiny->state == FORECAST_MADE)
		value_set_real(&row[TINY_AHEAD],
			forecast_value(tiny, tiny->until_seconds + ahead, &low, &high));
}

static void add_window(struct document *document, const struct report_input *input)
{
	const struct prediction *prediction = input->prediction;
	struct table *table = document_table(
		document, "window", NULL, window_columns, ARRAY_LENGTH(window_columns));
	struct value *row = add_row(document, table, input);

	if (!row)
		return;
	if (prediction) {
		value_set_real(&row[WINDOW], prediction->seconds);
		value_set_real(&row[WINDOW_LOW], prediction->low_seconds);
		value_set_real(&row[WINDOW_HIGH], prediction->high_seconds);
		value_set_number(&row[DUMP_BYTES], prediction->dump_bytes);
	}
	if (input->calibration)
		value_set_time(&row[CALIBRATED], input->calibration->started_seconds);
	if (input->trend)
		set_forecasts(row, input->trend);
}

enum { PHASE = FIRST_VALUE, PHASE_SECONDS };

static const struct column phase_columns[] = {
	LABELS,
	[PHASE] = {"phase", "PHASE", VALUE_TEXT, 0, "of the dump"},
	[PHASE_SECONDS] = {"window_phase_seconds", "TIME", VALUE_SECONDS, 0,
		"Predicted time of a level-0 dump by phase."},
};

static void add_phases(struct document *document, const struct report_input *input)
{
	struct table *table = document_table(
		document, "phases", NULL, phase_columns, ARRAY_LENGTH(phase_columns));

	for (int phase = 0; input->prediction && phase < PREDICTION_PHASES; phase++) {
		struct value *row = add_row(document, table, input);

		if (!row)
			return;
		value_set_text(
			document, &row[PHASE], prediction_phase_name((enum prediction_phase)phase));
		value_set_real(&row[PHASE_SECONDS], input->prediction->phases[phase]);
	}
}

/* --- Users --------------------------------------------------------------------------------- */

enum { USER = FIRST_VALUE, UID, USER_FILES, USER_TINY, USER_BYTES, USER_ALLOCATED, USER_WINDOW };

static const struct column user_columns[] = {
	LABELS,
	[USER] = {"user", "USER", VALUE_TEXT, COLUMN_STRETCH, "who; other: the rest"},
	[UID] = {"uid", "UID", VALUE_ID, COLUMN_DATA_ONLY, "numeric id; none for the rest"},
	[USER_FILES] = {"user_files", "FILES", VALUE_COUNT, 0, "Regular files by user."},
	[USER_TINY] = {"user_tiny_files", "TINY", VALUE_COUNT, 0, "Tiny files by user."},
	[USER_BYTES] = {"user_file_size_bytes", "BYTES", VALUE_BYTES, 0,
		"Sizes of regular files by user."},
	[USER_ALLOCATED] = {"user_allocated_bytes", "ON DISK", VALUE_BYTES, COLUMN_OPTIONAL,
		"Taken on disk by user."},
	[USER_WINDOW] = {"user_window_seconds", "WINDOW", VALUE_SECONDS, 0,
		"Predicted time in a level-0 dump by user."},
};

/* uid → predicted seconds. Returns 0 or -ENOMEM. */
static int map_seconds(const struct prediction *prediction, struct hashmap *seconds)
{
	for (size_t i = 0; prediction && i < prediction->user_count; i++) {
		double *value = hashmap_upsert(
			seconds, (struct hashmap_key){.low = prediction->users[i].uid});

		if (!value)
			return -ENOMEM;
		*value = prediction->users[i].seconds;
	}
	return 0;
}

static void add_user(struct document *document, struct table *table,
	const struct report_input *input, const struct owner_sums *owner,
	const struct hashmap *seconds)
{
	const double *value = hashmap_find(seconds, (struct hashmap_key){.low = owner->id});
	struct value *row = add_row(document, table, input);

	if (!row)
		return;
	value_set_number(&row[UID], owner->id);
	value_set_number(&row[USER_FILES], owner->files);
	value_set_number(&row[USER_TINY], owner->tiny_files);
	value_set_number(&row[USER_BYTES], owner->bytes);
	value_set_number(&row[USER_ALLOCATED], owner->allocated_bytes);
	if (value)
		value_set_real(&row[USER_WINDOW], *value);
}

/* What was folded away is a row of its own, so that the users add up to the filesystem. */
static void add_rest(
	struct document *document, struct table *table, const struct report_input *input)
{
	struct value *row = table && table->rest ? add_row(document, table, input) : NULL;

	if (!row)
		return;
	value_set_text(document, &row[USER], "other");
	for (size_t i = USER_FILES; i < table->column_count; i++)
		row[i] = table->rest[i];
	free(table->rest);
	table->rest = NULL;
}

static int add_users(struct document *document, const struct report_input *input,
	const struct owner_list *owners, struct err *err)
{
	struct table *table =
		document_table(document, "users", NULL, user_columns, ARRAY_LENGTH(user_columns));
	struct hashmap seconds;
	int rc;

	hashmap_init(&seconds, sizeof(double));
	if (map_seconds(input->prediction, &seconds))
		document->code = -ENOMEM;
	for (size_t i = 0; i < owners->count; i++)
		add_user(document, table, input, &owners->owners[i], &seconds);
	hashmap_fini(&seconds);
	rc = report_arrange_owners(document, table, input->options, input->options->top, OWNER_USER,
		(struct owner_columns){.label = USER, .id = UID, .name = USER}, err);
	if (!rc)
		add_rest(document, table, input);
	return rc;
}

int report_metrics(const struct report_input *input, struct document *document, struct err *err)
{
	struct owner_list owners = {0};
	struct bands bands;
	int rc = bands_init(&bands, input->options, err);

	report_begin(document, "metrics", input);
	if (rc)
		return rc;
	if (owner_list_make(input, OWNER_USER, &owners))
		document->code = -ENOMEM;
	add_scan(document, input, owners.count);
	add_kinds(document, input);
	add_bands(document, input, &bands);
	add_window(document, input);
	add_phases(document, input);
	rc = add_users(document, input, &owners, err);
	owner_list_fini(&owners);
	return rc ? rc : report_end(document, err);
}
