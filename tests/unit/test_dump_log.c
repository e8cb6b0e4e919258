// SPDX-License-Identifier: GPL-2.0-or-later
/* What is read out of logs: of xfsdump 3.1 (tests/fuzz/corpus/dump_log), and worse. */
#include "tests/unit/test.h"

#include "analyzer/window/dump_log.h"
#include "analyzer/window/dump_phrase.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START "xfsdump: version 3.1.11 (dump format 3.0)\n"
#define LEVEL "xfsdump: level 0 dump of server:/srv/home\n"
#define DATE  "xfsdump: dump date: Mon Nov 30 02:10:00 2026\n"
#define DONE  "xfsdump: dump complete: 3600 seconds elapsed\n"
#define END   "xfsdump: Dump Status: SUCCESS\n"
#define WHOLE START LEVEL DATE DONE END

/* 2026-11-30 02:10:00 UTC */
#define DATE_SECONDS 1796004600

static void set_zone(const char *zone)
{
	assert_false(setenv("TZ", zone, 1));
	tzset();
}

static void read_log(struct dump_log *log, const char *name)
{
	autofree char *path = NULL;
	struct err err = {0};
	autoclose int fd = -1;

	assert_true(asprintf(&path, "%s/tests/fuzz/corpus/dump_log/%s", getenv("top_srcdir"),
			    name) > 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	dump_log_init(log);
	assert_int_equal(dump_log_read(log, fd, path, &err), 0);
}

static void parse(struct dump_log *log, const char *text)
{
	dump_log_init(log);
	assert_int_equal(dump_log_add(log, text, strlen(text)), 0);
	assert_int_equal(dump_log_end(log), 0);
}

/* --- Real logs -------------------------------------------------------------------------------- */

static void check_verbose(const struct dump_session *session, const char *mount_point)
{
	assert_string_equal(session->session_id, "b48b857e-d00a-4d59-aef0-0d1d8daf01da");
	assert_string_equal(session->host, "server");
	assert_string_equal(session->mount_point, mount_point);
	assert_true(session->has_level && session->has_date && !session->has_base);
	assert_int_equal(session->level, 0);
	assert_int_equal(session->started_seconds, 1796063876);
	assert_int_equal(session->estimated_bytes, 26001280);
	assert_int_equal(session->media_bytes, 24676784);
	assert_int_equal(session->file_bytes, 24185392);
	assert_int_equal(session->seconds, 0);
	assert_int_equal(session->streams, 1);
	assert_int_equal(session->failed_streams, 0);
	assert_int_equal(session->status, DUMP_SUCCESS);
	assert_int_equal(session->problems, 0);
	assert_false(session->resumed);
}

static void a_plain_dump(void **state)
{
	struct dump_log log;

	(void)state;
	read_log(&log, "verbose");
	assert_int_equal(log.count, 1);
	check_verbose(&log.sessions[0], "/srv/home");
	dump_log_fini(&log);
	read_log(&log, "crlf");
	assert_int_equal(log.count, 1);
	check_verbose(&log.sessions[0], "/srv/home");
	dump_log_fini(&log);
}

static void verbosities(void **state)
{
	static const char *const names[] = {"trace", "debug", "timestamps"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		struct dump_log log;

		read_log(&log, names[i]);
		assert_int_equal(log.count, 1);
		assert_int_equal(log.sessions[0].media_bytes, 24676784);
		assert_int_equal(log.sessions[0].status, DUMP_SUCCESS);
		assert_int_equal(log.sessions[0].problems, 0);
		assert_string_equal(log.sessions[0].fs_id,
			i == 1 ? "21b71bdd-c37c-47cf-95ba-22060dba6b33" : "");
		dump_log_fini(&log);
	}
}

static void an_increment(void **state)
{
	static const char *const names[] = {"level1", "syslog"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		struct dump_log log;
		const struct dump_session *session;

		read_log(&log, names[i]);
		session = log.sessions;
		assert_int_equal(log.count, 1);
		assert_int_equal(session->level, 1);
		assert_true(session->has_base && session->has_base_date);
		assert_int_equal(session->base_level, 0);
		assert_int_equal(session->base_seconds, 1796063877);
		assert_int_equal(session->started_seconds, 1796063879);
		assert_string_equal(session->mount_point, "/srv/home");
		assert_int_equal(session->status, DUMP_SUCCESS);
		assert_int_equal(session->problems, 0);
		dump_log_fini(&log);
	}
}

static void two_streams(void **state)
{
	struct dump_log log;

	(void)state;
	read_log(&log, "two-streams");
	assert_int_equal(log.count, 1);
	assert_int_equal(log.sessions[0].streams, 2);
	assert_int_equal(log.sessions[0].media_bytes, 12645424 + 12052400);
	assert_int_equal(log.sessions[0].estimated_bytes, 26001280);
	assert_int_equal(log.sessions[0].seconds, 1);
	dump_log_fini(&log);
}

static void failures(void **state)
{
	static const struct {
		const char *name;
		enum dump_status status;
		uint64_t seconds;
		unsigned failed_streams;
		unsigned problems;
		bool has_level;
		bool resumed;
	} cases[] = {
		{"interrupted", DUMP_INTERRUPT, 8, 1, 0, true, false},
		{"full-disk", DUMP_INTERRUPT, 0, 1, 0, true, false},
		{"pipe-broken", DUMP_INTERRUPT, 0, 0, 0, true, false},
		{"no-base", DUMP_ERROR, DUMP_UNKNOWN, 0, 0, false, false},
		{"killed", DUMP_OPEN, DUMP_UNKNOWN, 0, DUMP_CUT, true, false},
		{"cut", DUMP_OPEN, DUMP_UNKNOWN, 0, DUMP_CUT, true, false},
		{"resumed", DUMP_SUCCESS, 0, 0, 0, true, true},
		{"polish-resumed", DUMP_SUCCESS, 0, 0, 0, true, true},
		{"german-interrupted", DUMP_INTERRUPT, 7, 1, 0, true, false},
		{"pipe", DUMP_SUCCESS, 0, 0, 0, true, false},
		{"subtree", DUMP_SUCCESS, 0, 0, 0, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct dump_log log;
		const struct dump_session *session;

		read_log(&log, cases[i].name);
		session = log.sessions;
		if (log.count != 1 || session->status != cases[i].status ||
			session->seconds != cases[i].seconds ||
			session->failed_streams != cases[i].failed_streams ||
			session->problems != cases[i].problems ||
			session->has_level != cases[i].has_level ||
			session->resumed != cases[i].resumed)
			fail_msg("%s: %zu dumps, %s, %llu s, %u streams failed, problems %x",
				cases[i].name, log.count, dump_status_name(session->status),
				(unsigned long long)session->seconds, session->failed_streams,
				session->problems);
		dump_log_fini(&log);
	}
}

static void other_languages(void **state)
{
	struct dump_log log;
	const struct dump_session *session;

	(void)state;
	read_log(&log, "german");
	session = log.sessions;
	assert_string_equal(session->host, "server");
	assert_string_equal(session->mount_point, "/srv/home");
	assert_int_equal(session->started_seconds, 1796064512);
	assert_int_equal(session->estimated_bytes, 26001280);
	assert_int_equal(session->media_bytes, 24676784);
	assert_int_equal(session->file_bytes, 24185392);
	assert_int_equal(session->seconds, 0);
	assert_int_equal(session->status, DUMP_SUCCESS);
	dump_log_fini(&log);

	read_log(&log, "german-level1");
	session = log.sessions;
	assert_string_equal(session->mount_point, "/srv/home");
	assert_int_equal(session->level, 1);
	assert_int_equal(session->base_level, 0);
	assert_int_equal(session->base_seconds, 1796064512);
	assert_int_equal(session->streams, 2);
	assert_int_equal(session->media_bytes, 21840 + 26488);
	assert_int_equal(session->problems, 0);
	dump_log_fini(&log);

	read_log(&log, "polish-level2");
	session = log.sessions;
	assert_string_equal(session->mount_point, "/srv/home");
	assert_int_equal(session->level, 2);
	assert_int_equal(session->base_level, 1);
	assert_int_equal(session->base_seconds, 1796064513);
	assert_int_equal(session->streams, 2);
	assert_int_equal(session->media_bytes, 21840 + 26488);
	assert_int_equal(session->file_bytes, 544);
	assert_int_equal(session->seconds, 0);
	assert_string_equal(session->session_id, "ac115c2c-41d9-4f47-b8f7-e1e0adffb7b6");
	dump_log_fini(&log);
}

static void several(void **state)
{
	struct dump_log log;

	(void)state;
	read_log(&log, "appended");
	assert_int_equal(log.count, 3);
	check_verbose(&log.sessions[0], "/srv/home");
	assert_int_equal(log.sessions[1].level, 1);
	assert_int_equal(log.sessions[2].status, DUMP_INTERRUPT);
	assert_int_equal(log.sessions[0].line, 2);
	assert_int_equal(log.sessions[1].line, 24);
	dump_log_fini(&log);
	read_log(&log, "binary");
	assert_int_equal(log.count, 2);
	check_verbose(&log.sessions[0], "/srv/home");
	check_verbose(&log.sessions[1], "/srv/home");
	dump_log_fini(&log);
}

/* --- Made-up logs ----------------------------------------------------------------------------- */

static void any_pieces(void **state)
{
	static const char text[] = "noise\n" WHOLE "more noise " WHOLE;

	(void)state;
	for (size_t piece = 1; piece < 90; piece++) {
		struct dump_log log;

		dump_log_init(&log);
		for (size_t at = 0; at < sizeof(text) - 1; at += piece) {
			size_t left = sizeof(text) - 1 - at;

			assert_int_equal(
				dump_log_add(&log, text + at, left < piece ? left : piece), 0);
		}
		assert_int_equal(dump_log_end(&log), 0);
		assert_int_equal(log.count, 2);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(log.sessions[i].seconds, 3600);
			assert_int_equal(log.sessions[i].started_seconds, DATE_SECONDS);
			assert_int_equal(log.sessions[i].problems, 0);
		}
		dump_log_fini(&log);
	}
}

static void prefixes(void **state)
{
	static const char *const prefixes[] = {
		"/usr/sbin/xfsdump: ",
		"xfsdump:02.10.00:general:1: ",
		"xfsdump:1: ",
		"Nov 30 02:10:01 server xfsdump[99]: xfsdump: ",
		"xfsdump: xfsdump: ",
		"root@server's xfsdump says xfsdump: ",
		"| xfsdump: drive 0: ",
		"\xff\xfe xfsdump: NOTE: ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++) {
		struct dump_words words;
		autofree char *line = NULL;

		assert_true(
			asprintf(&line, "%sdump date: Mon Nov 30 02:10:00 2026", prefixes[i]) > 0);
		dump_phrase_read(line, &words);
		if (words.phrase != PHRASE_DATE)
			fail_msg("not understood: %s", line);
	}
}

static void not_ours(void **state)
{
	static const char *const lines[] = {
		"",
		"xfsdump",
		"xfsdump:",
		"xfsdump: ",
		"dump date: Mon Nov 30 02:10:00 2026",
		"xfsrestore: dump date: Mon Nov 30 02:10:00 2026",
		"xfsdump:dump date: Mon Nov 30 02:10:00 2026",
		"xfsdump: status at 02:10:00: 1/2 files dumped, 3.1% data dumped, 2 seconds "
		"elapsed",
		"xfsdump: media file size -1 bytes",
		"xfsdump: media file size  bytes",
		"xfsdump: media file size 12 bytes and more",
		"xfsdump: inventory media file size 12 bytes",
		"xfsdump: estimated dump size per stream: 12 bytes",
		"xfsdump: level x dump of server:/srv",
		"xfsdump: level 0 dump of server",
		"xfsdump: level 1 incremental dump of server:/srv",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
		struct dump_words words;

		dump_phrase_read(lines[i], &words);
		if (words.phrase != PHRASE_NONE)
			fail_msg("taken for phrase %d: %s", words.phrase, lines[i]);
	}
}

/* A mount point may be called anything. */
static void odd_names(void **state)
{
	struct dump_log log;
	const struct dump_session *session;

	(void)state;
	parse(&log, "xfsdump: level 2 incremental dump of s:/a: based on level 1 dump begun x "
		    "based on level 1 dump begun Mon Nov 30 02:10:00 2026\n" DATE END);
	session = log.sessions;
	assert_int_equal(log.count, 1);
	assert_string_equal(session->host, "s");
	assert_string_equal(session->mount_point, "/a: based on level 1 dump begun x");
	assert_int_equal(session->base_level, 1);
	assert_int_equal(session->base_seconds, DATE_SECONDS);
	dump_log_fini(&log);
}

static void what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		unsigned problems;
	} cases[] = {
		{WHOLE, 0},
		{START LEVEL DONE END, DUMP_NO_DATE},
		{START LEVEL "xfsdump: dump date: Mo 30 Nov 2026 02:10:00\n" DONE END,
			DUMP_NO_DATE},
		{START LEVEL "xfsdump: dump date: Tue Nov 30 02:10:00 2026\n" DONE END,
			DUMP_NO_DATE},
		{START LEVEL "xfsdump: dump date: Thu Feb 29 02:10:00 2027\n" DONE END,
			DUMP_NO_DATE},
		{START LEVEL DATE END, DUMP_NO_TIME},
		{START LEVEL DATE DONE, DUMP_CUT},
		{START LEVEL DATE START, DUMP_CUT},
		{START LEVEL DATE
			"xfsdump: dump complete: 99999999999999999999 seconds elapsed\n" END,
			DUMP_BAD_NUMBER | DUMP_NO_TIME},
		{START LEVEL DATE DONE "xfsdump: media file size 18446744073709551614 bytes\n"
				       "xfsdump: media file size 10 bytes\n" END,
			DUMP_BAD_NUMBER},
		{START "xfsdump: level 10 dump of server:/srv\n" DATE DONE END, DUMP_BAD_NUMBER},
		{START LEVEL DATE "xfsdump: session id: 1234\n" DONE END, DUMP_BAD_UUID},
		{START LEVEL DATE "xfsdump: drive 99999: media file size 1 bytes\n" DONE END,
			DUMP_BAD_NUMBER},
		{START "xfsdump: level 1 incremental dump of s:/srv based on level 0 dump begun "
		       "yesterday\n" DATE DONE END,
			DUMP_NO_BASE_DATE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct dump_log log;
		char text[256];

		parse(&log, cases[i].text);
		if (log.count != 1 || log.sessions[0].problems != cases[i].problems)
			fail_msg("case %zu: %zu dumps, problems %x", i, log.count,
				log.count ? log.sessions[0].problems : 0);
		assert_int_equal(!!cases[i].problems,
			!!*dump_problem_text(log.sessions[0].problems, text, sizeof(text)));
		dump_log_fini(&log);
	}
}

