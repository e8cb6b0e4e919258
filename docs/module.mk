# SPDX-License-Identifier: GPL-2.0-or-later
# Manual pages: prose by hand, synopsis and options out of the program's own tables. A release
# holds the finished pages, so that a cross build need not run what it built.
man_pages = \
	docs/man/xfscensus.1 \
	docs/man/xfscensus-calibrate.1 \
	docs/man/xfscensus-check.1 \
	docs/man/xfscensus-help.1 \
	docs/man/xfscensus-learn.1 \
	docs/man/xfscensus-predict.1 \
	docs/man/xfscensus-quota.1 \
	docs/man/xfscensus-report.1 \
	docs/man/xfscensus-scan.1 \
	docs/man/xfscensus-scans.1

dist_man1_MANS = $(man_pages)
dist_man5_MANS = docs/man/xfscensus-policy.5
EXTRA_DIST += $(man_pages:=.in) docs/man/make-page \
	docs/architecture.md
dist_doc_DATA = README.md CHANGELOG.md docs/dump-model.md docs/monitoring.md docs/schema.md
MAINTAINERCLEANFILES = $(man_pages)

$(man_pages): docs/man/make-page cli/cmd_calibrate.c cli/cmd_check.c cli/cmd_help.c \
	cli/cmd_learn.c cli/cmd_predict.c cli/cmd_quota.c cli/cmd_report.c cli/cmd_scan.c \
	cli/cmd_scans.c cli/dump_args.h cli/help.c cli/options.c cli/report_args.c cli/selection.h \
	| cli/xfscensus$(EXEEXT)

SUFFIXES = .1.in .1
.1.in.1:
	$(AM_V_GEN)$(MKDIR_P) docs/man && \
		$(SHELL) $(top_srcdir)/docs/man/make-page cli/xfscensus$(EXEEXT) $< > $@.tmp && \
		mv $@.tmp $@
