/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a document where and how the user wants it. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/options.h"
#include "reports/document.h"

#include <stdio.h>

/*
 * Renders @document in --format to --output (written beside it and renamed, so that nobody sees
 * half of it) or to standard output. Text fits the terminal if it goes to one. Returns 0 or a
 * negative errno with a message.
 */
int output_document(
	const struct common_args *args, const struct document *document, struct err *err);

/* Writes all of @documents as one HTML page, otherwise as above. */
int output_page(const struct common_args *args, const struct document *const documents[],
	size_t count, struct err *err);

/* Writes something; returns 0 or a negative errno, with a message if it is not of writing. */
typedef int output_fn(FILE *out, void *context, struct err *err);

/*
 * Has @write write to the file @path (beside it and renamed, unless it is a device or a pipe), or
 * to standard output if that is NULL. Returns 0 or a negative errno with a message.
 */
int output_written(const char *path, output_fn *write, void *context, struct err *err);

/*
 * Has @write write to the file @path, for its owner alone; whatever has that name, a link itself
 * too, is replaced. Returns 0 or a negative errno with a message.
 */
int output_private(const char *path, output_fn *write, void *context, struct err *err);

/*
 * Sees to it that --output can be written, as far as that can be told before there is anything to
 * write: to be called before what takes long or changes something. Returns 0 or a negative errno
 * with a message.
 */
int output_check(const struct common_args *args, struct err *err);

/* A note for people on standard error, unless --quiet. */
void output_note(const struct common_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
