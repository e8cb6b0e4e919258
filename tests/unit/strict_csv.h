/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader of RFC 4180 that forgives nothing. */
#ifndef TESTS_UNIT_STRICT_CSV_H
#define TESTS_UNIT_STRICT_CSV_H

#include <stddef.h>

#define CSV_MAX_CELLS 4096

struct strict_csv {
	char *text;                 /* the cells, unquoted, each with a NUL; owned */
	char *cells[CSV_MAX_CELLS]; /* row by row */
	size_t columns;
	size_t rows; /* the heading included */
};

/*
 * Reads @text. Returns 0, or -1 for a bare CR or LF, a quote in an unquoted cell, anything after
 * a closing quote, rows of unequal length, or a last line without CRLF.
 */
int strict_csv_read(const char *text, struct strict_csv *csv);
void strict_csv_fini(struct strict_csv *csv);

#endif
