# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_policy
check_PROGRAMS += tests/unit/test_policy_evaluation
check_PROGRAMS += tests/unit/test_policy_within
check_PROGRAMS += tests/unit/test_quota_files
tests_unit_test_quota_files_SOURCES = tests/unit/test_quota_files.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/report_fixture.c tests/unit/report_fixture.h
