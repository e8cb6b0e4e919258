/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts, made from the tables of commands and options. Each returns 0 or a negative errno. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

#include <stdio.h>

/* All commands, a line each. */
int help_overview(FILE *out);

/* Usage and options of one command. */
int help_command(const struct command *command, FILE *out);

/* Name, version, licence. */
int help_version(FILE *out);

/* The SYNOPSIS and OPTIONS of a command in mdoc, for docs/man. */
int help_mdoc_synopsis(const struct command *command, FILE *out);
int help_mdoc_options(const struct command *command, FILE *out);

#endif
