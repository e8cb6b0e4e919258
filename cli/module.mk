# SPDX-License-Identifier: GPL-2.0-or-later
# One table of commands, one file a command. Prints the errors and sets the exit status.
cli_xfscensus_SOURCES = cli/main.c
cli_xfscensus_LDADD = $(XC_LIBS)
