// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_log.h.
 *
 * Lines that we do not know are passed over: xfsdump has hundreds of messages, and a log holds what
 * else a backup script says. A dump begins with xfsdump's version, or with its level where that
 * line is missing, and ends with its status. A version alone is no dump: -h and -I print it, too.
 */
#include "analyzer/window/dump_log.h"

#include "analyzer/window/dump_phrase.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 65536

static const char *const status_names[DUMP_STATUSES] = {
	[DUMP_SUCCESS] = "SUCCESS",
	[DUMP_INCOMPLETE] = "INCOMPLETE",
	[DUMP_INTERRUPT] = "INTERRUPT",
	[DUMP_QUIT] = "QUIT",
	[DUMP_ERROR] = "ERROR",
	[DUMP_FAULT] = "FAULT",
	[DUMP_OTHER] = "OTHER",
	[DUMP_OPEN] = "OPEN",
};

const char *dump_status_name(enum dump_status status)
{
	return status_names[status];
}

const char *dump_problem_text(unsigned problems, char *out, size_t out_bytes)
{
	static const struct {
		enum dump_problem problem;
		const char *text;
	} texts[] = {
		{DUMP_CUT, "the log has no end of it"},
		{DUMP_NO_DATE, "no date that can be read"},
		{DUMP_NO_BASE_DATE, "no date of its base that can be read"},
		{DUMP_NO_TIME, "it does not say how long it took"},
		{DUMP_BAD_NUMBER, "a number is out of range"},
		{DUMP_BAD_UUID, "an id is no UUID"},
	};
	size_t length = 0;

	*out = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		if (problems & texts[i].problem && length < out_bytes)
			length += (size_t)snprintf(out + length, out_bytes - length, "%s%s",
				length ? "; " : "", texts[i].text);
	}
	return out;
}

/* --- Sessions --------------------------------------------------------------------------------- */

void dump_session_fini(struct dump_session *session)
{
	free(session->host);
	free(session->mount_point);
	memset(session, 0, sizeof(*session));
}

void dump_log_init(struct dump_log *log)
{
	memset(log, 0, sizeof(*log));
}

void dump_log_fini(struct dump_log *log)
{
	for (size_t i = 0; i < log->count; i++)
		dump_session_fini(&log->sessions[i]);
	free(log->sessions);
	dump_log_init(log);
}

/* The session that the lines belong to now; NULL between two. */
static struct dump_session *current(struct dump_log *log)
{
	return log->in_session ? &log->sessions[log->count - 1] : NULL;
}

static void end_session(struct dump_log *log)
{
	struct dump_session *session = current(log);

	if (!session)
		return;
	log->in_session = false;
	if (!session->has_level && session->status == DUMP_OPEN) {
		dump_session_fini(session);
		log->count--;
		return;
	}
	if (session->has_level && !session->has_date)
		session->problems |= DUMP_NO_DATE;
	if (session->status == DUMP_OPEN)
		session->problems |= DUMP_CUT;
	else if (session->status == DUMP_SUCCESS && session->seconds == DUMP_UNKNOWN)
		session->problems |= DUMP_NO_TIME;
}

static int begin_session(struct dump_log *log)
{
	end_session(log);
	if (log->count == DUMP_LOG_MAX)
		return -E2BIG;
	if (log->count == log->room) {
		size_t room = log->room ? 2 * log->room : 16;
		struct dump_session *sessions =
			reallocarray(log->sessions, room, sizeof(*sessions));

		if (!sessions)
			return -ENOMEM;
		log->sessions = sessions;
		log->room = room;
	}
	log->sessions[log->count++] = (struct dump_session){
		.line = log->lines,
		.streams = 1,
		.seconds = DUMP_UNKNOWN,
		.estimated_bytes = DUMP_UNKNOWN,
		.media_bytes = DUMP_UNKNOWN,
		.file_bytes = DUMP_UNKNOWN,
		.status = DUMP_OPEN,
	};
	log->in_session = true;
	return 0;
}

/* --- What a line says ------------------------------------------------------------------------- */

static uint64_t take_number(struct dump_session *session, const struct dump_part *part)
{
	uint64_t number;

	/* What is not known has a number of its own. */
	if (!dump_part_number(part, &number) && number < DUMP_UNKNOWN)
		return number;
	session->problems |= DUMP_BAD_NUMBER;
	return DUMP_UNKNOWN;
}

