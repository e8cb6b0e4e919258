// SPDX-License-Identifier: GPL-2.0-or-later
/* Sinks: what --sink may say, and measuring on real files and commands. */
#include "tests/unit/test.h"

#include "analyzer/window/sink.h"
#include "base/clock.h"
#include "base/units.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/xfscensus-sink.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

static struct sink parsed(const char *spec)
{
	struct sink sink;

	assert_int_equal(sink_parse(spec, &sink, NULL), 0);
	assert_string_equal(sink.spec, spec);
	return sink;
}

static void known_sinks_need_no_measuring(void **state)
{
	struct sink null = parsed("null"), rate = parsed("rate:128M");

	(void)state;
	assert_int_equal(sink_measure(&null, 1, NULL, NULL), 0);
	assert_int_equal(sink_measure(&rate, 1, NULL, NULL), 0);
	assert_true(isinf(null.bytes_per_second));
	assert_true(rate.bytes_per_second == 128.0 * MIB);
	assert_int_equal(rate.measured_bytes, 0);
	sink_fini(&null);
	sink_fini(&rate);
}

static void nonsense_is_refused(void **state)
{
	static const char *const specs[] = {"", "nil", "null:", "rate", "rate:", "rate:0", "rate:x",
		"rate:-1", "file", "file:", "pipe", "pipe:", "Pipe:cat"};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct err err = {0};
		struct sink sink;

		assert_int_equal(sink_parse(specs[i], &sink, &err), -EINVAL);
		assert_non_null(strstr(err.message, "pipe:COMMAND"));
	}
}

/* --- Commands --------------------------------------------------------------------------------- */

static struct sink measured(const char *spec, double seconds, int wanted, const char *message)
{
	struct sink sink = parsed(spec);
	struct err err = {0};

