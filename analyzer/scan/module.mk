# SPDX-License-Identifier: GPL-2.0-or-later
# The engines and the choice between them.
libxfscensus_a_SOURCES += \
	analyzer/scan/engine.h \
	analyzer/scan/engine_bulkstat.c \
	analyzer/scan/live.c analyzer/scan/live.h \
	analyzer/scan/live_freeze.c \
	analyzer/scan/record.h \
	analyzer/scan/scan.c analyzer/scan/scan.h \
	analyzer/scan/target.c analyzer/scan/target.h

# walk
libxfscensus_a_SOURCES += \
	analyzer/scan/engine_walk.c \
	analyzer/scan/file_attributes.c analyzer/scan/file_attributes.h \
	analyzer/scan/link_set.c analyzer/scan/link_set.h \
	analyzer/scan/walk.h \
	analyzer/scan/walk_directory.c \
	analyzer/scan/walk_inode.c \
	analyzer/scan/walk_node.c \
	analyzer/scan/walk_stack.c
