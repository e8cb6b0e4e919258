# SPDX-License-Identifier: GPL-2.0-or-later
# One table of commands, one file a command. Prints the errors and sets the exit status.
libxfscensus_a_SOURCES += \
	cli/atomic_file.c cli/atomic_file.h \
	cli/cmd_calibrate.c \
	cli/cmd_check.c \
	cli/cmd_help.c \
	cli/cmd_learn.c \
	cli/cmd_predict.c \
	cli/cmd_quota.c \
	cli/cmd_report.c \
	cli/cmd_scan.c \
	cli/cmd_scans.c \
	cli/command.h cli/commands.c \
	cli/database.c cli/database.h \
	cli/dump_args.c cli/dump_args.h \
	cli/dump_base.c cli/dump_base.h \
	cli/help.c cli/help.h \
	cli/long_job.c cli/long_job.h \
	cli/names.c cli/names.h \
	cli/options.c cli/options.h \
	cli/output.c cli/output.h \
	cli/past.c cli/past.h \
	cli/past_dump.c cli/past_dump.h \
	cli/quota_emit.c cli/quota_emit.h \
	cli/quota_material.c cli/quota_material.h \
	cli/report_args.c cli/report_args.h \
	cli/selection.c cli/selection.h

cli_xfscensus_SOURCES = cli/main.c
cli_xfscensus_LDADD = $(XC_LIBS)
