// SPDX-License-Identifier: GPL-2.0-or-later
/* `report users|groups|projects`: one row an owner, who has most tiny files first. */
#include "reports/common.h"
#include "reports/owner_sums.h"

#include "base/cleanup.h"

#include <errno.h>

enum {
	OWNER,
	ID,
	NAME,
	FILES,
	TINY_FILES,
	TINY_SHARE,
	BYTES,
	ALLOCATED_BYTES,
	TINY_BYTES,
	STREAM_BYTES,
};

static const struct column columns[] = {
	[OWNER] = {"owner", "OWNER", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH,
		"name, or the id where it has none"},
	[ID] = {"id", "ID", VALUE_ID, COLUMN_OPTIONAL, "user, group or project id"},
	[NAME] = {"name", "NAME", VALUE_TEXT, COLUMN_DATA_ONLY, "name, escaped"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0, "regular files below the tiny edge"},
	[TINY_SHARE] = {"tiny_share", "OF ALL TINY", VALUE_SHARE,
		COLUMN_TEXT_ONLY | COLUMN_OPTIONAL, "share of the tiny files of all owners"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "sizes of the regular files"},
	[ALLOCATED_BYTES] = {"allocated_bytes", "ALLOCATED", VALUE_BYTES, COLUMN_OPTIONAL,
		"allocated to all inodes"},
	[TINY_BYTES] = {"tiny_bytes", "TINY BYTES", VALUE_BYTES, COLUMN_OPTIONAL,
		"sizes of the tiny files"},
	[STREAM_BYTES] = {"stream_bytes", "IN A DUMP", VALUE_BYTES, COLUMN_OPTIONAL,
		"bytes that all inodes take in an xfsdump stream"},
};

static void add_row(struct document *document, struct table *table, const struct owner_sums *owner,
	uint64_t all_tiny_files)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_number(&row[ID], owner->id);
	value_set_number(&row[FILES], owner->files);
	value_set_number(&row[TINY_FILES], owner->tiny_files);
	if (all_tiny_files)
		value_set_real(
			&row[TINY_SHARE], (double)owner->tiny_files / (double)all_tiny_files);
	value_set_number(&row[BYTES], owner->bytes);
	value_set_number(&row[ALLOCATED_BYTES], owner->allocated_bytes);
	value_set_number(&row[TINY_BYTES], owner->tiny_bytes);
	value_set_number(&row[STREAM_BYTES], owner->stream_bytes);
}

int report_owners(const struct report_input *input, enum owner_kind kind, struct document *document,
	struct err *err)
{
	static const char *const names[] = {
		[OWNER_USER] = "users",
		[OWNER_GROUP] = "groups",
		[OWNER_PROJECT] = "projects",
	};
	const struct report_options *options = input->options;
	struct census_totals totals;
	struct owner_list list;
	struct table *table;
	int rc;

	report_begin(document, names[kind], input);
	if (report_total(input, &totals) || owner_list_make(input, kind, &list))
		document->code = -ENOMEM;
	if (document->code)
		return report_end(document, err);
	report_total_fields(document, &totals);
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < list.count; i++)
		add_row(document, table, &list.owners[i], totals.tiny_files);
	if (!list.count)
		document_before(document, "No inodes.");
	owner_list_fini(&list);
	rc = report_arrange_owners(document, table, options, options->top, kind,
		(struct owner_columns){.label = OWNER, .id = ID, .name = NAME}, err);
	return rc ? rc : report_end(document, err);
}
