# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += \
	tests/unit/test_engine_bulkstat \
	tests/unit/test_geometry \
	tests/unit/test_target
tests_unit_test_engine_bulkstat_SOURCES = tests/unit/test_engine_bulkstat.c \
	tests/unit/fake_bulkstat.c tests/unit/fake_bulkstat.h
check_PROGRAMS += tests/unit/test_link_set
check_PROGRAMS += tests/unit/test_walk
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c tests/unit/walk_tree.c tests/unit/walk_tree.h
check_PROGRAMS += tests/unit/test_walk_bulk
tests_unit_test_walk_bulk_SOURCES = tests/unit/test_walk_bulk.c tests/unit/fake_bulkstat.c \
	tests/unit/fake_bulkstat.h
check_PROGRAMS += tests/unit/test_walk_faults
tests_unit_test_walk_faults_SOURCES = tests/unit/test_walk_faults.c tests/unit/walk_tree.c \
	tests/unit/walk_tree.h
tests_unit_test_walk_faults_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=census_add \
	-Wl,--wrap=getdents64 -Wl,--wrap=openat64 -Wl,--wrap=statx -Wl,--wrap=syscall
check_PROGRAMS += tests/unit/test_walk_moved
tests_unit_test_walk_moved_SOURCES = tests/unit/test_walk_moved.c tests/unit/walk_tree.c \
	tests/unit/walk_tree.h
tests_unit_test_walk_moved_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=openat64 -Wl,--wrap=statx \
	-Wl,--wrap=syscall
check_PROGRAMS += tests/unit/test_inode_set tests/unit/test_log_transactions
check_PROGRAMS += tests/unit/test_log_collect tests/unit/test_log_damage tests/unit/test_log_range
log_builder = tests/unit/log_builder.c tests/unit/log_builder.h tests/unit/log_fixture.h
tests_unit_test_log_collect_SOURCES = tests/unit/test_log_collect.c $(log_builder)
tests_unit_test_log_damage_SOURCES = tests/unit/test_log_damage.c $(log_builder)
tests_unit_test_log_range_SOURCES = tests/unit/test_log_range.c $(log_builder)
check_PROGRAMS += tests/unit/test_device_attrs
check_PROGRAMS += tests/unit/test_device_reader
check_PROGRAMS += tests/unit/test_device_sweep
disk_image = tests/unit/disk_image.c tests/unit/disk_image.h
check_PROGRAMS += tests/unit/test_disk_attr
tests_unit_test_disk_attr_SOURCES = tests/unit/test_disk_attr.c $(disk_image)
check_PROGRAMS += tests/unit/test_disk_attr_leaf
tests_unit_test_disk_attr_leaf_SOURCES = tests/unit/test_disk_attr_leaf.c $(disk_image)
check_PROGRAMS += tests/unit/test_disk_dir
tests_unit_test_disk_dir_SOURCES = tests/unit/test_disk_dir.c $(disk_image)
check_PROGRAMS += tests/unit/test_disk_fork
tests_unit_test_disk_fork_SOURCES = tests/unit/test_disk_fork.c $(disk_image)
check_PROGRAMS += tests/unit/test_disk_inobt
tests_unit_test_disk_inobt_SOURCES = tests/unit/test_disk_inobt.c $(disk_image)
check_PROGRAMS += tests/unit/test_disk_inode
tests_unit_test_disk_inode_SOURCES = tests/unit/test_disk_inode.c $(disk_image)
check_PROGRAMS += tests/unit/test_disk_super
tests_unit_test_disk_super_SOURCES = tests/unit/test_disk_super.c $(disk_image)