	assert_int_equal(sink_measure(&sink, seconds, NULL, &err), wanted);
	if (message)
		assert_non_null(strstr(err.message, message));
	/* Whatever came of it, no child is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return sink;
}

static void a_fast_command(void **state)
{
	struct sink sink = measured("pipe:cat >/dev/null", 0.5, 0, NULL);

	(void)state;
	assert_true(sink.bytes_per_second > 20.0 * MIB);
	assert_true(sink.buffer_bytes >= 4096);
	assert_true(sink.record_seconds > 0 && sink.record_seconds < 0.1);
	assert_true(sink.measured_bytes > 1 * MIB);
	sink_fini(&sink);
}

/* 64 KiB twenty times a second: 1.25 MiB/s, and the pipe's own buffer. */
static void a_slow_command(void **state)
{
	struct sink sink = measured("pipe:while dd bs=64K count=1 iflag=fullblock status=none | "
				    "grep -qc ''; do sleep 0.05; done",
		2, 0, NULL);

	(void)state;
	/* A shell is late for each turn, never early. */
	assert_true(sink.bytes_per_second < 1.4 * MIB);
	assert_true(sink.bytes_per_second > 0.3 * MIB);
	assert_true(sink.buffer_bytes >= 64 * KIB && sink.buffer_bytes < 1 * MIB);
	sink_fini(&sink);
}

/* Something that takes 32 MiB at once and then one MiB at a time: the buffer is told apart. */
static void a_buffer_is_no_speed(void **state)
{
	struct sink sink = measured("pipe:dd bs=1M count=32 iflag=fullblock of=/dev/null "
				    "status=none; while dd bs=256K count=1 iflag=fullblock "
				    "of=/dev/null status=none; do sleep 0.1; done",
		4, 0, NULL);

	(void)state;
	assert_true(sink.bytes_per_second < 2.6 * MIB);
	assert_true(sink.bytes_per_second > 0.5 * MIB);
	assert_true(sink.buffer_bytes > 30 * MIB && sink.buffer_bytes < 34 * MIB);
	sink_fini(&sink);
}

/* 64 KiB twenty times a second since it began: who was slow for a while may be fast for another. */
static void credit_is_a_buffer(void **state)
{
	struct sink sink =
		measured("pipe:start=$(date +%s%N) i=0; while dd bs=64K count=1 "
			 "iflag=fullblock status=none | grep -qc ''; do i=$((i + 1)); "
			 "while [ $(($(date +%s%N) - start)) -lt $((i * 50000000)) ]; do "
			 "sleep 0.01; done; done",
			6, 0, NULL);

	(void)state;
	assert_true(sink.bytes_per_second < 1.4 * MIB);
	assert_true(sink.bytes_per_second > 0.3 * MIB);
	/* what it might have taken while nothing was written, or a good part of that */
	assert_true(sink.buffer_bytes > 300 * KIB);
	assert_true(sink.buffer_bytes < 2 * MIB);
	sink_fini(&sink);
}

/* A real one that gives credit for what it was not sent. */
static void a_real_limiter(void **state)
{
	struct sink sink;

	(void)state;
	if (system("command -v pv >/dev/null")) {
		if (getenv("XFSCENSUS_REQUIRE_REAL"))
			fail_msg("pv is missing");
		skip();
	}
	sink = measured("pipe:pv -q -L 4m >/dev/null", 6, 0, NULL);
	assert_true(sink.bytes_per_second > 3.4 * MIB);
	assert_true(sink.bytes_per_second < 4.6 * MIB);
	assert_true(sink.buffer_bytes < 16 * MIB);
	sink_fini(&sink);
}

static void commands_that_will_not_do(void **state)
{
	static const struct {
		const char *spec;
		int rc;
		const char *message;
	} cases[] = {
		{"pipe:false", -EPIPE, "exit status 1"},
		{"pipe:exit 3", -EPIPE, "exit status 3"},
		{"pipe:no-such-command-xyz 2>/dev/null", -EPIPE, "no such command"},
		{"pipe:head -c 1000000 >/dev/null", -EPIPE, "stopped reading"},
		{"pipe:cat >/dev/null; exit 7", -EPIPE, "exit status 7"},
		{"pipe:kill -9 $$", -EPIPE, "signal 9"},
		{"pipe:sleep 1000", -ETIMEDOUT, "nothing more"},
		{"pipe:trap '' TERM; sleep 1000 & wait; sleep 1000", -ETIMEDOUT, "nothing more"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sink sink = measured(cases[i].spec, 0.3, cases[i].rc, cases[i].message);

		sink_fini(&sink);
	}
}

/* A broken pipe is an error here and neither a signal now nor a pending one later. */
static void the_signal_stays_here(void **state)
{
	struct sink sink = measured("pipe:false", 0.3, -EPIPE, "exit status 1");
	sigset_t pending;

	(void)state;
	sigpending(&pending);
	assert_false(sigismember(&pending, SIGPIPE));
	sink_fini(&sink);
}

static void an_end_is_heeded(void **state)
{
	static const atomic_bool always = true;
	static const char *const specs[] = {"pipe:sleep 1000", "pipe:cat >/dev/null", "file:/tmp"};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		int64_t start_ns = clock_monotonic_ns();
		struct sink sink = parsed(specs[i]);
		struct progress progress;

		progress_init(&progress);
		progress.cancelled = &always;
		assert_int_equal(sink_measure(&sink, 60, &progress, NULL), -ECANCELED);
		assert_true(clock_seconds_since(start_ns) < 20);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		sink_fini(&sink);
	}
}

static atomic_bool alarmed;

static void take_alarm(int number)
{
	(void)number;
	alarmed = true;
}

/* Ctrl-C while nothing is written for a moment: from 4.5 to 5.6 s of 6. */
static void an_end_is_heeded_while_it_rests(void **state)
{
	const struct sigaction action = {.sa_handler = take_alarm};
	const struct itimerval soon = {.it_value = {.tv_sec = 4, .tv_usec = 900000}};
	struct sink sink = parsed("pipe:cat >/dev/null");
	struct progress progress;

	(void)state;
	progress_init(&progress);
	progress.cancelled = &alarmed;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(sink_measure(&sink, 6, &progress, NULL), -ECANCELED);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	sink_fini(&sink);
}

/* --- Files ------------------------------------------------------------------------------------ */

static int count_entries(void)
{
	DIR *directory = opendir(folder);
	int count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2;
}

static void a_file_leaves_nothing(void **state)
{
	char spec[128];
	struct sink sink;

	(void)state;
	snprintf(spec, sizeof(spec), "file:%s/dump", folder);
	sink = measured(spec, 0.1, 0, NULL);
	assert_true(sink.bytes_per_second > 0);
	assert_true(sink.buffer_bytes > 0);
	assert_true(sink.measured_bytes >= 16 * MIB);
	assert_true(sink.record_seconds > 0);
	assert_int_equal(count_entries(), 0);
	sink_fini(&sink);
	snprintf(spec, sizeof(spec), "file:%s", folder);
	sink = measured(spec, 0.1, 0, NULL);
	assert_int_equal(count_entries(), 0);
	sink_fini(&sink);
}

static void a_file_is_not_overwritten(void **state)
{
	char path[96], spec[128];
	struct stat stat_buffer;
	struct sink sink;
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/precious", folder);
	snprintf(spec, sizeof(spec), "file:%s", path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("precious", file);
	fclose(file);
	sink = measured(spec, 0.1, -EEXIST, "nothing is overwritten");
	assert_int_equal(stat(path, &stat_buffer), 0);
	assert_int_equal(stat_buffer.st_size, 8);
	sink_fini(&sink);
	unlink(path);
}

static void places_where_no_file_can_be(void **state)
{
	struct sink sink = measured("file:/nonexistent/dump", 0.1, -ENOENT, "/nonexistent");

	(void)state;
	sink_fini(&sink);
	sink = measured("file:/proc/dump", 0.1, -ENOENT, "/proc");
	sink_fini(&sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_sinks_need_no_measuring),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(a_fast_command),
		cmocka_unit_test(a_slow_command),
		cmocka_unit_test(a_buffer_is_no_speed),
		cmocka_unit_test(credit_is_a_buffer),
		cmocka_unit_test(a_real_limiter),
		cmocka_unit_test(commands_that_will_not_do),
		cmocka_unit_test(the_signal_stays_here),
		cmocka_unit_test(an_end_is_heeded),
		cmocka_unit_test(an_end_is_heeded_while_it_rests),
		cmocka_unit_test(a_file_leaves_nothing),
		cmocka_unit_test(a_file_is_not_overwritten),
		cmocka_unit_test(places_where_no_file_can_be),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
