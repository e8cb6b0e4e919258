// SPDX-License-Identifier: GPL-2.0-or-later
/* `report users|groups|projects`: one row an owner, who has most tiny files first. */
#include "reports/common.h"
#include "reports/owner_sums.h"

#include "base/cleanup.h"

#include <errno.h>

enum { STREAM_BYTES = SUMS_COLUMNS };

static const struct column columns[] = {
	OWNER_SUM_COLUMNS(COLUMN_OPTIONAL, 0, COLUMN_OPTIONAL),
	[STREAM_BYTES] = {"stream_bytes", "IN A DUMP", VALUE_BYTES, COLUMN_OPTIONAL,
		"bytes that all inodes take in an xfsdump stream"},
};

static void add_row(struct document *document, struct table *table, const struct owner_sums *owner,
	uint64_t all_tiny_files)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	owner_row_fill(row, owner, all_tiny_files);
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
		(struct owner_columns){.label = SUMS_OWNER, .id = SUMS_ID, .name = SUMS_NAME}, err);
	return rc ? rc : report_end(document, err);
}
