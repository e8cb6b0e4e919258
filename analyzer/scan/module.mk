# SPDX-License-Identifier: GPL-2.0-or-later
# The engines and the choice between them.
libxfscensus_a_SOURCES += \
	analyzer/scan/answer.c analyzer/scan/answer.h \
	analyzer/scan/bulkstat_ag.c analyzer/scan/bulkstat_scan.h \
	analyzer/scan/device_ag.c analyzer/scan/device_ag.h \
	analyzer/scan/device_again.c analyzer/scan/device_again.h \
	analyzer/scan/device_attr_tree.c analyzer/scan/device_attr_tree.h \
	analyzer/scan/device_attrs.c analyzer/scan/device_attrs.h \
	analyzer/scan/device_counts.c analyzer/scan/device_counts.h \
	analyzer/scan/device_dir_blocks.c \
	analyzer/scan/device_dir_lists.h \
	analyzer/scan/device_dir_tree.c \
	analyzer/scan/device_dirs.c analyzer/scan/device_dirs.h \
	analyzer/scan/device_listing.c analyzer/scan/device_listing.h \
	analyzer/scan/device_log.c analyzer/scan/device_log.h \
	analyzer/scan/device_measure.c analyzer/scan/device_measure.h \
	analyzer/scan/device_mounted.c analyzer/scan/device_mounted.h \
	analyzer/scan/device_names.c analyzer/scan/device_names.h \
	analyzer/scan/device_plan.c analyzer/scan/device_plan.h \
	analyzer/scan/device_reader.c analyzer/scan/device_reader.h \
	analyzer/scan/device_scan.c analyzer/scan/device_scan.h \
	analyzer/scan/device_source.c analyzer/scan/device_source.h \
	analyzer/scan/device_super.c analyzer/scan/device_super.h \
	analyzer/scan/device_sweep.c analyzer/scan/device_sweep.h \
	analyzer/scan/engine.h \
	analyzer/scan/engine_bulkstat.c \
	analyzer/scan/engine_device.c \
	analyzer/scan/live.c analyzer/scan/live.h \
	analyzer/scan/live_freeze.c \
	analyzer/scan/loop_file.c analyzer/scan/loop_file.h \
	analyzer/scan/record.h \
	analyzer/scan/scan.c analyzer/scan/scan.h \
	analyzer/scan/target.c analyzer/scan/target.h \
	analyzer/scan/trouble.c analyzer/scan/trouble.h \
	analyzer/scan/twin.c analyzer/scan/twin.h \
	analyzer/scan/whole.c analyzer/scan/whole.h

# walk
libxfscensus_a_SOURCES += \
	analyzer/scan/engine_walk.c \
	analyzer/scan/file_attributes.c analyzer/scan/file_attributes.h \
	analyzer/scan/link_set.c analyzer/scan/link_set.h \
	analyzer/scan/walk.h \
	analyzer/scan/walk_bulk.c analyzer/scan/walk_bulk.h \
	analyzer/scan/walk_directory.c \
	analyzer/scan/walk_inode.c \
	analyzer/scan/walk_names.c analyzer/scan/walk_names.h \
	analyzer/scan/walk_node.c \
	analyzer/scan/walk_stack.c
