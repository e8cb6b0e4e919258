/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page's pictures and tables are: each writes a document, or a table of one, as HTML. They
 * know documents by the names of reports and columns by their keys, and draw nothing where those
 * are missing. Every picture says the same as a table beside it, for those who cannot see it.
 */
#ifndef REPORTS_PAGE_PAGE_H
#define REPORTS_PAGE_PAGE_H

#include "reports/document.h"

#include <stdio.h>

/* A table with its caption, all columns that text shows; numbers carry what to sort by. */
void page_table(FILE *out, const struct document *document, const struct table *table);

/* The caption of a table: its title, if any, and which scan its figures come from. */
void page_caption(FILE *out, const struct document *document, const char *title);

/* "owner-bands": who has files of which size, as a table whose cells are the darker the more. */
void page_heat_map(FILE *out, const struct document *document);

/* "predict": the window as one bar for each of phases, classes and users. */
void page_window(FILE *out, const struct document *document);

/* "tree": the hot trees as a treemap, their areas their tiny files. */
void page_treemap(FILE *out, const struct document *document);

/* "ages": a column for each period. */
void page_ages(FILE *out, const struct document *document);

/* "trend": a line for each of files, tiny files, bytes and window. */
void page_history(FILE *out, const struct document *document);

/* Lines of the stylesheet and of the script, each ended by NULL; made from page.css and page.js. */
extern const char *const page_style[];
extern const char *const page_script[];

#endif
