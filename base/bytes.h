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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BYTES_EACH(byte) ((byte)*0x0101010101010101ULL)

/* Not 0 if one of the eight bytes of @word is NUL or '/'. */
static inline uint64_t bytes_word_splits(uint64_t word)
{
	uint64_t slash = word ^ BYTES_EACH('/');

	return ((word - BYTES_EACH(1)) & ~word & BYTES_EACH(0x80)) |
	       ((slash - BYTES_EACH(1)) & ~slash & BYTES_EACH(0x80));
}

/*
 * Whether @length bytes are a name: there are some, and none is NUL or '/'. Asked for each entry of
 * a filesystem, hence eight bytes at a time; the last eight may overlap others.
 */
static inline bool bytes_are_name(const char *bytes, size_t length)
{
	uint64_t bad = 0, word;

	if (length < sizeof(word)) {
		for (size_t i = 0; i < length; i++)
			bad |= bytes[i] == '/' || !bytes[i];
		return length && !bad;
	}
	for (size_t i = 0; i + sizeof(word) < length; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		bad |= bytes_word_splits(word);
	}
	memcpy(&word, bytes + length - sizeof(word), sizeof(word));
	return !(bad | bytes_word_splits(word));
}

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
