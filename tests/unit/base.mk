# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_bytes
check_PROGRAMS += tests/unit/test_checked
check_PROGRAMS += tests/unit/test_clock
check_PROGRAMS += tests/unit/test_err
check_PROGRAMS += tests/unit/test_hashmap
check_PROGRAMS += tests/unit/test_page_cache
check_PROGRAMS += tests/unit/test_pool
tests_unit_test_pool_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
check_PROGRAMS += tests/unit/test_progress
check_PROGRAMS += tests/unit/test_units
check_PROGRAMS += tests/unit/test_disk_model
tests_unit_test_disk_model_SOURCES = tests/unit/test_disk_model.c tests/lab/disk_model.c \
	tests/lab/disk_model.h
