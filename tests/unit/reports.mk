# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += \
	tests/unit/test_document \
	tests/unit/test_page \
	tests/unit/test_report_dirs \
	tests/unit/test_render \
	tests/unit/test_report_past \
	tests/unit/test_reports

tests_unit_test_page_SOURCES = tests/unit/test_page.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/report_fixture.c tests/unit/report_fixture.h
tests_unit_test_reports_SOURCES = \
	tests/unit/test_reports.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/report_fixture.c tests/unit/report_fixture.h \
	tests/unit/report_checks.c tests/unit/report_checks.h \
	tests/unit/strict_csv.c tests/unit/strict_csv.h
tests_unit_test_report_past_SOURCES = \
	tests/unit/test_report_past.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/report_fixture.c tests/unit/report_fixture.h \
	tests/unit/report_checks.c tests/unit/report_checks.h \
	tests/unit/strict_csv.c tests/unit/strict_csv.h
tests_unit_test_render_SOURCES = \
	tests/unit/test_render.c \
	tests/unit/strict_csv.c tests/unit/strict_csv.h

# What the reports say of the filesystems in report_fixture.c; see golden.h.
EXTRA_DIST += $(srcdir)/tests/golden/reports
