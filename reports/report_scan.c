// SPDX-License-Identifier: GPL-2.0-or-later
/* `scan`: what was just counted, and what could not be read. */
#include "reports/common.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <string.h>

enum { KIND, MEANING, COUNT, INODES };

static const struct column kind_columns[] = {
	[KIND] = {"kind", "KIND", VALUE_TEXT, 0, "kind of failure"},
	[MEANING] = {"meaning", "MEANING", VALUE_TEXT, 0, "the same in words"},
	[COUNT] = {"count", "COUNT", VALUE_COUNT, 0, "failures"},
	[INODES] = {"inodes", "INODES", VALUE_COUNT, 0, "inodes known to be missing for it"},
};

enum { EXAMPLE_KIND, WHAT, ERROR };

static const struct column example_columns[] = {
	[EXAMPLE_KIND] = {"kind", "KIND", VALUE_TEXT, 0, "kind of failure"},
	[WHAT] = {"what", "WHAT", VALUE_TEXT, 0, "path (escaped) or place"},
	[ERROR] = {"error", "ERROR", VALUE_TEXT, 0, "what the system said"},
};

static void add_kinds(struct document *document, const struct failures *failures)
{
	struct table *table =
		document_table(document, "rows", NULL, kind_columns, ARRAY_LENGTH(kind_columns));

	if (table)
		table->flags = TABLE_DATA_ONLY;
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		struct value *row =
			failures && failures->count[kind] ? table_row(document, table) : NULL;

		if (!row)
			continue;
		value_set_text(document, &row[KIND], failure_kind_name(kind));
		value_set_text(document, &row[MEANING], failure_kind_text(kind));
		value_set_number(&row[COUNT], failures->count[kind]);
		value_set_number(&row[INODES], failures->inodes[kind]);
	}
}

static void add_example(struct document *document, struct table *table, int kind,
	const struct failure_example *example)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_text(document, &row[EXAMPLE_KIND], failure_kind_name(kind));
	value_set_text(document, &row[WHAT], example->what);
	if (example->code)
		value_set_text(document, &row[ERROR], strerror(-example->code));
}

static void add_examples(struct document *document, const struct failures *failures)
{
	struct table *table = document_table(
		document, "examples", NULL, example_columns, ARRAY_LENGTH(example_columns));

	if (table)
		table->flags = TABLE_DATA_ONLY;
	for (int kind = 0; kind < FAILURE_KINDS && failures; kind++) {
		for (int i = 0; i < FAILURE_EXAMPLES; i++) {
			if (failures->examples[kind][i].what)
				add_example(document, table, kind, &failures->examples[kind][i]);
		}
	}
}

/* "1 204 files (1 180 tiny, below 4 KiB), 31 directories, 4 symlinks, 2 others; 11 GiB …" */
static void add_counts(
	struct document *document, const struct scan_info *scan, const struct census_totals *totals)
{
	char files[LABEL_BYTES], directories[LABEL_BYTES], symlinks[LABEL_BYTES];
	char others[LABEL_BYTES], tiny[UNIT_TEXT_BYTES], edge[UNIT_TEXT_BYTES];
	char bytes[UNIT_TEXT_BYTES], allocated[UNIT_TEXT_BYTES];

	document_before(document, "%s (%s tiny, below %s), %s, %s, %s",
		report_plural(totals->regular_files, "file", "files", files),
		unit_format_count(totals->tiny_files, tiny),
		unit_format_bytes(scan->tiny_bytes, edge),
		report_plural(totals->directories, "directory", "directories", directories),
		report_plural(totals->symlinks, "symlink", "symlinks", symlinks),
		report_plural(totals->others, "other", "others", others));
	document_before(document, "%s in files, %s allocated",
		unit_format_bytes(totals->bytes, bytes),
		unit_format_bytes(totals->allocated_bytes, allocated));
}

/* What is stored of a tree is found by its number or path only. */
static void tell_tree(struct document *document, const struct scan_info *scan)
{
	if (!scan->whole_filesystem && scan->scan_id)
		document_after(document,
			"A tree alone: once there is a scan of the whole filesystem, reports act "
			"on that; xfscensus report --scan=%lld shows this one",
			(long long)scan->scan_id);
}

static void add_remarks(struct document *document, const struct scan_info *scan)
{
	char count[LABEL_BYTES];

	if (scan->engine_reason)
		document_after(document, "Engine %s: %s", scan->engine, scan->engine_reason);
	if (scan->unlinked)
		document_after(document, "%s open but deleted: counted, not dumped",
			report_plural(scan->unlinked, "inode is", "inodes are", count));
	if (scan->unknown_inodes)
		document_after(document, "%s extents, project or attributes this engine cannot see",
			report_plural(scan->unknown_inodes, "inode has", "inodes have", count));
}

int report_scan(const struct report_input *input, struct document *document, struct err *err)
{
	const struct scan_info *scan = input->scan;
	struct census_totals totals;

	report_begin(document, "scan", input);
	document->csv_fields = true;
	if (report_total(input, &totals))
		document->code = -ENOMEM;
	if (document->code)
		return report_end(document, err);
	document_field_text(document, "engine_reason", scan->engine_reason);
	report_total_fields(document, &totals);
	document_field_real(document, "seconds", VALUE_SECONDS, scan->seconds);
	document_field_number(document, "jobs", VALUE_COUNT, scan->jobs);
	document_field_number(document, "read_bytes", VALUE_BYTES, scan->read_bytes);
	document_field_number(document, "inode_bytes", VALUE_BYTES, scan->inode_bytes);
	document_field_number(document, "errors", VALUE_COUNT, scan->errors);
	document_field_number(document, "unlinked", VALUE_COUNT, scan->unlinked);
	document_field_number(document, "unknown_inodes", VALUE_COUNT, scan->unknown_inodes);
	report_scan_line(document, scan, totals.inodes);
	add_counts(document, scan, &totals);
	add_kinds(document, input->failures);
	add_examples(document, input->failures);
	add_remarks(document, scan);
	report_failure_lines(document, input->failures, FAILURE_EXAMPLES);
	tell_tree(document, scan);
	return report_end(document, err);
}
