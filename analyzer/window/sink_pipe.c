// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command that reads the stream from a pipe.
 *
 * What it has taken as a function of time is a line, in the long run; where that line meets the
 * start is what the pipe and all behind it take at once. A buffer that is not full by the time that
 * three quarters of that part are over is taken for speed.
 *
 * Then nothing is written for a while, and what is taken beyond the line after that counts as well.
 * For a buffer that is emptied meanwhile it is the same again, as far as there was time to empty
 * it. But there are limits of rate that give credit: who sent less than allowed for a while may
 * send as much more later. In the long run that is like a buffer, though it holds nothing at first.
 *
 * The command is a session of its own, so that it and all that it starts can be ended together; it
 * has no terminal to ask for a password on. It never outlives the measuring. That it may close its
 * end before us is met here alone: SIGPIPE is blocked for this thread and taken off again.
 */
#include "analyzer/window/sink_measure.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POINTS       64 /* of the line that are kept, at equal times */
#define LATE_SHARE   0.75
#define LINE_SHARE   0.75   /* of the time, for the line, */
#define REST_SHARE   0.1875 /* for writing nothing; the rest for what is taken then */
#define AGREE        0.1    /* of the rate: two parts of the time are told apart from here on */
#define END_SECONDS  2.0    /* that a command has for its end, of each kind */
#define STEP_NS      10000000
#define POLL_MS      50
#define SHELL_CANNOT 127 /* status of a shell that does not find the command */

/* The command, and what it has taken. */
struct pipe_sink {
	const char *command;
	pid_t pid;
	int fd; /* our end, -1 when closed */
	bool ended;
	int status;             /* of wait(2), once ended */
	uint64_t taken[POINTS]; /* bytes by the end of each part of the time for the line */
	uint64_t taken_rested;  /* bytes after the rest, */
	double rested_seconds;  /* in that time */
	uint64_t written;
	uint64_t records;
	size_t in_record; /* bytes of the record under way that are written */
};

/* What the shell is started with: a session of its own, and the signals as they are at first. */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &all);
	return posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Runs the command with @input as its input. Returns 0 or a negative errno. */
