// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report classes`: regular files by size. Data gets every class that has files; text gets bands,
 * a dozen classes being more than a person wants to see. With --bands both get those.
 */
#include "reports/common.h"

#include "analyzer/census/size_class.h"
#include "base/cleanup.h"
#include "reports/bands.h"

enum { SIZE, CLASS, LOW, HIGH, FILES, FILE_SHARE, BYTES, BYTE_SHARE, ALLOCATED, EXTENTS };

static const struct column columns[] = {
	[SIZE] = SIZE_COLUMN(COLUMN_STRETCH),
	[CLASS] = {"class", "CLASS", VALUE_ID, COLUMN_DATA_ONLY,
		"0: empty; k: sizes from 2^(k-1) to below 2^k; none for a band"},
	[LOW] = LOW_COLUMN,
	[HIGH] = HIGH_COLUMN,
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[FILE_SHARE] = {"file_share", "OF FILES", VALUE_SHARE, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"share of all regular files"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "their sizes"},
	[BYTE_SHARE] = {"byte_share", "OF BYTES", VALUE_SHARE, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"share of the bytes of all regular files"},
	[ALLOCATED] = {"allocated_bytes", "ALLOCATED", VALUE_BYTES, COLUMN_OPTIONAL,
		"allocated to them"},
	[EXTENTS] = {"extents", "EXTENTS", VALUE_COUNT, COLUMN_OPTIONAL, "extents of their data"},
};

/* The regular files that the options let through, by class. */
struct by_class {
	struct cube_sums classes[SIZE_CLASSES];
	struct cube_sums all;
};

static void collect(const struct report_input *input, struct by_class *by_class)
{
	*by_class = (struct by_class){0};
	for (size_t i = 0; i < cube_count(input->cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(input->cube, i, &key);

		if (key.kind != KIND_REGULAR || !report_wants(input->options, key.uid))
			continue;
		cube_sums_add(&by_class->classes[key.size_class], sums);
		cube_sums_add(&by_class->all, sums);
	}
}

static void set_share(struct value *value, uint64_t part, uint64_t whole)
{
	if (whole)
		value_set_real(value, (double)part / (double)whole);
}

/* Adds a row for the classes @first to @last. */
static void add_row(struct document *document, struct table *table, const struct by_class *by_class,
	unsigned first, unsigned last)
{
	struct value *row = table_row(document, table);
	struct cube_sums sums = {0};
	char range[LABEL_BYTES];

	if (!row)
		return;
	for (unsigned size_class = first; size_class <= last; size_class++)
		cube_sums_add(&sums, &by_class->classes[size_class]);
	value_set_text(document, &row[SIZE],
		report_size_range(size_class_low(first), size_class_high(last), range));
	value_set_number(&row[LOW], size_class_low(first));
	value_set_number(&row[HIGH], size_class_high(last));
	value_set_number(&row[FILES], sums.inodes);
	set_share(&row[FILE_SHARE], sums.inodes, by_class->all.inodes);
	value_set_number(&row[BYTES], sums.size_bytes);
	set_share(&row[BYTE_SHARE], sums.size_bytes, by_class->all.size_bytes);
	value_set_number(&row[ALLOCATED], sums.allocated_bytes);
	value_set_number(&row[EXTENTS], sums.extents);
}

static struct table *add_class_table(struct document *document, const struct by_class *by_class)
{
	struct table *table =
		document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));

	for (unsigned size_class = 0; size_class < SIZE_CLASSES; size_class++) {
		if (!by_class->classes[size_class].inodes)
			continue;
		add_row(document, table, by_class, size_class, size_class);
		if (table && table->row_count)
			value_set_number(
				&table_cells(table, table->row_count - 1)[CLASS], size_class);
	}
	return table;
}

static struct table *add_band_table(
	struct document *document, const struct by_class *by_class, const struct bands *bands)
{
	struct table *table =
		document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));

	for (size_t i = 0; i < bands->count; i++)
		add_row(document, table, by_class, bands->first[i], bands->first[i + 1] - 1);
	return table;
}

int report_classes(const struct report_input *input, struct document *document, struct err *err)
{
	const struct report_options *options = input->options;
	struct by_class by_class;
	struct bands bands;
	struct table *table;
	int rc = bands_init(&bands, options, err);

	report_begin(document, "classes", input);
	if (rc)
		return rc;
	collect(input, &by_class);
	if (!by_class.all.inodes)
		document_before(document, "No files.");
	if (options->band_edges) {
		table = add_band_table(document, &by_class, &bands);
		rc = report_arrange(document, table, options, err);
		return rc ? rc : report_end(document, err);
	}
	table = add_class_table(document, &by_class);
	if (table)
		table->flags = TABLE_DATA_ONLY;
	rc = report_arrange(document, table, options, err);
	if (rc)
		return rc;
	table = add_band_table(document, &by_class, &bands);
	if (table)
		table->flags = TABLE_TEXT_ONLY;
	rc = report_arrange(document, table, options, err);
	return rc ? rc : report_end(document, err);
}
