// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Freezing with a guardian. A filesystem that stays frozen because a program crashed hangs every
 * process that writes to it, so the one who thaws must outlive whatever may happen here. A child
 * process freezes, then waits at a pipe whose other end only this process holds: a byte, the end of
 * the pipe (this process is gone) or the end of the time let it thaw. It is in a session of its
 * own and blocks signals, so that what ends this process does not end it as well.
 *
 * This process may have threads, so the child keeps to calls that are safe after fork().
 */
#include "analyzer/scan/live.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the guardian has its descriptors, after closing all others. */
enum { GUARDIAN_ORDERS, GUARDIAN_ANSWERS, GUARDIAN_TARGET, GUARDIAN_DESCRIPTORS };

struct live_freeze {
	pid_t guardian;
	int orders;  /* written to or closed: thaw */
	int answers; /* an errno each for freezing and thawing */
	int fd;      /* on the filesystem; in case the guardian did not survive */
};

/* Waits for an order, the end of the orders, or the end of the time: -ETIMEDOUT. */
static int wait_for_order(unsigned seconds)
{
	struct pollfd orders = {.fd = GUARDIAN_ORDERS, .events = POLLIN};
	int timeout = seconds > INT32_MAX / 1000 ? -1 : (int)seconds * 1000;
	int rc;

	do
		rc = poll(&orders, 1, timeout);
	while (rc < 0 && errno == EINTR);
	return rc == 0 ? -ETIMEDOUT : 0;
}

static void answer(int code)
{
	while (write(GUARDIAN_ANSWERS, &code, sizeof(code)) < 0 && errno == EINTR)
		continue;
}

/* Moves the three descriptors to where the guardian wants them, by way of numbers above all. */
static int arrange_descriptors(int orders, int answers, int target)
{
	int fds[GUARDIAN_DESCRIPTORS] = {orders, answers, target};

	for (int i = 0; i < GUARDIAN_DESCRIPTORS; i++) {
		fds[i] = fcntl(fds[i], F_DUPFD, GUARDIAN_DESCRIPTORS);
		if (fds[i] < 0)
			return -errno;
	}
	for (int i = 0; i < GUARDIAN_DESCRIPTORS; i++) {
		if (dup2(fds[i], i) < 0)
			return -errno;
	}
	return close_range(GUARDIAN_DESCRIPTORS, ~0U, 0) ? -errno : 0;
}

_Noreturn static void guard(int orders, int answers, int target, unsigned seconds)
{
	sigset_t all;
	int rc;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	if (arrange_descriptors(orders, answers, target))
		_exit(1);
	rc = ioctl(GUARDIAN_TARGET, FIFREEZE, 0) ? -errno : 0;
	answer(rc);
	if (rc)
		_exit(1);
	rc = wait_for_order(seconds);
	if (ioctl(GUARDIAN_TARGET, FITHAW, 0))
		rc = -errno;
	answer(rc);
	_exit(0);
}

/* The guardian's next answer; -EPIPE if it is gone. */
static int read_answer(const struct live_freeze *freeze)
{
	int code;
	ssize_t n;

	do
		n = read(freeze->answers, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code) ? code : -EPIPE;
}

static void end(struct live_freeze *freeze)
{
	cleanup_close(&freeze->orders);
	close(freeze->answers);
	close(freeze->fd);
	while (waitpid(freeze->guardian, NULL, 0) < 0 && errno == EINTR)
		continue;
	free(freeze);
}

/* Forks the guardian; @freeze then holds this side's descriptors. */
static int start(struct live_freeze *freeze, int fd, unsigned seconds)
{
	int orders[2], answers[2], rc;

	if (pipe2(orders, O_CLOEXEC))
		return -errno;
	if (pipe2(answers, O_CLOEXEC)) {
		rc = -errno;
		close(orders[0]);
		close(orders[1]);
		return rc;
	}
	freeze->guardian = fork();
	rc = freeze->guardian < 0 ? -errno : 0;
	if (freeze->guardian == 0)
		guard(orders[0], answers[1], fd, seconds);
	close(orders[0]);
	close(answers[1]);
	freeze->orders = orders[1];
	freeze->answers = answers[0];
	if (rc) {
		close(freeze->orders);
		close(freeze->answers);
	}
	return rc;
}

static int explain(int code, struct err *err)
{
	switch (code) {
	case -EBUSY:
		return err_set(err, code,
			"the filesystem is frozen already; wait for who froze it, thaw it with "
			"xfs_freeze -u, or scan without --freeze");
	case -EPERM:
		return err_set(err, code, "freezing the filesystem needs CAP_SYS_ADMIN");
	case -EOPNOTSUPP:
		return err_set(err, code, "the filesystem cannot be frozen");
	default:
		return err_set_errno(err, code, "freezing the filesystem");
	}
}

int live_freeze(struct live_freeze **freeze, int fd, unsigned seconds, struct err *err)
{
	struct live_freeze *new = calloc(1, sizeof(*new));
	int rc;

	*freeze = NULL;
	if (!new)
		return err_set_errno(err, -ENOMEM, "freezing the filesystem");
	new->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	rc = new->fd < 0 ? -errno : start(new, fd, seconds);
	if (rc) {
		cleanup_close(&new->fd);
		free(new);
		return explain(rc, err);
	}
	rc = read_answer(new);
	if (rc) {
		end(new);
		return explain(rc, err);
	}
	*freeze = new;
	return 0;
}

int live_thaw(struct live_freeze *freeze, struct err *err)
{
	int rc;

	if (!freeze)
		return 0;
	close(freeze->orders);
	freeze->orders = -1;
	rc = read_answer(freeze);
	/* someone killed the guardian before it could do it */
	if (rc == -EPIPE && ioctl(freeze->fd, FITHAW, 0) == 0)
		rc = 0;
	end(freeze);
	if (rc == -ETIMEDOUT)
		return err_set(err, rc,
			"the filesystem was thawed before the scan was done: "
			"it was given too little time");
	return rc ? err_set_errno(err, rc, "thawing the filesystem") : 0;
}