static bool take_level(struct dump_session *session, const struct dump_part *part, uint8_t *level)
{
	uint64_t number = take_number(session, part);

	if (number <= DUMP_MAX_LEVEL) {
		*level = (uint8_t)number;
		return true;
	}
	session->problems |= DUMP_BAD_NUMBER;
	return false;
}

static void take_uuid(
	struct dump_session *session, const struct dump_part *part, char uuid[DUMP_UUID_BYTES])
{
	for (size_t i = 0; i < part->length; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		bool good = part->length == DUMP_UUID_BYTES - 1 &&
			    strchr(dash ? "-" : "0123456789abcdef", part->text[i]);

		if (!good) {
			session->problems |= DUMP_BAD_UUID;
			*uuid = '\0';
			return;
		}
		uuid[i] = part->text[i];
		uuid[i + 1] = '\0';
	}
}

static int take_text(const struct dump_part *part, char **text)
{
	free(*text);
	*text = strndup(part->text, part->length);
	return *text ? 0 : -ENOMEM;
}

static void take_base(
	struct dump_session *session, const struct dump_part *level, const struct dump_part *date)
{
	session->has_base = take_level(session, level, &session->base_level);
	session->has_base_date = session->has_base && !dump_part_date(date, &session->base_seconds);
	if (!session->has_base_date)
		session->problems |= DUMP_NO_BASE_DATE;
}

static int take_characteristics(struct dump_session *session, const struct dump_words *words)
{
	const struct dump_part *parts = words->parts;
	int rc;

	session->has_level = true;
	take_level(session, &parts[0], &session->level);
	rc = take_text(&parts[1], &session->host);
	if (!rc)
		rc = take_text(&parts[2], &session->mount_point);
	session->resumed = words->phrase == PHRASE_RESUMED || words->phrase == PHRASE_RESUMED_INCR;
	if (words->phrase == PHRASE_INCREMENTAL)
		take_base(session, &parts[3], &parts[4]);
	return rc;
}

static void count_stream(struct dump_session *session, const struct dump_part *part)
{
	uint64_t stream = take_number(session, part);

	if (stream >= DUMP_MAX_STREAMS)
		session->problems |= DUMP_BAD_NUMBER;
	else if (stream >= session->streams)
		session->streams = (uint32_t)stream + 1;
}

/* "/dev/st0 OK" in the summary: where it went may hold blanks. */
static void take_stream(struct dump_session *session, const struct dump_part *parts)
{
	count_stream(session, &parts[0]);
	if (parts[1].length < 3 || memcmp(parts[1].text + parts[1].length - 3, " OK", 3) != 0)
		session->failed_streams++;
}

static void take_status(struct dump_session *session, const struct dump_part *part)
{
	session->status = DUMP_OTHER;
	for (int status = 0; status < DUMP_OTHER; status++) {
		if (strlen(status_names[status]) == part->length &&
			!memcmp(status_names[status], part->text, part->length))
			session->status = status;
	}
}

static void add_media_file(struct dump_session *session, const struct dump_part *part)
{
	uint64_t bytes = take_number(session, part);
	uint64_t before = session->media_bytes == DUMP_UNKNOWN ? 0 : session->media_bytes;

	if (bytes != DUMP_UNKNOWN && !checked_add_u64(before, bytes, &session->media_bytes))
		session->problems |= DUMP_BAD_NUMBER;
}

static int take_words(struct dump_session *session, const struct dump_words *words)
{
	const struct dump_part *parts = words->parts;

	if (words->has_drive)
		count_stream(session, &words->drive);
	switch (words->phrase) {
	case PHRASE_UUID:
		take_uuid(session, &parts[1], session->fs_id);
		break;
	case PHRASE_LEVEL:
	case PHRASE_INCREMENTAL:
	case PHRASE_RESUMED:
	case PHRASE_RESUMED_INCR:
		return take_characteristics(session, words);
	case PHRASE_DATE:
		session->has_date = !dump_part_date(&parts[0], &session->started_seconds);
		break;
	case PHRASE_SESSION:
		take_uuid(session, &parts[0], session->session_id);
		break;
	case PHRASE_ESTIMATE:
		session->estimated_bytes = take_number(session, &parts[0]);
		break;
	case PHRASE_MEDIA_FILE:
		add_media_file(session, &parts[0]);
		break;
	case PHRASE_FILES:
		session->file_bytes = take_number(session, &parts[0]);
		break;
	case PHRASE_COMPLETE:
	case PHRASE_INTERRUPTED:
		session->seconds = take_number(session, &parts[0]);
		break;
	case PHRASE_STREAM:
		take_stream(session, parts);
		break;
	case PHRASE_STATUS:
		take_status(session, &parts[0]);
		break;
	case PHRASE_VERSION:
	case PHRASE_NONE:
		break;
	}
	return 0;
}