static int run_command(struct pipe_sink *sink, int input)
{
	char shell[] = "sh", option[] = "-c";
	autofree char *command = strdup(sink->command);
	char *const arguments[] = {shell, option, command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int rc;

	if (!command || posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	rc = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(
			&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (!rc)
		rc = set_attributes(&attributes);
	if (!rc)
		rc = posix_spawn(&sink->pid, "/bin/sh", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static int start(struct pipe_sink *sink)
{
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	rc = run_command(sink, ends[0]);
	close(ends[0]);
	if (rc)
		close(ends[1]);
	else
		sink->fd = ends[1];
	return rc;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Writes what there is room for, or waits a moment. Returns 0 or a negative errno. */
static int write_some(struct pipe_sink *sink, struct sink_records *records)
{
	const unsigned char *record = records->bytes + records->next * SINK_RECORD_BYTES;
	struct pollfd room = {.fd = sink->fd, .events = POLLOUT};
	ssize_t put =
		write(sink->fd, record + sink->in_record, SINK_RECORD_BYTES - sink->in_record);

	if (put < 0 && errno == EAGAIN)
		return poll(&room, 1, POLL_MS) < 0 && errno != EINTR ? -errno : 0;
	if (put < 0)
		return errno == EINTR ? 0 : -errno;
	sink->written += (uint64_t)put;
	sink->in_record += (size_t)put;
	if (sink->in_record == SINK_RECORD_BYTES) {
		sink_records_next(records);
		sink->in_record = 0;
		sink->records++;
	}
	return 0;
}

/* The same, for who waits for it. Returns 0, -ECANCELED or a negative errno. */
static int write_on(
	struct pipe_sink *sink, struct sink_records *records, const struct sink_limits *limits)
{
	uint64_t before = sink->written;
	int rc = write_some(sink, records);

	progress_add(limits->progress, sink->written - before);
	return !rc && progress_cancelled(limits->progress) ? -ECANCELED : rc;
}

/* Writes until the time is over, and takes down how far it was at each point of it. */
static int write_line(
	struct pipe_sink *sink, struct sink_records *records, const struct sink_limits *limits)
{
	double seconds = LINE_SHARE * limits->seconds;
	int64_t start_ns = clock_monotonic_ns();
	unsigned point = 0;
	int rc = 0;

	while (point < POINTS && !rc) {
		rc = write_on(sink, records, limits);
		while (point < POINTS &&
			clock_seconds_since(start_ns) >= seconds * (point + 1) / POINTS)
			sink->taken[point++] = sink->written;
	}
	return rc;
}

static int rest(const struct sink_limits *limits)
{
	int64_t start_ns = clock_monotonic_ns();

	while (clock_seconds_since(start_ns) < REST_SHARE * limits->seconds) {
		if (progress_cancelled(limits->progress))
			return -ECANCELED;
		nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
	}
	return 0;
}

/* Writes once more, after a rest. */
static int write_rested(
	struct pipe_sink *sink, struct sink_records *records, const struct sink_limits *limits)
{
	double seconds = (1 - LINE_SHARE - REST_SHARE) * limits->seconds;
	uint64_t before = sink->written;
	int64_t start_ns;
	int rc = rest(limits);

	start_ns = clock_monotonic_ns();
	while (!rc && clock_seconds_since(start_ns) < seconds)
		rc = write_on(sink, records, limits);
	sink->taken_rested = sink->written - before;
	sink->rested_seconds = clock_seconds_since(start_ns);
	return rc;
}

static int write_records(
	struct pipe_sink *sink, struct sink_records *records, const struct sink_limits *limits)
{
	int rc = write_line(sink, records, limits);

	return rc ? rc : write_rested(sink, records, limits);
}

/* As above, while a pipe that nobody reads is an error and no signal. */
static int write_unharmed(
	struct pipe_sink *sink, struct sink_records *records, const struct sink_limits *limits)
{
	const struct timespec now = {0};
	sigset_t broken, before;
	int rc;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, &before);
	rc = write_records(sink, records, limits);
	if (rc == -EPIPE && !sigismember(&before, SIGPIPE))
		sigtimedwait(&broken, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* --- The end ---------------------------------------------------------------------------------- */

/* Waits for the command's end for @seconds at most; whether it came. */
static bool wait_for_end(struct pipe_sink *sink, double seconds)
{
	int64_t start_ns = clock_monotonic_ns();

	while (!sink->ended) {
		sink->ended = waitpid(sink->pid, &sink->status, WNOHANG) == sink->pid;
		if (sink->ended || clock_seconds_since(start_ns) >= seconds)
			break;
		nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
	}
	return sink->ended;
}

/*
 * Closes the pipe and sees the command off. What it still has in its buffers is nobody's loss.
 * Whether it ended by itself.
 */
static bool end_command(struct pipe_sink *sink, bool in_a_hurry)
{
	bool by_itself;

	close(sink->fd);
	sink->fd = -1;
	by_itself = wait_for_end(sink, in_a_hurry ? 0 : END_SECONDS);
	kill(-sink->pid, SIGTERM);
	if (!by_itself && !wait_for_end(sink, END_SECONDS)) {
		kill(-sink->pid, SIGKILL);
		while (waitpid(sink->pid, &sink->status, 0) < 0 && errno == EINTR)
			;
	}
	return by_itself;
}

static const char *describe_status(int status, char text[64])
{
	if (WIFSIGNALED(status))
		snprintf(text, 64, "ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == SHELL_CANNOT)
		snprintf(text, 64, "exit status 127: there is no such command");
	else
		snprintf(text, 64, "exit status %d", WEXITSTATUS(status));
	return text;
}

static int ended_early(const struct pipe_sink *sink, struct err *err)
{
	char taken[UNIT_TEXT_BYTES], status[64];

	return err_set(err, -EPIPE,
		"sink pipe:%s: the command stopped reading after %s (%s): it must read its input "
		"until it ends",
		sink->command, unit_format_bytes(sink->written, taken),
		describe_status(sink->status, status));
}

/* --- What it says ----------------------------------------------------------------------------- */

/* Bytes a second from one point of the time to another. */
static double rate_between(const struct pipe_sink *pipe, unsigned from, unsigned to, double seconds)
{
	return (double)(pipe->taken[to] - pipe->taken[from]) / (seconds * (to - from) / POINTS);
}

/* What was taken at once after the rest: what is beyond the line, unless it is as good as on it. */
static double taken_at_once(const struct pipe_sink *pipe, double seconds, double rate)
{
	double on_line = rate * pipe->rested_seconds;
	double beyond = (double)pipe->taken_rested - on_line;

	return beyond > AGREE * on_line ? fmin(beyond, rate * REST_SHARE * seconds) : 0;
}

/* The rate in the long run: of the last half, or of the last quarter if that is another. */
static void find_line(const struct pipe_sink *pipe, double all_seconds, struct sink *sink)
{
	const unsigned last = POINTS - 1;
	double seconds = LINE_SHARE * all_seconds;
	double half = rate_between(pipe, POINTS / 2, last, seconds);
	double late = rate_between(pipe, (unsigned)(LATE_SHARE * POINTS), last, seconds);
	double rate = fabs(half - late) <= AGREE * late ? half : late;
	double at_once = fmax(
		(double)pipe->taken[last] - rate * seconds, taken_at_once(pipe, all_seconds, rate));

	sink->bytes_per_second = rate;
	sink->buffer_bytes = at_once > 0 ? (uint64_t)at_once : 0;
	sink->measured_bytes = pipe->written;
	sink->measured_seconds = all_seconds;
}

static int judge(const struct pipe_sink *pipe, const struct sink_limits *limits, struct sink *sink,
	uint64_t pipe_bytes, struct err *err)
{
	char taken[UNIT_TEXT_BYTES], seconds[UNIT_TEXT_BYTES];

	find_line(pipe, limits->seconds, sink);
	/* The pipe itself is there, however fast it is emptied. */
	if (sink->buffer_bytes < pipe_bytes)
		sink->buffer_bytes = pipe_bytes;
	if (sink->bytes_per_second > 0)
		return 0;
	return err_set(err, -ETIMEDOUT,
		"sink pipe:%s: the command took %s and then nothing more in %s: it must read its "
		"input until it ends",
		pipe->command, unit_format_bytes(pipe->written, taken),
		unit_format_seconds(limits->seconds, seconds));
}

static int measure_started(struct pipe_sink *pipe, struct sink_records *records,
	const struct sink_limits *limits, struct sink *sink, struct err *err)
{
	double cpu_seconds = clock_thread_cpu_seconds();
	int pipe_bytes = fcntl(pipe->fd, F_GETPIPE_SZ);
	int rc = write_unharmed(pipe, records, limits);
	bool by_itself;

	if (pipe->records)
		sink->record_seconds =
			(clock_thread_cpu_seconds() - cpu_seconds) / (double)pipe->records;
	by_itself = end_command(pipe, rc == -ECANCELED);
	if (rc == -ECANCELED)
		return rc;
	if (rc == -EPIPE)
		return ended_early(pipe, err);
	if (rc)
		return err_set_errno(err, rc, "sink pipe:%s: cannot write to it", pipe->command);
	rc = judge(pipe, limits, sink, pipe_bytes > 0 ? (uint64_t)pipe_bytes : 0, err);
	if (!rc && by_itself && pipe->status)
		return ended_early(pipe, err);
	return rc;
}

int sink_measure_pipe(
	struct sink *sink, const char *command, const struct sink_limits *limits, struct err *err)
{
	struct pipe_sink pipe = {.command = command, .fd = -1};
	struct sink_records records;
	int rc = sink_records_init(&records);

	if (!rc)
		rc = start(&pipe);
	if (rc)
		err_set_errno(err, rc, "sink pipe:%s: cannot run the shell", command);
	else
		rc = measure_started(&pipe, &records, limits, sink, err);
	sink_records_fini(&records);
	return rc;
}
