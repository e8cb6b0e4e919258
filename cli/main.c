// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xfscensus: a census of an XFS filesystem, and what it means for its backup.
 *
 * The way through the code:
 *
 *   base/              errors, checked arithmetic, units, hash map, work pool, progress, clock
 *   analyzer/xfs/      XFS as such: ioctls, handles, what lies on the disk
 *   analyzer/census/   inode records and what they add up to: the owner cube, ages, failures
 *   analyzer/scan/     the engines that read all inodes, and the choice between them
 *   analyzer/window/   calibration by sampling, the model of a dump, prediction
 *   analyzer/history/  scans as a series: who grew, and where that leads to
 *   analyzer/policy/   quota policies: whom they hit, what they bring
 *   storage/           the SQLite database of scans and calibrations
 *   reports/           values to documents, documents to text, JSON and CSV
 *   cli/               this file, a table of commands, one file a command
 *
 * Arrows go one way: base <- analyzer <- {storage, reports} <- cli. Everything but this file is a
 * library that the tests link. Only cli/ prints errors and sets the exit status: functions below
 * return a negative errno and leave their message in a struct err.
 */
#include "base/bytes.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/help.h"
#include "reports/check.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses the command's arguments and runs it. */
static enum exit_status run(
	const struct command *command, void *args, int argc, char **argv, struct err *err)
{
	char **operands;
	int count;

	if (command->defaults)
		command->defaults(args);
	if (options_parse(command->options, args, argc, argv, &operands, &count, err))
		return STATUS_USAGE;
	if (((struct common_args *)args)->help)
		return help_command(command, stdout) ? STATUS_FAILED : STATUS_CLEAN;
	for (int i = 0; i < count; i++) {
		if (!*operands[i])
			return command_usage_error(err, "an operand is empty");
	}
	if (count < command->min_operands)
		return command_usage_error(err, "%s is missing", command->operands);
	if (count > command->max_operands)
		return command_usage_error(
			err, "\"%s\" is one operand too many", operands[command->max_operands]);
	return command->run(args, operands, err);
}

/* The message, which may quote what the user or a filesystem named, made safe for a terminal. */
static void print_error(const char *command, const char *message)
{
	autofree char *text = bytes_printable(message);

	fprintf(stderr, "xfscensus%s%s: %s\n", command ? " " : "", command ? command : "",
		text ? text : "out of memory");
}

/* A monitoring system reads one line of standard output, up to the bar that begins its numbers. */
static enum exit_status tell_unknown(const char *message)
{
	autofree char *printable = bytes_printable(message);
	autofree char *plain = printable ? check_plain(printable) : NULL;

	printf("XFSCENSUS UNKNOWN - %s\n", plain ? plain : "out of memory");
	return STATUS_UNKNOWN;
}

static enum exit_status run_named(const char *name, int argc, char **argv)
{
	const struct command *command = command_find(name);
	struct err err = {0};
	enum exit_status status;
	void *args;

	if (!command && *name == '-') {
		fprintf(stderr,
			"xfscensus: there is no option \"%s\" before a command; options follow the "
			"command, as in xfscensus scan --db=FILE PATH\n",
			name);
		return STATUS_USAGE;
	}
	if (!command) {
		fprintf(stderr, "xfscensus: there is no command \"%s\"; see xfscensus help\n",
			name);
		return STATUS_USAGE;
	}
	args = calloc(1, command->args_bytes);
	if (!args) {
		print_error(name, "out of memory");
		return STATUS_FAILED;
	}
	status = run(command, args, argc, argv, &err);
	if (err.code && command->is_plugin)
		status = tell_unknown(err.message);
	else if (err.code)
		print_error(name, err.message);
	if (status == STATUS_USAGE)
		fprintf(stderr, "See xfscensus %s --help\n", name);
	free(args);
	return status;
}

/* What we print is UTF-8 in any locale; only the way of counting its columns comes from it. */
static void set_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

/*
 * Tables of a census double while others grow: from here on they are mapped one by one and go back
 * to the system as a whole. In the arenas of several threads what they leave stays: of 1.0 M inodes
 * in 1 003 directories, 6 of 41 MB.
 */
static void set_allocation(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
#endif
}

int main(int argc, char **argv)
{
	set_allocation();
	set_locale();
	if (argc < 2) {
		help_overview(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help_overview(stdout) ? STATUS_FAILED : STATUS_CLEAN;
	if (!strcmp(argv[1], "--version"))
		return help_version(stdout) ? STATUS_FAILED : STATUS_CLEAN;
	return run_named(argv[1], argc - 1, argv + 1);
}
