// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus help [COMMAND]`: the overview, or what COMMAND --help shows. */
#include "cli/command.h"
#include "cli/help.h"

struct help_args {
	struct common_args common;
	int mdoc; /* what to write of the manual page */
};

enum mdoc_part { MDOC_NONE, MDOC_SYNOPSIS, MDOC_OPTIONS };

static const char *const mdoc_parts[] = {"none", "synopsis", "options", NULL};

static const struct option_spec options[] = {
	{.name = "mdoc",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct help_args, mdoc),
		.value = "none|synopsis|options",
		.choices = mdoc_parts,
		.help = "write that part of the command's manual page",
		.hidden = true},
	{0},
};

static enum exit_status run(void *args, char **operands, struct err *err)
{
	const struct help_args *help = args;
	const struct command *command = operands[0] ? command_find(operands[0]) : NULL;
	int rc;

	if (operands[0] && !command)
		return command_usage_error(err, "there is no command \"%s\"", operands[0]);
	if (!command)
		rc = help_overview(stdout);
	else if (help->mdoc == MDOC_SYNOPSIS)
		rc = help_mdoc_synopsis(command, stdout);
	else if (help->mdoc == MDOC_OPTIONS)
		rc = help_mdoc_options(command, stdout);
	else
		rc = help_command(command, stdout);
	return rc ? STATUS_FAILED : STATUS_CLEAN;
}

const struct command command_help = {
	.name = "help",
	.summary = "what the commands and their options are",
	.operands = "[COMMAND]",
	.max_operands = 1,
	.options = options,
	.bare = true,
	.args_bytes = sizeof(struct help_args),
	.run = run,
};
