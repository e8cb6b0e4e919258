/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings that people write: sections of keys and values, with the line that each stands on. */
#ifndef BASE_INI_FILE_H
#define BASE_INI_FILE_H

#include "base/err.h"

#include <stddef.h>

/*
 * A "key = value", or the line that a section begins on; the strings live until the function that
 * is given it returns.
 */
struct ini_setting {
	const char *file;    /* its name, for messages */
	unsigned line;       /* from 1 */
	const char *section; /* "" before the first; up to the last ] of its line */
	const char *key;     /* NULL: here the section begins, with keys or without */
	const char *value;   /* without blanks around it, and without a comment after " ;" */
};

/* Takes a setting. Returns 0, or a negative errno with a message, which ends the reading. */
typedef int ini_take(void *context, const struct ini_setting *setting, struct err *err);

/* Records "FILE:LINE: [SECTION] KEY: ", KEY where there is one, and the text. Returns @code. */
int ini_error(struct err *err, int code, const struct ini_setting *setting, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The largest file that is read. */
#define INI_MAX_FILE_BYTES (1 << 20)

/*
 * Hands every section and setting in @length bytes of @text to @take. Returns 0, what @take
 * returned, or -EINVAL with a message that names @file and the line: no text, a line that is too
 * long, or none of comment, [section] and key = value; without a line, more than the largest file.
 */
int ini_read_text(const char *file, const char *text, size_t length, ini_take *take, void *context,
	struct err *err);

/*
 * The same for a file; "-" is standard input. With a message too: -EISDIR, -ENOMEM, errors of the
 * system.
 */
int ini_read_file(const char *path, ini_take *take, void *context, struct err *err);

#endif
