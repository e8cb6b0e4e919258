# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_ages
check_PROGRAMS += tests/unit/test_census
check_PROGRAMS += tests/unit/test_failures
check_PROGRAMS += tests/unit/test_dump_facts
check_PROGRAMS += tests/unit/test_dump_stream
check_PROGRAMS += tests/unit/test_directory_join
