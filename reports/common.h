/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reports share; only what is in this folder includes it. */
#ifndef REPORTS_COMMON_H
#define REPORTS_COMMON_H

#include "reports/report.h"

/* Enough for a size range, a share or an owner's label that has no name. */
#define LABEL_BYTES 80

/* Columns that several tables have: who owns, and which range of sizes a row is about. */
#define OWNER_COLUMN(heading)                                                    \
	{                                                                        \
		"owner", heading, VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH, \
			"name, or the id where it has none"                      \
	}
#define NAME_COLUMN                                                           \
	{                                                                     \
		"name", "NAME", VALUE_TEXT, COLUMN_DATA_ONLY, "name, escaped" \
	}
#define SIZE_COLUMN(flags)                                                               \
	{                                                                                \
		"size", "SIZE", VALUE_TEXT, COLUMN_TEXT_ONLY | (flags), "range of sizes" \
	}
#define LOW_COLUMN                                                                  \
	{                                                                           \
		"low_bytes", "FROM", VALUE_BYTES, COLUMN_DATA_ONLY | COLUMN_NO_SUM, \
			"smallest size"                                             \
	}
#define HIGH_COLUMN                                                                   \
	{                                                                             \
		"high_bytes", "BELOW", VALUE_BYTES, COLUMN_DATA_ONLY | COLUMN_NO_SUM, \
			"first size above"                                            \
	}

/* Starts a document with the fields that say which scan it is about. */
void report_begin(struct document *document, const char *name, const struct report_input *input);

/* The last step of a report: 0, or -ENOMEM with a message if memory ran out on the way. */
int report_end(const struct document *document, struct err *err);

/*
 * Sorts a table as the user wants it (without --sort it stays as it is) and folds it to the rows
 * wanted. -EINVAL with a message that lists the keys there are, for an unknown one. @table may be
 * NULL, in a document out of memory.
 */
int report_arrange(struct document *document, struct table *table,
	const struct report_options *options, struct err *err);

/* Sorts a table as the user wants it. Returns as report_arrange(). */
int report_sort(struct table *table, const struct report_options *options, struct err *err);

/*
 * Who an owner is: the name, escaped, or "uid 2041", "gid 100", "project 7". To be freed; NULL
 * without memory. @name, if not NULL, is set to the escaped name, to be freed, or to NULL.
 */
char *report_owner_label(
	const struct report_options *options, enum owner_kind kind, uint32_t id, char **name);

/* Where a table of owners has the cells that name them. */
struct owner_columns {
	size_t label; /* the owner's label, VALUE_TEXT */
	size_t id;    /* VALUE_ID */
	size_t name;  /* VALUE_TEXT; the label itself where there is none */
};

/*
 * Sorts a table of owners, folds it to @top rows (0: all) and only then looks up who the owners of
 * the rows left are; of all rows, if the user sorts by name. Returns as report_arrange().
 */
int report_arrange_owners(struct document *document, struct table *table,
	const struct report_options *options, size_t top, enum owner_kind kind,
	struct owner_columns cells, struct err *err);

/* "empty", "1 B", "2 KiB – 4 KiB", "1 GiB and more": sizes from @low to below @high. */
const char *report_size_range(uint64_t low_bytes, uint64_t high_bytes, char out[LABEL_BYTES]);

/* "1 file", "24.6 M files". Returns @out. */
const char *report_plural(uint64_t count, const char *one, const char *many, char out[LABEL_BYTES]);

/* Where the filesystem is mounted, or the path or device of the scan, escaped; to be freed. */
char *report_place(const struct scan_info *scan);

/* The line that says what the scan was of, when, how and how well. */
void report_scan_line(struct document *document, const struct scan_info *scan, uint64_t inodes);

/* "2026-11-30 02:10 UTC". Returns @out. */
const char *report_time(int64_t seconds, char out[LABEL_BYTES]);

/* "2026-11-30"; "an unknown day" where the calendar does not reach. Returns @out. */
const char *report_day(double seconds, char out[LABEL_BYTES]);

/* Lines after the tables on what could not be read, with up to @examples of each kind. */
void report_failure_lines(struct document *document, const struct failures *failures, int examples);

/* What belongs to options->user only, if so asked; else everything. */
static inline bool report_wants(const struct report_options *options, uint32_t uid)
{
	return !options->has_user || options->user == uid;
}

/* census_total() of what the options let through. Returns 0 or -ENOMEM. */
int report_total(const struct report_input *input, struct census_totals *totals);

/* The fields of the totals, as the JSON contract names them. */
void report_total_fields(struct document *document, const struct census_totals *totals);

#endif