static bool is_level(enum dump_phrase phrase)
{
	return phrase >= PHRASE_LEVEL && phrase <= PHRASE_RESUMED_INCR;
}

/* Whether a dump begins here that is not the current one. */
static bool begins(struct dump_log *log, enum dump_phrase phrase)
{
	const struct dump_session *session = current(log);

	if (phrase == PHRASE_VERSION)
		return true;
	if (is_level(phrase))
		return !session || session->has_level;
	return phrase == PHRASE_STATUS && !session;
}

static int take_line(struct dump_log *log)
{
	size_t length = log->line_length;
	struct dump_words words;
	int rc = 0;

	log->line_length = 0;
	log->line_overflow = false;
	while (length && (log->line[length - 1] == ' ' || log->line[length - 1] == '\t'))
		length--;
	log->line[length] = '\0';
	dump_phrase_read(log->line, &words);
	if (begins(log, words.phrase))
		rc = begin_session(log);
	if (!rc && log->in_session)
		rc = take_words(current(log), &words);
	if (words.phrase == PHRASE_STATUS)
		end_session(log);
	return rc;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

static void take_bytes(struct dump_log *log, const char *bytes, size_t count)
{
	size_t room = sizeof(log->line) - 1 - log->line_length;

	if (log->line_overflow)
		return;
	log->line_overflow = count > room;
	count = count > room ? room : count;
	memcpy(log->line + log->line_length, bytes, count);
	log->line_length += count;
}

/* A carriage return ends a line as well, and so does a NUL, of which texts have none. */
static size_t find_end(const char *bytes, size_t count)
{
	size_t i = 0;

	while (i < count && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\0')
		i++;
	return i;
}

int dump_log_add(struct dump_log *log, const char *bytes, size_t count)
{
	while (count) {
		size_t length = find_end(bytes, count);
		int rc;

		/* counted where it begins */
		if (!log->lines)
			log->lines = 1;
		take_bytes(log, bytes, length);
		if (length == count)
			return 0;
		rc = log->line_length ? take_line(log) : 0;
		if (rc)
			return rc;
		log->lines += bytes[length] == '\n';
		bytes += length + 1;
		count -= length + 1;
	}
	return 0;
}

int dump_log_end(struct dump_log *log)
{
	int rc = log->line_length ? take_line(log) : 0;

	end_session(log);
	return rc;
}

static int check_log(const struct dump_log *log, const char *name, struct err *err)
{
	if (log->count)
		return 0;
	if (!log->lines)
		return err_set(err, -ENODATA, "%s is empty", name);
	return err_set(err, -ENODATA,
		"%s holds no dump, though %" PRIu64 " line%s: xfsdump's standard output is "
		"wanted, of any verbosity but silent",
		name, log->lines, unit_plural(log->lines));
}

/* Reads all there is. */
static int read_all(struct dump_log *log, int fd)
{
	char buffer[READ_BYTES];

	for (;;) {
		ssize_t got = read(fd, buffer, sizeof(buffer));
		int rc = got > 0 ? dump_log_add(log, buffer, (size_t)got) : 0;

		if (rc || got == 0)
			return rc ? rc : dump_log_end(log);
		if (got < 0 && errno != EINTR)
			return -errno;
	}
}

int dump_log_read(struct dump_log *log, int fd, const char *name, struct err *err)
{
	int rc = read_all(log, fd);

	if (rc == -E2BIG)
		return err_set(
			err, rc, "%s holds more than %d dumps: split it", name, DUMP_LOG_MAX);
	return rc ? err_set_errno(err, rc, "cannot read %s", name) : check_log(log, name, err);
}