static void a_long_line(void **state)
{
	struct dump_log log;
	autofree char *text = malloc(3 * DUMP_LINE_BYTES + 1 + sizeof(WHOLE));

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 3 * DUMP_LINE_BYTES);
	text[3 * DUMP_LINE_BYTES] = '\n';
	strcpy(text + 3 * DUMP_LINE_BYTES + 1, WHOLE);
	parse(&log, text);
	assert_int_equal(log.count, 1);
	assert_int_equal(log.sessions[0].line, 2);
	assert_int_equal(log.sessions[0].problems, 0);
	dump_log_fini(&log);
}

/* The same words mean an hour more where clocks show an hour less. */
static void zones(void **state)
{
	struct dump_log log;

	(void)state;
	set_zone("XST-1");
	parse(&log, WHOLE);
	assert_int_equal(log.sessions[0].started_seconds, DATE_SECONDS - 3600);
	dump_log_fini(&log);
	set_zone("UTC");
	parse(&log, START LEVEL "xfsdump: dump date: Tue Dec  1 02:10:00 2026\n" DONE END);
	assert_int_equal(log.sessions[0].started_seconds, DATE_SECONDS + 86400);
	dump_log_fini(&log);
}

static int read_text(const char *text, struct err *err)
{
	FILE *file = tmpfile();
	struct dump_log log;
	int rc;

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fflush(file), 0);
	rewind(file);
	dump_log_init(&log);
	rc = dump_log_read(&log, fileno(file), "the log", err);
	dump_log_fini(&log);
	fclose(file);
	return rc;
}

static void no_dump(void **state)
{
	struct err err = {0};
	struct dump_log log;
	autoclose int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(read_text("", &err), -ENODATA);
	assert_string_equal(err.message, "the log is empty");
	err_clear(&err);
	assert_int_equal(read_text("one\ntwo", &err), -ENODATA);
	assert_non_null(strstr(err.message, "no dump, though 2 lines"));
	err_clear(&err);
	assert_int_equal(read_text(START, &err), -ENODATA);
	err_clear(&err);
	assert_int_equal(read_text(WHOLE, &err), 0);
	dump_log_init(&log);
	assert_int_equal(dump_log_read(&log, fd, "/", &err), -EISDIR);
	dump_log_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_dump),
		cmocka_unit_test(verbosities),
		cmocka_unit_test(an_increment),
		cmocka_unit_test(two_streams),
		cmocka_unit_test(failures),
		cmocka_unit_test(other_languages),
		cmocka_unit_test(several),
		cmocka_unit_test(any_pieces),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(not_ours),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(a_long_line),
		cmocka_unit_test(zones),
		cmocka_unit_test(no_dump),
	};

	set_zone("UTC");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
