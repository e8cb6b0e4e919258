// SPDX-License-Identifier: GPL-2.0-or-later
/* See err.h. Messages are cut at a fixed length, so recording an error cannot itself fail. */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int __attribute__((format(printf, 3, 0)))
record(struct err *err, int code, const char *format, va_list args)
{
	if (!err)
		return code;
	if (err->code)
		return err->code;
	err->code = code;
	vsnprintf(err->message, sizeof(err->message), format, args);
	return code;
}

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	code = record(err, code, format, args);
	va_end(args);
	return code;
}

int err_set_errno(struct err *err, int code, const char *format, ...)
{
	bool first = err && !err->code;
	va_list args;

	va_start(args, format);
	code = record(err, code, format, args);
	va_end(args);
	if (first) {
		const char *reason = strerror(-code);
		size_t room = sizeof(err->message) - strlen(reason) - sizeof("…: ");
		size_t used = strlen(err->message);
		bool cut = used > room;

		used = cut ? room : used;
		snprintf(err->message + used, sizeof(err->message) - used, "%s: %s", cut ? "…" : "",
			reason);
	}
	return code;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char message[ERR_MESSAGE_BYTES];
	size_t used;
	va_list args;

	if (!err || !err->code)
		return err ? err->code : 0;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	used = strlen(message);
	snprintf(message + used, sizeof(message) - used, ": %s", err->message);
	memcpy(err->message, message, sizeof(message));
	return err->code;
}

void err_clear(struct err *err)
{
	err->code = 0;
	err->message[0] = '\0';
}
