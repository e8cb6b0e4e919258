// SPDX-License-Identifier: GPL-2.0-or-later
/* See common.h. */
#include "reports/common.h"

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void report_begin(struct document *document, const char *name, const struct report_input *input)
{
	const struct scan_info *scan = input->scan;

	document_init(document, name);
	document_field_number(document, "scan_id", VALUE_ID, (uint64_t)scan->scan_id);
	document_field_text(document, "fs_id", scan->fs_id);
	document_field_text(document, "fs_type", scan->fs_type);
	document_field_bytes(document, "path", scan->path);
	document_field_bytes(document, "mount_point", scan->mount_point);
	document_field_text(document, "scope", scan->whole_filesystem ? "filesystem" : "tree");
	document_field_bytes(document, "device", scan->device);
	document_field_text(document, "engine", scan->engine);
	document_field_time(document, "started", VALUE_TIME, scan->started_seconds);
	document_field_number(document, "tiny_edge_bytes", VALUE_BYTES, scan->tiny_bytes);
	if (input->options && input->options->has_user)
		document_field_number(document, "user", VALUE_ID, input->options->user);
}

int report_end(const struct document *document, struct err *err)
{
	return document->code ? err_set(err, document->code, "out of memory for the report") : 0;
}

/* The keys that a table can be sorted by, comma-separated, cut if there is no room. */
static void list_keys(const struct table *table, char *out, size_t out_bytes)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < table->column_count && used < out_bytes; i++) {
		if (!(table->columns[i].flags & COLUMN_TEXT_ONLY))
			used += (size_t)snprintf(out + used, out_bytes - used, "%s%s",
				used ? ", " : "", table->columns[i].key);
	}
}

int report_sort(struct table *table, const struct report_options *options, struct err *err)
{
	autofree char *key = NULL;
	char keys[ERR_MESSAGE_BYTES / 2];
	int rc;

	if (!table || !options->sort)
		return 0;
	rc = table_sort(table, options->sort);
	if (rc != -EINVAL)
		return rc ? err_set(err, rc, "out of memory for sorting") : 0;
	list_keys(table, keys, sizeof(keys));
	key = bytes_escape(options->sort, strlen(options->sort));
	return err_set(err, -EINVAL, "this report has no column \"%s\" to sort by; it has %s",
		key ? key : "?", keys);
}

char *report_owner_label(
	const struct report_options *options, enum owner_kind kind, uint32_t id, char **name)
{
	static const char *const prefixes[] = {
		[OWNER_USER] = "uid",
		[OWNER_GROUP] = "gid",
		[OWNER_PROJECT] = "project",
	};
	autofree char *raw = NULL;
	char *escaped = NULL, *label = NULL;

	if (name)
		*name = NULL;
	if (options->owner_name)
		raw = options->owner_name(kind, id, options->context);
	if (raw && raw[0])
		escaped = bytes_escape(raw, strlen(raw));
	if (raw && raw[0] && !escaped)
		return NULL;
	if (escaped)
		label = strdup(escaped);
	else if (asprintf(&label, "%s %" PRIu32, prefixes[kind], id) < 0)
		label = NULL;
	if (name && label)
		*name = escaped;
	else
		free(escaped);
	return label;
}

/* Says in the cells who the owner is; does nothing where that is said already. */
static void set_owner(struct document *document, struct value *row,
	const struct report_options *options, enum owner_kind kind, struct owner_columns cells)
{
	autofree char *name = NULL, *label = NULL;

	if (row[cells.label].present)
		return;
	label = report_owner_label(options, kind, (uint32_t)row[cells.id].number, &name);
	if (!label) {
		document->code = -ENOMEM;
		return;
	}
	value_set_text(document, &row[cells.label], label);
	if (cells.name != cells.label)
		value_set_text(document, &row[cells.name], name);
}

static void set_owners(struct document *document, const struct table *table,
	const struct report_options *options, enum owner_kind kind, struct owner_columns cells)
{
	for (size_t i = 0; table && i < table->row_count; i++)
		set_owner(document, table_cells(table, i), options, kind, cells);
}

int report_arrange(struct document *document, struct table *table,
	const struct report_options *options, struct err *err)
{
	int rc = report_sort(table, options, err);

	if (!rc)
		table_fold(document, table, options->top);
	return rc;
}

int report_arrange_owners(struct document *document, struct table *table,
	const struct report_options *options, size_t top, enum owner_kind kind,
	struct owner_columns cells, struct err *err)
{
	int rc;

	if (options->sort && !strcmp(options->sort, "name"))
		set_owners(document, table, options, kind, cells);
	rc = report_sort(table, options, err);
	if (rc)
		return rc;
	table_fold(document, table, top);
	set_owners(document, table, options, kind, cells);
	return 0;
}

const char *report_size_range(uint64_t low_bytes, uint64_t high_bytes, char out[LABEL_BYTES])
{
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	unit_format_bytes(low_bytes, low);
	unit_format_bytes(high_bytes, high);
	if (high_bytes == 1)
		snprintf(out, LABEL_BYTES, "empty");
	else if (high_bytes - low_bytes == 1)
		snprintf(out, LABEL_BYTES, "%s", low);
	else if (high_bytes == UINT64_MAX)
		snprintf(out, LABEL_BYTES, "%s and more", low);
	else if (!low_bytes)
		snprintf(out, LABEL_BYTES, "below %s", high);
	else
		snprintf(out, LABEL_BYTES, "%s – %s", low, high);
	return out;
}

const char *report_plural(uint64_t count, const char *one, const char *many, char out[LABEL_BYTES])
{
	char number[UNIT_TEXT_BYTES];

	snprintf(out, LABEL_BYTES, "%s %s", unit_format_count(count, number),
		count == 1 ? one : many);
	return out;
}

