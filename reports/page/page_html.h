/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of an HTML page. Whatever comes from a document goes through html_text(), in attributes
 * too (they are always quoted), so that a file named like markup stays the name of a file.
 */
#ifndef REPORTS_PAGE_PAGE_HTML_H
#define REPORTS_PAGE_PAGE_HTML_H

#include "reports/document.h"

#include <stdio.h>

/* Writes @text with the five characters that mean something in HTML escaped. */
void html_text(FILE *out, const char *text);

/* As fprintf(), the result through html_text(); without memory, nothing. */
void html_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A real number for a length or a coordinate: two digits, whatever the locale. */
void html_number(FILE *out, double number);

/* A text and a rectangle of an SVG picture, styled by @class of page.css, a literal. */
void html_svg_text(FILE *out, const char *class, double x, double y, const char *text);
void html_svg_rectangle(
	FILE *out, const char *class, double x, double y, double width, double height);

/* The column of @table with @key, or -1. */
int page_column(const struct table *table, const char *key);

/* The table of @document with @key, or NULL. */
const struct table *page_find_table(const struct document *document, const char *key);

/* The text of field @key of @document, or NULL where it is unknown or no text. */
const char *page_field(const struct document *document, const char *key);

/* Field @key of @document as a real number; 0 where it is unknown or none. */
double page_real_field(const struct document *document, const char *key);

/* A cell as a number, whatever its type; 0 where it is unknown, text, or there is no column. */
double page_number(const struct table *table, size_t row, int column);

/* A cell as text, "" where it is unknown or no text. */
const char *page_text(const struct table *table, size_t row, int column);

#endif
