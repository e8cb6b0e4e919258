/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An error as it travels up to cli/, the only place that prints it.
 *
 * Functions return 0 or a negative errno. What a user may cause also fills a `struct err` with a
 * message made where the context is known: what is wrong, where, and what to do about it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* A path of PATH_MAX and what is wrong with it. */
#define ERR_MESSAGE_BYTES 5120

struct err {
	int code;                        /* negative errno; 0 while nothing went wrong */
	char message[ERR_MESSAGE_BYTES]; /* one line, no newline, cut if longer */
};

/*
 * Records @code (a negative errno) and the formatted message, and returns @code, so that callers
 * write `return err_set(err, -EINVAL, "…", …)`. The first error wins: a later call on the same
 * @err changes nothing and returns the first code. @err may be NULL.
 */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set(), with ": " and the system's text for @code, for which a long message is cut. */
int err_set_errno(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts the formatted text and ": " before a message already recorded. Returns err->code. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forgets what was recorded, so that another way can be tried with the same @err. */
void err_clear(struct err *err);

#endif
