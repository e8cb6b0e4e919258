// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owners by size: a row for each of the users with most tiny files and each band of sizes, whether
 * there are such files or not, and the same for all other users together.
 */
#include "reports/common.h"
#include "reports/owner_sums.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { OWNER, ID, NAME, SIZE, LOW, HIGH, FILES, BYTES };

static const struct column columns[] = {
	[OWNER] = OWNER_COLUMN("OWNER"),
	[ID] = {"id", "ID", VALUE_ID, COLUMN_DATA_ONLY, "user id; none for the others together"},
	[NAME] = NAME_COLUMN,
	[SIZE] = SIZE_COLUMN(0),
	[LOW] = LOW_COLUMN,
	[HIGH] = HIGH_COLUMN,
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "their sizes"},
};

static const uint64_t edges[] = {1, 512, 4 * KIB, 64 * KIB, MIB, 64 * MIB, GIB};

#define BANDS        (ARRAY_LENGTH(edges) + 1)
#define DEFAULT_ROWS 25

struct cell {
	uint64_t files;
	uint64_t bytes;
};

/* Owners shown, then all others; cells are by owner, then by band. */
struct bands {
	const struct owner_list *owners;
	size_t shown;
	size_t *places; /* of the owners shown, in order of their ids: their rows */
	struct cell *cells;
};

static unsigned band_of(unsigned size_class)
{
	unsigned band = 0;

	while (band < ARRAY_LENGTH(edges) && size_class >= size_class_below(edges[band]))
		band++;
	return band;
}

static int by_id(const void *left, const void *right, void *context)
{
	const struct owner_sums *owners = context;
	uint32_t a = owners[*(const size_t *)left].id, b = owners[*(const size_t *)right].id;

	return (a > b) - (a < b);
}

/* The row of owner @id: its own, or that of the others. */
static size_t row_of(const struct bands *bands, uint32_t id)
{
	const struct owner_sums *owners = bands->owners->owners;
	size_t low = 0, high = bands->shown;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (owners[bands->places[middle]].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < bands->shown && owners[bands->places[low]].id == id ? bands->places[low]
									 : bands->shown;
}

static int collect(struct bands *bands, const struct report_input *input)
{
	bands->places = calloc(bands->shown + 1, sizeof(*bands->places));
	bands->cells = calloc((bands->shown + 1) * BANDS, sizeof(*bands->cells));
	if (!bands->places || !bands->cells)
		return -ENOMEM;
	for (size_t i = 0; i < bands->shown; i++)
		bands->places[i] = i;
	qsort_r(bands->places, bands->shown, sizeof(*bands->places), by_id, bands->owners->owners);
	for (size_t i = 0; i < cube_count(input->cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(input->cube, i, &key);
		struct cell *cell;

		if (key.kind != KIND_REGULAR || !report_wants(input->options, key.uid))
			continue;
		cell = &bands->cells[row_of(bands, key.uid) * BANDS + band_of(key.size_class)];
		cell->files = sat_add_u64(cell->files, sums->inodes);
		cell->bytes = sat_add_u64(cell->bytes, sums->size_bytes);
	}
	return 0;
}

/* The label of row @row; to be freed; NULL without memory. */
static char *label_of(
	const struct bands *bands, const struct report_input *input, size_t row, char **name)
{
	char *label = NULL;
	size_t others;

	*name = NULL;
	if (row < bands->shown)
		return report_owner_label(
			input->options, OWNER_USER, bands->owners->owners[row].id, name);
	others = bands->owners->count - bands->shown;
	return asprintf(&label, "%zu other%s", others, unit_plural(others)) < 0 ? NULL : label;
}

static void add_rows(struct document *document, struct table *table, const struct bands *bands,
	const struct report_input *input, size_t index)
{
	autofree char *name = NULL;
	autofree char *label = label_of(bands, input, index, &name);

	if (!label)
		document->code = -ENOMEM;
	for (size_t band = 0; band < BANDS && label; band++) {
		const struct cell *cell = &bands->cells[index * BANDS + band];
		uint64_t low = band ? edges[band - 1] : 0;
		uint64_t high = band < ARRAY_LENGTH(edges) ? edges[band] : UINT64_MAX;
		struct value *row = table_row(document, table);
		char range[LABEL_BYTES];

		if (!row)
			return;
		value_set_text(document, &row[OWNER], label);
		if (index < bands->shown)
			value_set_number(&row[ID], bands->owners->owners[index].id);
		value_set_text(document, &row[NAME], name);
		value_set_text(document, &row[SIZE], report_size_range(low, high, range));
		value_set_number(&row[LOW], low);
		value_set_number(&row[HIGH], high);
		value_set_number(&row[FILES], cell->files);
		value_set_number(&row[BYTES], cell->bytes);
	}
}

static int fill(struct document *document, const struct report_input *input,
	const struct owner_list *owners)
{
	size_t top = input->options->top ? input->options->top : DEFAULT_ROWS;
	struct bands bands = {.owners = owners, .shown = min_u64(top, owners->count)};
	struct table *table =
		document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	int rc = collect(&bands, input);

	if (table)
		table->flags = TABLE_DATA_ONLY; /* the heat map is the table for people */
	for (size_t i = 0; i < bands.shown + (bands.shown < owners->count) && !rc; i++)
		add_rows(document, table, &bands, input, i);
	free(bands.places);
	free(bands.cells);
	return rc;
}

int report_owner_bands(const struct report_input *input, struct document *document, struct err *err)
{
	struct owner_list owners;

	report_begin(document, "owner-bands", input);
	if (owner_list_make(input, OWNER_USER, &owners)) {
		document->code = -ENOMEM;
	} else {
		if (fill(document, input, &owners))
			document->code = -ENOMEM;
		owner_list_fini(&owners);
	}
	return report_end(document, err);
}
