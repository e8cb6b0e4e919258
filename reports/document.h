/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document: what a report has to say, as data, before any format is chosen.
 *
 * It has scalar fields, tables of typed columns, and lines of text for people. A renderer writes
 * it as text, JSON or CSV. Adding a report or a format touches nothing of the other.
 *
 * All text in a document is printable UTF-8, whatever it was made from: the functions below turn
 * every other byte into `\xHH`. No renderer needs to think of a terminal's control characters.
 */
#ifndef REPORTS_DOCUMENT_H
#define REPORTS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a value is, hence how each format writes it. Numbers are plain in JSON and CSV. */
enum value_type {
	VALUE_TEXT,    /* printable UTF-8, escaped where it comes from a filesystem */
	VALUE_ID,      /* a uid, gid, project, class or scan id: never abbreviated, never summed */
	VALUE_COUNT,   /* things */
	VALUE_BYTES,   /* bytes */
	VALUE_SECONDS, /* a duration, a real number */
	VALUE_RATE,    /* bytes a second, a real number */
	VALUE_SHARE,   /* a real number, 0 to 1; text shows percent */
	VALUE_TIME,    /* seconds since 1970 UTC; shown as 2026-11-30T02:10:00Z */
	VALUE_DAY,     /* days since 1970; shown as 2026-11-30 */
	VALUE_REAL,    /* a real number of a unit that the row tells; data only */

	/* Differences, which text shows with their sign */
	VALUE_COUNT_CHANGE,
	VALUE_BYTES_CHANGE,
	VALUE_SECONDS_CHANGE, /* a real number */
};

struct value {
	bool present; /* false: unknown; JSON null, CSV empty, text "-" */
	union {
		char *text;      /* VALUE_TEXT, owned */
		uint64_t number; /* VALUE_ID, VALUE_COUNT, VALUE_BYTES */
		int64_t time;    /* VALUE_TIME, VALUE_DAY */
		double real;     /* VALUE_SECONDS, VALUE_RATE, VALUE_SHARE, VALUE_REAL and others */
		int64_t change;  /* VALUE_COUNT_CHANGE, VALUE_BYTES_CHANGE */
	};
};

enum column_flag {
	COLUMN_DATA_ONLY = 1 << 0, /* in JSON and CSV only: text has no room for it */
	COLUMN_TEXT_ONLY = 1 << 1, /* in text only: derived from other columns */
	COLUMN_STRETCH = 1 << 2,   /* text: is cut where the terminal is too narrow; one a table */
	COLUMN_NO_SUM = 1 << 3,    /* a sum over rows means nothing: the edges of a class */
	COLUMN_OPTIONAL = 1 << 4,  /* text: left out where the terminal is too narrow, last first */
	COLUMN_RIGHT = 1 << 5, /* VALUE_TEXT that tells a number: as numbers, it is flush right */
};

struct column {
	const char *key;     /* JSON key and CSV heading, unit included: "tiny_bytes" */
	const char *heading; /* text heading: "TINY BYTES" */
	enum value_type type;
	unsigned flags;      /* enum column_flag */
	const char *meaning; /* one line for help and documentation */
};

/* Whether text and pages set the column flush right: those that tell numbers, in words or not. */
bool column_is_right(const struct column *column);

enum table_flag {
	TABLE_DATA_ONLY = 1 << 0, /* in JSON and CSV only: text says it another way */
	TABLE_TEXT_ONLY = 1 << 1, /* in text only: data has the same in more detail */
};

struct table {
	const char *key;              /* JSON key: "rows", "phases", … */
	const char *title;            /* text: printed above; NULL for none */
	const struct column *columns; /* static */
	size_t column_count;
	unsigned flags;      /* enum table_flag */
	struct value *cells; /* row by row, owned */
	size_t row_count;
	size_t row_capacity;
	struct value *rest; /* owned: sums of the rows folded away, or NULL; text only */
	size_t rest_count;  /* how many rows those were */
};

struct field {
	const char *key;
	enum value_type type;
	struct value value;
};

struct document {
	const char *name;     /* the NAME of "xfscensus/NAME/1", static */
	struct field *fields; /* owned; JSON and CSV, text tells them in its lines */
	size_t field_count;
	struct table *tables; /* owned */
	size_t table_count;
	char **before; /* owned lines of text, printed before the tables */
	size_t before_count;
	char **after; /* owned lines of text, printed after the tables */
	size_t after_count;
	bool csv_fields;  /* CSV writes the fields, not the first table */
	bool whole_lines; /* text folds no line, however narrow: programs read it */
	int code;         /* 0, or -ENOMEM once memory ran out: adding is then a no-op */
};

/* An empty document. Adding records -ENOMEM in document->code; check it once at the end. */
void document_init(struct document *document, const char *name);
void document_fini(struct document *document);

/* Fields, in the order in which they are shown. @key is static. NULL @text is an unknown value. */
void document_field_text(struct document *document, const char *key, const char *text);
void document_field_number(
	struct document *document, const char *key, enum value_type type, uint64_t number);
void document_field_time(
	struct document *document, const char *key, enum value_type type, int64_t time);
void document_field_change(struct document *document, const char *key, enum value_type type,
	uint64_t before, uint64_t after);
void document_field_real(
	struct document *document, const char *key, enum value_type type, double real);

/* A field from raw bytes (a path, a name), which are escaped reversibly; NULL is unknown. */
void document_field_bytes(struct document *document, const char *key, const char *bytes);

/* A line for people, before or after the tables; an empty one is a blank line. */
void document_before(struct document *document, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void document_after(struct document *document, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a table; the pointer is valid until the next table is added. NULL without memory. */
struct table *document_table(struct document *document, const char *key, const char *title,
	const struct column *columns, size_t column_count);

/*
 * Adds a row of absent values and returns its first cell, valid until the next row is added; NULL
 * without memory, and for a NULL @table.
 */
struct value *table_row(struct document *document, struct table *table);

/* The first cell of row @row, 0 ≤ row < row_count. */
static inline struct value *table_cells(const struct table *table, size_t row)
{
	return table->cells + row * table->column_count;
}

/*
 * Sets a cell. The text functions copy; NULL leaves it absent. Bytes are escaped reversibly, text
 * is taken as escaped already. A real number that is not finite leaves it absent.
 */
void value_set_text(struct document *document, struct value *value, const char *text);
void value_set_bytes(struct document *document, struct value *value, const char *bytes);
void value_set_number(struct value *value, uint64_t number);
void value_set_time(struct value *value, int64_t time);
void value_set_real(struct value *value, double real);
void value_set_change(struct value *value, uint64_t before, uint64_t after);

/*
 * Orders the rows by the column with @key: amounts and times biggest first, text and ids smallest
 * first, unknown values last; rows that tie keep the order they had. Returns 0, -ENOMEM, or
 * -EINVAL if there is no such column (columns that are in text only do not count).
 */
int table_sort(struct table *table, const char *key);

/* Keeps the first @rows rows. */
void table_keep(struct table *table, size_t rows);

/*
 * Keeps the first @rows rows and adds the others up in table->rest, which text shows as "N
 * others": counts, bytes, seconds and shares, unless COLUMN_NO_SUM. 0 keeps all.
 */
void table_fold(struct document *document, struct table *table, size_t rows);

#endif
