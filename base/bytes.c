// SPDX-License-Identifier: GPL-2.0-or-later
/* See bytes.h. UTF-8 as in RFC 3629: no overlong forms, no surrogates, at most U+10FFFF. */
#include "base/bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Characters that are well-formed but act on what shows them, or hide, instead of showing. */
static int unprintable(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0xad ||
	       character == 0x61c || character == 0x180e ||    /* directions, hidden separators */
	       (character >= 0x200b && character <= 0x200f) || /* zero width, direction marks */
	       (character >= 0x2028 && character <= 0x202e) || /* line separators, embeddings */
	       (character >= 0x2060 && character <= 0x206f) || /* invisible operators, isolates */
	       character == 0xfeff || (character >= 0xfff9 && character <= 0xfffb) ||
	       (character >= 0xe0000 && character <= 0xe0fff) || /* tags */
	       (character >= 0xd800 && character <= 0xdfff) || character > 0x10ffff;
}

size_t bytes_utf8_length(const unsigned char *bytes, size_t length)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t character;
	size_t wanted;

	if (!length)
		return 0;
	if (bytes[0] < 0x80)
		return !unprintable(bytes[0]);
	wanted = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
	if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || wanted > length)
		return 0;
	character = bytes[0] & (0x7f >> wanted);
	for (size_t i = 1; i < wanted; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (bytes[i] & 0x3f);
	}
	return character < smallest[wanted] || unprintable(character) ? 0 : wanted;
}

/* Bytes that would not print as \xHH; a backslash doubled if the text is to be reversible. */
static char *escape(const void *bytes, size_t length, bool reversible)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *in = bytes;
	char *text, *out;

	if (length > (SIZE_MAX - 1) / 4)
		return NULL;
	text = out = malloc(4 * length + 1);
	if (!text)
		return NULL;
	for (size_t n; length; in += n, length -= n) {
		n = bytes_utf8_length(in, length);
		if (n && reversible && *in == '\\')
			*out++ = '\\';
		if (n) {
			memcpy(out, in, n);
			out += n;
		} else {
			*out++ = '\\';
			*out++ = 'x';
			*out++ = hex[*in >> 4];
			*out++ = hex[*in & 15];
			n = 1;
		}
	}
	*out = '\0';
	return text;
}

char *bytes_escape(const void *bytes, size_t length)
{
	return escape(bytes, length, true);
}

char *bytes_printable(const char *text)
{
	return escape(text, strlen(text), false);
}

static int hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

char *bytes_unescape(const char *text, size_t *length)
{
	char *bytes = malloc(strlen(text) + 1), *out = bytes;

	if (!bytes)
		return NULL;
	while (*text) {
		if (*text != '\\') {
			*out++ = *text++;
		} else if (text[1] == '\\') {
			*out++ = '\\';
			text += 2;
		} else if (text[1] == 'x' && hex_value(text[2]) >= 0 && hex_value(text[3]) >= 0) {
			*out++ = (char)(hex_value(text[2]) << 4 | hex_value(text[3]));
			text += 4;
		} else {
			free(bytes);
			errno = EINVAL;
			return NULL;
		}
	}
	*out = '\0';
	*length = (size_t)(out - bytes);
	return bytes;
}