const char *report_time(int64_t seconds, char out[LABEL_BYTES])
{
	time_t time = seconds;
	struct tm tm;

	if (!gmtime_r(&time, &tm) || !strftime(out, LABEL_BYTES, "%Y-%m-%d %H:%M UTC", &tm))
		snprintf(out, LABEL_BYTES, "an unknown time");
	return out;
}

const char *report_day(double seconds, char out[LABEL_BYTES])
{
	bool has_day = fabs(seconds) < 1e15; /* beyond, no calendar has days */
	time_t time = has_day ? (time_t)seconds : 0;
	struct tm tm;

	if (!has_day || !gmtime_r(&time, &tm) || !strftime(out, LABEL_BYTES, "%Y-%m-%d", &tm))
		snprintf(out, LABEL_BYTES, "an unknown day");
	return out;
}

char *report_place(const struct scan_info *scan)
{
	const char *place = scan->whole_filesystem && scan->mount_point ? scan->mount_point
			    : scan->path                                ? scan->path
			    : scan->device                              ? scan->device
									: scan->fs_id;

	return bytes_escape(place, strlen(place));
}

/* "/srv/home · XFS on /dev/md127", each part as far as it is known; to be freed. */
static char *filesystem_text(const struct scan_info *scan)
{
	const char *place =
		scan->whole_filesystem && scan->mount_point ? scan->mount_point : scan->path;
	autofree char *where = place ? bytes_escape(place, strlen(place)) : NULL;
	autofree char *device =
		scan->device ? bytes_escape(scan->device, strlen(scan->device)) : NULL;
	bool is_xfs = !strcmp(scan->fs_type, "xfs");
	char *text;

	if (asprintf(&text, "%s%s%s%s%s", where ? where : "", where ? " · " : "",
		    is_xfs ? "XFS" : scan->fs_type, device ? " on " : "", device ? device : "") < 0)
		return NULL;
	return text;
}

void report_scan_line(struct document *document, const struct scan_info *scan, uint64_t inodes)
{
	autofree char *filesystem = filesystem_text(scan);
	char number[LABEL_BYTES], time[LABEL_BYTES], seconds[UNIT_TEXT_BYTES];
	char id[LABEL_BYTES] = "scan of", unreadable[LABEL_BYTES] = "";

	if (!filesystem) {
		document->code = -ENOMEM;
		return;
	}
	if (scan->scan_id)
		snprintf(id, sizeof(id), "scan %" PRId64 " of", scan->scan_id);
	if (scan->errors) {
		unit_format_count(scan->errors, number);
		snprintf(unreadable, sizeof(unreadable), " · %s unreadable", number);
	}
	document_before(document, "%s · %s %s · %s engine · %s in %s%s", filesystem, id,
		report_time(scan->started_seconds, time), scan->engine,
		report_plural(inodes, "inode", "inodes", number),
		unit_format_seconds(scan->seconds, seconds), unreadable);
}

static void failure_kind_lines(
	struct document *document, const struct failures *failures, int kind, int examples)
{
	char inodes[LABEL_BYTES], number[UNIT_TEXT_BYTES];

	document_after(document, "  %s: %s%s%s%s", failure_kind_text(kind),
		unit_format_count(failures->count[kind], number),
		!failures->inodes[kind]  ? ""
		: kind == FAILURE_HIDDEN ? " (at least "
					 : " (",
		failures->inodes[kind] ? report_plural(failures->inodes[kind], "inode is missing",
						 "inodes are missing", inodes)
				       : "",
		failures->inodes[kind] ? ")" : "");
	for (int i = 0; i < examples && i < FAILURE_EXAMPLES; i++) {
		const struct failure_example *example = &failures->examples[kind][i];

		if (example->what)
			document_after(document, "    %s%s%s", example->what,
				example->code ? ": " : "",
				example->code ? strerror(-example->code) : "");
	}
}

void report_failure_lines(struct document *document, const struct failures *failures, int examples)
{
	if (!failures || !failures_total(failures))
		return;
	document_after(document, "The numbers above are not complete:");
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		if (failures->count[kind])
			failure_kind_lines(document, failures, kind, examples);
	}
}

int report_total(const struct report_input *input, struct census_totals *totals)
{
	struct cube cube;
	int rc = 0;

	if (!input->options->has_user) {
		census_total(input->cube, input->scan->tiny_bytes, totals);
		return 0;
	}
	cube_init(&cube);
	for (size_t i = 0; i < cube_count(input->cube) && !rc; i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(input->cube, i, &key);

		if (report_wants(input->options, key.uid))
			rc = cube_add(&cube, &key, sums);
	}
	census_total(&cube, input->scan->tiny_bytes, totals);
	cube_fini(&cube);
	return rc;
}

void report_total_fields(struct document *document, const struct census_totals *totals)
{
	const struct {
		const char *key;
		enum value_type type;
		uint64_t number;
	} fields[] = {
		{"inodes", VALUE_COUNT, totals->inodes},
		{"regular_files", VALUE_COUNT, totals->regular_files},
		{"directories", VALUE_COUNT, totals->directories},
		{"symlinks", VALUE_COUNT, totals->symlinks},
		{"others", VALUE_COUNT, totals->others},
		{"tiny_files", VALUE_COUNT, totals->tiny_files},
		{"bytes", VALUE_BYTES, totals->bytes},
		{"allocated_bytes", VALUE_BYTES, totals->allocated_bytes},
		{"tiny_bytes", VALUE_BYTES, totals->tiny_bytes},
		{"stream_bytes", VALUE_BYTES, totals->stream_bytes},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
		document_field_number(document, fields[i].key, fields[i].type, fields[i].number);
}
