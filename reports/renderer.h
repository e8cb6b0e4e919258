/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the renderers share; only render*.c include it. */
#ifndef REPORTS_RENDERER_H
#define REPORTS_RENDERER_H

#include "reports/document.h"
#include "reports/render.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes a document that is whole (code 0). Returns 0 or -ENOMEM; errors of writing stay in @out's
 * error indicator, where render_document() finds them.
 */
typedef int (*render_fn)(
	const struct document *document, const struct render_options *options, FILE *out);

int render_text(const struct document *document, const struct render_options *options, FILE *out);
int render_json(const struct document *document, const struct render_options *options, FILE *out);
int render_csv(const struct document *document, const struct render_options *options, FILE *out);
int render_html(const struct document *document, const struct render_options *options, FILE *out);
int render_openmetrics(
	const struct document *document, const struct render_options *options, FILE *out);

/* Enough for a number or a time as text, the final NUL included. */
#define VALUE_TEXT_BYTES 64

/*
 * A time as "2026-11-30T02:10:00Z" or a day as "2026-11-30". Returns @out, or NULL if the calendar
 * does not reach that far.
 */
const char *render_iso(enum value_type type, int64_t time, char out[VALUE_TEXT_BYTES]);

/* A real number in at most 15 digits with a point, whatever the locale. Returns @out. */
const char *render_real(double real, char out[VALUE_TEXT_BYTES]);

/* An amount as plain digits, a time as seconds or days: "33285996544". Not for text. */
const char *render_plain(
	enum value_type type, const struct value *value, char out[VALUE_TEXT_BYTES]);

/* What stands for a value that is not known. */
#define RENDER_UNKNOWN "-"

/* @value as text shows it, in @out or elsewhere; @exact: in full instead of "31 GiB". */
const char *render_value(
	enum value_type type, const struct value *value, bool exact, char out[VALUE_TEXT_BYTES]);

/* The first table that data formats show, or NULL. */
const struct table *render_first_data_table(const struct document *document);

#endif
