/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command is. commands.c has the table of them; each has a file of its own, cmd_NAME.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/err.h"
#include "cli/options.h"

enum exit_status {
	STATUS_CLEAN = 0,
	STATUS_PARTIAL = 1, /* done, but something could not be read */
	STATUS_FAILED = 2,
	STATUS_UNKNOWN = 3, /* of a monitoring plugin */
	STATUS_USAGE = 64,
};

struct command {
	const char *name;
	const char *summary;  /* one line for the overview and the manual */
	const char *operands; /* as in the usage line: "PATH", "[REPORT]" */
	int min_operands;
	int max_operands;
	const struct option_spec *options; /* besides the common ones */
	bool bare;                         /* takes no options that are worth telling */
	bool is_plugin;    /* for a monitoring system: every error is told on standard output, and
			   its exit status is STATUS_UNKNOWN */
	size_t args_bytes; /* size of the arguments; starts with common_args */
	void (*defaults)(void *args); /* sets what is not zero; may be NULL */

	/*
	 * Does it. @operands are as many as allowed, followed by NULL. Returns the exit status; a
	 * message in @err is printed by main().
	 */
	enum exit_status (*run)(void *args, char **operands, struct err *err);
};

/* The table, ended by a NULL. */
extern const struct command *const commands[];

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

extern const struct command command_scan;
extern const struct command command_report;
extern const struct command command_calibrate;
extern const struct command command_predict;
extern const struct command command_learn;
extern const struct command command_quota;
extern const struct command command_scans;
extern const struct command command_check;
extern const struct command command_help;

/* Records a message about wrong usage in @err and returns STATUS_USAGE. */
enum exit_status command_usage_error(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
