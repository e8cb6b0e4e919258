// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct command *const commands[] = {
	&command_scan,
	&command_report,
	&command_calibrate,
	&command_predict,
	&command_learn,
	&command_quota,
	&command_scans,
	&command_check,
	&command_help,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

enum exit_status command_usage_error(struct err *err, const char *format, ...)
{
	char message[ERR_MESSAGE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	err_set(err, -EINVAL, "%s", message);
	return STATUS_USAGE;
}
