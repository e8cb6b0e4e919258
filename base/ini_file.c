// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See ini_file.h. libinih takes keys and values apart, but it cuts long lines without a word, does
 * not tell their numbers, takes a line that begins with a blank as the rest of the one above, ends
 * a section's name at the first ], whatever follows, and says nothing of sections without keys. So
 * it gets its lines from read_line(), which counts them, refuses what would be cut, drops blanks at
 * their start, and keeps sections to itself.
 */
#include "base/ini_file.h"

#include "base/checked.h"
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

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors put it before UTF-8 */
#define MAX_LINE_BYTES  256            /* more than libinih has room for */

struct ini_reader {
	const char *file;
	const char *at; /* the lines to come */
	const char *end;
	unsigned line;
	char section[MAX_LINE_BYTES];
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
	return err_set(err, code, "%s:%u: [%s] %s%s%s", setting->file, setting->line,
		setting->section, setting->key ? setting->key : "", setting->key ? ": " : "",
		message);
}

static int refuse(struct ini_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct ini_reader *reader, const char *format, ...)
{
	char why[128];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	reader->rc = err_set(reader->err, -EINVAL, "%s:%u: %s", reader->file, reader->line, why);
	return reader->rc;
}

static int check_bytes(struct ini_reader *reader, const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)line[i];

		if ((byte < ' ' && byte != '\t') || byte == 0x7f)
			return refuse(reader,
				"byte %zu of the line is 0x%02x: this is no text file", i + 1,
				byte);
	}
	return 0;
}

static int hand_on(struct ini_reader *reader, const char *key, const char *value)
{
	const struct ini_setting setting = {
		.file = reader->file,
		.line = reader->line,
		.section = reader->section,
		.key = key,
		.value = value,
	};

	if (!reader->rc)
		reader->rc = reader->take(reader->context, &setting, reader->err);
	return reader->rc;
}

/* How much of @line is left without a comment after a blank, and without the blanks before it. */
static size_t without_comment(const char *line)
{
	size_t length = strlen(line);

	for (size_t i = 1; i < length; i++) {
		if (line[i] == ';' && strchr(" \t", line[i - 1]))
			length = i;
	}
	while (length && strchr(" \t", line[length - 1]))
		length--;
	return length;
}

/* Takes a section from its line, which libinih then sees as an empty one. */
static int take_section(struct ini_reader *reader, char *line, size_t length)
{
	snprintf(reader->section, sizeof(reader->section), "%.*s", (int)length - 2, line + 1);
	*line = '\0';
	return hand_on(reader, NULL, NULL);
}

/* @line is without blanks at its start and without its end. */
static int look_at_line(struct ini_reader *reader, char *line)
{
	size_t length = without_comment(line);

	if (!*line || strchr(";#", *line))
		return 0;
	if (*line == '[' && line[length - 1] == ']')
		return take_section(reader, line, length);
	if (*line == '[' || strcspn(line, "=:") >= length)
		return refuse(reader, "neither a comment, nor [section], nor key = value");
	return 0;
}

/* An ini_reader of libinih: the next line, as fgets() would give it. */
static char *read_line(char *out, int bytes, void *stream)
{
	struct ini_reader *reader = stream;
	const size_t room = min_u64((size_t)bytes, MAX_LINE_BYTES) - 3;
	const char *start = reader->at, *end;

	if (start == reader->end || reader->rc)
		return NULL;
	end = memchr(start, '\n', (size_t)(reader->end - start));
	reader->at = end ? end + 1 : reader->end;
	end = end ? end : reader->end;
	reader->line++;
	if (end > start && end[-1] == '\r')
		end--;
	if (check_bytes(reader, start, (size_t)(end - start)))
		return NULL;
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	if ((size_t)(end - start) > room) {
		refuse(reader, "a line of more than %zu bytes", room);
		return NULL;
	}
	snprintf(out, (size_t)bytes, "%.*s", (int)(end - start), start);
	if (look_at_line(reader, out))
		return NULL;
	return strcat(out, "\n");
}

/* An ini_handler of libinih. */
static int take_setting(void *user, const char *section, const char *key, const char *value)
{
	(void)section;
	return !hand_on(user, key, value ? value : "");
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

	if (length > INI_MAX_FILE_BYTES)
		return err_set(err, -EINVAL, "%s: larger than %d bytes: these are no settings",
			file, INI_MAX_FILE_BYTES);
	if (length >= 3 && !memcmp(text, BYTE_ORDER_MARK, 3))
		reader.at += 3;
	bad_line = ini_parse_stream(read_line, &reader, take_setting, &reader);
	if (reader.rc || !bad_line)
		return reader.rc;
	if (bad_line < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return err_set(err, -EINVAL, "%s:%d: this line makes no sense", file, bad_line);
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
	autofree char *text = malloc(INI_MAX_FILE_BYTES + 1);
	ssize_t length;

	if (!is_input && opened < 0)
		return err_set_errno(err, -errno, "cannot open %s", path);
	if (!text)
		return err_set(err, -ENOMEM, "out of memory");
	length = read_up_to(is_input ? STDIN_FILENO : opened, text, INI_MAX_FILE_BYTES + 1);
	if (length < 0)
		return err_set_errno(err, (int)length, "cannot read %s", path);
	return ini_read_text(path, text, (size_t)length, take, context, err);
}
