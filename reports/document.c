// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See document.h. Whatever enters a document as text is made printable here, in one place, so that
 * no report and no renderer can forget it. Running out of memory is remembered, not returned: a
 * report adds dozens of values and asks once.
 */
#include "reports/document.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROWS 16

/* @array with room for one element more than @count; NULL and a recorded -ENOMEM without memory. */
static void *grow(struct document *document, void *array, size_t count, size_t element_bytes)
{
	void *grown = document->code ? NULL : reallocarray(array, count + 1, element_bytes);

	if (!grown)
		document->code = -ENOMEM;
	return grown;
}

bool column_is_right(const struct column *column)
{
	switch (column->type) {
	case VALUE_TEXT:
		return column->flags & COLUMN_RIGHT;
	case VALUE_TIME:
	case VALUE_DAY:
		return false;
	default:
		return true;
	}
}

void document_init(struct document *document, const char *name)
{
	*document = (struct document){.name = name};
}

static void free_lines(char **lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	free(lines);
}

static void table_fini(struct table *table)
{
	table_keep(table, 0);
	free(table->cells);
	free(table->rest);
}

void document_fini(struct document *document)
{
	for (size_t i = 0; i < document->field_count; i++) {
		if (document->fields[i].type == VALUE_TEXT && document->fields[i].value.present)
			free(document->fields[i].value.text);
	}
	free(document->fields);
	for (size_t i = 0; i < document->table_count; i++)
		table_fini(&document->tables[i]);
	free(document->tables);
	free_lines(document->before, document->before_count);
	free_lines(document->after, document->after_count);
	document_init(document, document->name);
}

/* --- Values -------------------------------------------------------------------------------- */

/* Hands @text over to @value. */
static void take_text(struct document *document, struct value *value, char *text)
{
	if (!text)
		document->code = -ENOMEM;
	else if (value)
		*value = (struct value){.present = true, .text = text};
	else
		free(text);
}

void value_set_text(struct document *document, struct value *value, const char *text)
{
	if (text)
		take_text(document, value, bytes_printable(text));
}

void value_set_bytes(struct document *document, struct value *value, const char *bytes)
{
	if (bytes)
		take_text(document, value, bytes_escape(bytes, strlen(bytes)));
}

void value_set_number(struct value *value, uint64_t number)
{
	*value = (struct value){.present = true, .number = number};
}

void value_set_time(struct value *value, int64_t time)
{
	*value = (struct value){.present = true, .time = time};
}

void value_set_real(struct value *value, double real)
{
	*value = (struct value){.present = isfinite(real), .real = real};
}

void value_set_change(struct value *value, uint64_t before, uint64_t after)
{
	*value = (struct value){.present = true, .change = change_i64(before, after)};
}

/* --- Fields -------------------------------------------------------------------------------- */

/* A new field's value, absent so far; NULL without memory. */
static struct value *add_field(struct document *document, const char *key, enum value_type type)
{
	struct field *fields =
		grow(document, document->fields, document->field_count, sizeof(*fields));

	if (!fields)
		return NULL;
	document->fields = fields;
	fields[document->field_count] = (struct field){.key = key, .type = type};
	return &fields[document->field_count++].value;
}

void document_field_text(struct document *document, const char *key, const char *text)
{
	struct value *value = add_field(document, key, VALUE_TEXT);

	if (value)
		value_set_text(document, value, text);
}

void document_field_bytes(struct document *document, const char *key, const char *bytes)
{
	struct value *value = add_field(document, key, VALUE_TEXT);

	if (value)
		value_set_bytes(document, value, bytes);
}

void document_field_number(
	struct document *document, const char *key, enum value_type type, uint64_t number)
{
	struct value *value = add_field(document, key, type);

	if (value)
		value_set_number(value, number);
}

void document_field_time(
	struct document *document, const char *key, enum value_type type, int64_t time)
{
	struct value *value = add_field(document, key, type);

	if (value)
		value_set_time(value, time);
}

void document_field_change(struct document *document, const char *key, enum value_type type,
	uint64_t before, uint64_t after)
{
	struct value *value = add_field(document, key, type);

	if (value)
		value_set_change(value, before, after);
}

void document_field_real(
	struct document *document, const char *key, enum value_type type, double real)
{
	struct value *value = add_field(document, key, type);

	if (value)
		value_set_real(value, real);
}

/* --- Lines --------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 0))) static void add_line(struct document *document, char ***lines,
	size_t *count, const char *format, va_list arguments)
{
	autofree char *text = NULL;
	char **grown = grow(document, *lines, *count, sizeof(*grown));

	if (!grown)
		return;
	*lines = grown;
	if (vasprintf(&text, format, arguments) < 0) {
		text = NULL;
		document->code = -ENOMEM;
		return;
	}
	grown[*count] = bytes_printable(text);
	if (grown[*count])
		(*count)++;
	else
		document->code = -ENOMEM;
}

void document_before(struct document *document, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_line(document, &document->before, &document->before_count, format, arguments);
	va_end(arguments);
}

void document_after(struct document *document, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_line(document, &document->after, &document->after_count, format, arguments);
	va_end(arguments);
}

/* --- Tables -------------------------------------------------------------------------------- */

struct table *document_table(struct document *document, const char *key, const char *title,
	const struct column *columns, size_t column_count)
{
	struct table *tables =
		grow(document, document->tables, document->table_count, sizeof(*tables));

	if (!tables)
		return NULL;
	document->tables = tables;
	tables[document->table_count] = (struct table){
		.key = key,
		.title = title,
		.columns = columns,
		.column_count = column_count,
	};
	return &tables[document->table_count++];
}

/* Room for twice as many rows. */
static bool grow_rows(struct table *table)
{
	size_t capacity = table->row_capacity ? 2 * table->row_capacity : FIRST_ROWS;
	size_t row_bytes = table->column_count * sizeof(struct value);
	struct value *cells = reallocarray(table->cells, capacity, row_bytes);

	if (!cells)
		return false;
	table->cells = cells;
	table->row_capacity = capacity;
	return true;
}

struct value *table_row(struct document *document, struct table *table)
{
	struct value *row;

	if (!table || document->code)
		return NULL;
	if (table->row_count == table->row_capacity && !grow_rows(table)) {
		document->code = -ENOMEM;
		return NULL;
	}
	row = table_cells(table, table->row_count++);
	memset(row, 0, table->column_count * sizeof(*row));
	return row;
}
