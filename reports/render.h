/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats a document can be written in. */
#ifndef REPORTS_RENDER_H
#define REPORTS_RENDER_H

#include "reports/document.h"

#include <stdbool.h>
#include <stdio.h>

enum render_format { RENDER_TEXT, RENDER_JSON, RENDER_CSV };

struct render_options {
	enum render_format format;
	bool exact;     /* text: numbers in full instead of "31 GiB" */
	unsigned width; /* text: columns of the terminal, 0 for no limit */
};

/* Writes @document to @out. Returns 0, -ENOMEM, or the errno of a failed write. */
int render_document(
	const struct document *document, const struct render_options *options, FILE *out);

#endif
