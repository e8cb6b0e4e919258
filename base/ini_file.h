/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings that people write: sections of keys and values, with the line that each stands on. */
#ifndef BASE_INI_FILE_H
#define BASE_INI_FILE_H

#include "base/err.h"

#include <stddef.h>

/* A "key = value"; the strings live until the function that is given it returns. */
struct ini_setting {
	const char *file;    /* its name, for messages */
	unsigned line;       /* from 1 */
	const char *section; /* "" before the first */
	const char *key;
	const char *value; /* without blanks around it, and without a comment after " ;" */
};

/* Takes a setting. Returns 0, or a negative errno with a message, which ends the reading. */
typedef int ini_take(void *context, const struct ini_setting *setting, struct err *err);

/* Records "FILE:LINE: [SECTION] KEY: " and the formatted text. Returns @code. */
int ini_error(struct err *err, int code, const struct ini_setting *setting, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Hands every setting in @length bytes of @text to @take. Returns 0, what @take returned, or
 * -EINVAL with a message that names @file and the line: no text, a line or name that is too long,
 * a line that is none of comment, [section] and key = value.
 */
int ini_read_text(const char *file, const char *text, size_t length, ini_take *take, void *context,
	struct err *err);

/*
 * The same for a file; "-" is standard input. With a message too: -EISDIR, -EFBIG above a mebibyte,
 * -ENOMEM, errors of the system.
 */
int ini_read_file(const char *path, ini_take *take, void *context, struct err *err);

#endif
