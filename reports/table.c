// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Order and length of a document's tables. Rows are sorted as (key cell, old place) pairs, which
 * makes any sort a stable one, and then moved once.
 */
#include "reports/document.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sort_item {
	struct value value; /* of the column to sort by; its text is the table's */
	size_t row;
};

/* Negative if @a goes before @b. Amounts and times: biggest first. Text and ids: smallest first. */
static int compare_values(const struct value *a, const struct value *b, enum value_type type)
{
	switch (type) {
	case VALUE_TEXT:
		return strcmp(a->text, b->text);
	case VALUE_ID:
		return (a->number > b->number) - (a->number < b->number);
	case VALUE_COUNT:
	case VALUE_BYTES:
		return (a->number < b->number) - (a->number > b->number);
	case VALUE_TIME:
	case VALUE_DAY:
		return (a->time < b->time) - (a->time > b->time);
	case VALUE_SECONDS:
	case VALUE_RATE:
	case VALUE_SHARE:
	case VALUE_REAL:
	case VALUE_SECONDS_CHANGE:
		return (a->real < b->real) - (a->real > b->real);
	case VALUE_COUNT_CHANGE:
	case VALUE_BYTES_CHANGE:
		return (a->change < b->change) - (a->change > b->change);
	}
	return 0;
}

static int compare_items(const void *left, const void *right, void *context)
{
	const struct sort_item *a = left, *b = right;
	const enum value_type *type = context;
	int order = (int)b->value.present - (int)a->value.present;

	if (!order && a->value.present)
		order = compare_values(&a->value, &b->value, *type);
	return order ? order : (a->row > b->row) - (a->row < b->row);
}

static const struct column *find_column(const struct table *table, const char *key)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!(column->flags & COLUMN_TEXT_ONLY) && !strcmp(column->key, key))
			return column;
	}
	return NULL;
}

/* Puts the rows into the order of @items. */
static int reorder(struct table *table, const struct sort_item *items)
{
	size_t row_bytes = table->column_count * sizeof(struct value);
	struct value *cells = reallocarray(NULL, table->row_capacity, row_bytes);

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < table->row_count; i++)
		memcpy(cells + i * table->column_count, table_cells(table, items[i].row),
			row_bytes);
	free(table->cells);
	table->cells = cells;
	return 0;
}

int table_sort(struct table *table, const char *key)
{
	const struct column *column = find_column(table, key);
	struct sort_item *items;
	enum value_type type;
	int rc;

	if (!column)
		return -EINVAL;
	if (table->row_count < 2)
		return 0;
	items = reallocarray(NULL, table->row_count, sizeof(*items));
	if (!items)
		return -ENOMEM;
	type = column->type;
	for (size_t i = 0; i < table->row_count; i++)
		items[i] = (struct sort_item){
			.value = table_cells(table, i)[column - table->columns],
			.row = i,
		};
	qsort_r(items, table->row_count, sizeof(*items), compare_items, &type);
	rc = reorder(table, items);
	free(items);
	return rc;
}

void table_keep(struct table *table, size_t rows)
{
	for (; table->row_count > rows; table->row_count--) {
		struct value *row = table_cells(table, table->row_count - 1);

		for (size_t i = 0; i < table->column_count; i++) {
			if (table->columns[i].type == VALUE_TEXT && row[i].present)
				free(row[i].text);
		}
	}
}

/* @sum += @value, if both the column and the value can be summed. */
static void sum_value(const struct column *column, struct value *sum, const struct value *value)
{
	if (!value->present || column->flags & COLUMN_NO_SUM)
		return;
	switch (column->type) {
	case VALUE_COUNT:
	case VALUE_BYTES:
		sum->number = sat_add_u64(sum->number, value->number);
		break;
	case VALUE_SECONDS:
	case VALUE_SHARE:
	case VALUE_SECONDS_CHANGE:
		sum->real += value->real;
		break;
	case VALUE_COUNT_CHANGE:
	case VALUE_BYTES_CHANGE:
		sum->change = sat_add_i64(sum->change, value->change);
		break;
	default:
		return;
	}
	sum->present = true;
}

void table_fold(struct document *document, struct table *table, size_t rows)
{
	if (!table || !rows || table->row_count <= rows || table->rest)
		return;
	table->rest = calloc(table->column_count, sizeof(*table->rest));
	if (!table->rest) {
		document->code = -ENOMEM;
		return;
	}
	table->rest_count = table->row_count - rows;
	for (size_t row = rows; row < table->row_count; row++) {
		for (size_t i = 0; i < table->column_count; i++)
			sum_value(&table->columns[i], &table->rest[i], &table_cells(table, row)[i]);
	}
	table_keep(table, rows);
}
