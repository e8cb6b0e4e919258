# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += \
	tests/unit/test_engine_bulkstat \
	tests/unit/test_geometry \
	tests/unit/test_target
check_PROGRAMS += tests/unit/test_link_set
check_PROGRAMS += tests/unit/test_walk
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c tests/unit/walk_tree.c tests/unit/walk_tree.h
check_PROGRAMS += tests/unit/test_walk_faults
tests_unit_test_walk_faults_SOURCES = tests/unit/test_walk_faults.c tests/unit/walk_tree.c \
	tests/unit/walk_tree.h
tests_unit_test_walk_faults_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=census_add \
	-Wl,--wrap=getdents64 -Wl,--wrap=openat64 -Wl,--wrap=statx -Wl,--wrap=syscall
