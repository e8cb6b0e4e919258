/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names from a filesystem are bytes: any but NUL and '/', in no known encoding.
 *
 * To print one, it is escaped so that a terminal stays in order and the name can be had back:
 * printable UTF-8 stands for itself, a backslash becomes `\\`, every other byte `\xHH` (two
 * lower-case hex digits).
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stddef.h>

/* The escaped form of @length bytes, NUL-terminated, to be freed; NULL without memory. */
char *bytes_escape(const void *bytes, size_t length);

/*
 * @text, escaped already or our own, made safe for a terminal: as bytes_escape(), but a backslash
 * stays as it is. To be freed; NULL without memory.
 */
char *bytes_printable(const char *text);

/*
 * The bytes behind an escaped text, NUL-terminated for convenience, their count in @length, to be
 * freed. NULL with errno EINVAL for an escape that bytes_escape() does not make, or ENOMEM.
 */
char *bytes_unescape(const char *text, size_t *length);

/*
 * The length (1-4) of the printable UTF-8 character at @bytes, of which @length are there; 0 if
 * they start none: a control character, an overlong or cut sequence, a surrogate, or a C1 control.
 */
size_t bytes_utf8_length(const unsigned char *bytes, size_t length);

#endif
