/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats a document can be written in. A format is one file with one function, named in the
 * table in render.c; renderer.h says what such a function gets.
 */
#ifndef REPORTS_RENDER_H
#define REPORTS_RENDER_H

#include "reports/document.h"

#include <stdbool.h>
#include <stdio.h>

enum render_format {
	RENDER_TEXT,
	RENDER_JSON,
	RENDER_CSV,
	RENDER_HTML,
	RENDER_OPENMETRICS,
	RENDER_FORMATS
};

struct render_options {
	enum render_format format;
	bool exact;     /* text: numbers in full instead of "31 GiB" */
	unsigned width; /* text: columns of the terminal, 0 for no limit */
};

/* The name of a format as in --format: "text", "json", "csv", "html", "openmetrics". */
const char *render_format_name(enum render_format format);

/* The format of that name. Returns 0, or -EINVAL if there is none. */
int render_format_parse(const char *name, enum render_format *format);

/*
 * Writes @document to @out and flushes it. Returns 0, -ENOMEM (also if document->code says so), or
 * the negative errno of a failed write.
 *
 * - text is UTF-8 and meant for people. Tables are laid out by the characters of the locale, so
 *   the program should have called setlocale(LC_CTYPE, "").
 * - JSON: one object, `{"schema": "xfscensus/NAME/1", fields…, "rows": [rows…]}`, a row a line.
 *   Numbers above 2^63 - 1 are written as 2^63 - 1, the largest that every reader takes.
 * - CSV as in RFC 4180 (CRLF): the keys, then the rows of the first table; a document without
 *   a table, or with csv_fields set, gives lines of key and value.
 * - HTML is a page of its own, as render_page() writes one.
 * - OpenMetrics, in the part of it that Prometheus' text format shares: every column of a number
 *   is a gauge xfscensus_KEY, with the text and id columns of its table as labels. Made for the
 *   report "metrics": elsewhere keys repeat from table to table, which no reader takes.
 */
int render_document(
	const struct document *document, const struct render_options *options, FILE *out);

/*
 * Writes one HTML page that tells all of @documents, a section each, in this order; the first says
 * what the page is about. The page is whole by itself: it asks nobody for anything, and a reader
 * without scripts misses nothing but sorting. Errors as above.
 */
int render_page(const struct document *const documents[], size_t count, FILE *out);

#endif
