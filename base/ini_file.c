// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See ini_file.h. libinih splits lines, but cuts long ones and long names without a word, does not
 * tell their numbers, and takes a line that begins with a blank as the rest of the one above. So it
 * gets its lines from read_line(), which counts them, refuses what would be cut, and drops blanks.
 */
#include "base/ini_file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libinih keeps so much of a section's name. */
#define MAX_SECTION_BYTES 48
#define MAX_FILE_BYTES    (1U << 20)
#define BYTE_ORDER_MARK   "\xef\xbb\xbf" /* some editors put it before UTF-8 */

struct ini_reader {
	const char *file;
	const char *at; /* the lines to come */
	const char *end;
	unsigned line;
	ini_take *take;
	void *context;
	struct err *err;
	int rc;
};

int ini_error(struct err *err, int code, const struct ini_setting *setting, const char *format, ...)
{
	char message[ERR_MESSAGE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return err_set(err, code, "%s:%u: [%s] %s: %s", setting->file, setting->line,
		setting->section, setting->key, message);
}

static bool refuse(struct ini_reader *reader, const char *why)
{
	reader->rc = err_set(reader->err, -EINVAL, "%s:%u: %s", reader->file, reader->line, why);
	return false;
}

/* Whether libinih will take the line as it is meant. */
static bool check_line(struct ini_reader *reader, const char *line, size_t length, size_t room)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)line[i];

		if ((byte < ' ' && byte != '\t' && byte != '\r') || byte == 0x7f)
			return refuse(reader, "this is no text");
	}
	if (length > room)
		return refuse(reader, "the line is too long");
	if (length && *line == '[' && length > MAX_SECTION_BYTES)
		return refuse(reader, "the name of the section is too long");
	return true;
}

/* An ini_reader of libinih: the next line, as fgets() would give it. */
static char *read_line(char *out, int bytes, void *stream)
{
	struct ini_reader *reader = stream;
	const char *start = reader->at, *end;

	if (start == reader->end || reader->rc)
		return NULL;
	end = memchr(start, '\n', (size_t)(reader->end - start));
	reader->at = end ? end + 1 : reader->end;
	end = end ? end : reader->end;
	reader->line++;
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	if (!check_line(reader, start, (size_t)(end - start), (size_t)bytes - 3))
		return NULL;
	snprintf(out, (size_t)bytes, "%.*s\n", (int)(end - start), start);
	return out;
}

/* An ini_handler of libinih. */
static int take_setting(void *user, const char *section, const char *key, const char *value)
{
	struct ini_reader *reader = user;
	const struct ini_setting setting = {
		.file = reader->file,
		.line = reader->line,
		.section = section,
		.key = key,
		.value = value ? value : "",
	};

	if (!reader->rc)
		reader->rc = reader->take(reader->context, &setting, reader->err);
	return !reader->rc;
}

int ini_read_text(const char *file, const char *text, size_t length, ini_take *take, void *context,
	struct err *err)
{
	struct ini_reader reader = {
		.file = file,
		.at = text,
		.end = text + length,
		.take = take,
		.context = context,
		.err = err,
	};
	int bad_line;

	if (length >= 3 && !memcmp(text, BYTE_ORDER_MARK, 3))
		reader.at += 3;
	bad_line = ini_parse_stream(read_line, &reader, take_setting, &reader);
	if (reader.rc || !bad_line)
		return reader.rc;
	if (bad_line < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return err_set(err, -EINVAL, "%s:%d: neither a comment, nor [section], nor key = value",
		file, bad_line);
}

/* Reads up to @room bytes; what was read, or a negative errno. */
static ssize_t read_up_to(int fd, char *text, size_t room)
{
	size_t length = 0;

	while (length < room) {
		ssize_t got = read(fd, text + length, room - length);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		if (got > 0)
			length += (size_t)got;
	}
	return (ssize_t)length;
}

int ini_read_file(const char *path, ini_take *take, void *context, struct err *err)
{
	bool is_input = !strcmp(path, "-");
	autoclose int opened = is_input ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	autofree char *text = malloc(MAX_FILE_BYTES + 1);
	ssize_t length;

	if (!is_input && opened < 0)
		return err_set_errno(err, -errno, "cannot open %s", path);
	if (!text)
		return err_set(err, -ENOMEM, "out of memory");
	length = read_up_to(is_input ? STDIN_FILENO : opened, text, MAX_FILE_BYTES + 1);
	if (length < 0)
		return err_set_errno(err, (int)length, "cannot read %s", path);
	if (length > MAX_FILE_BYTES)
		return err_set(err, -EFBIG, "%s has more than a mebibyte: no settings", path);
	return ini_read_text(path, text, (size_t)length, take, context, err);
}
