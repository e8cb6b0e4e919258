# SPDX-License-Identifier: GPL-2.0-or-later
# Pure value types and their accumulation: no system calls.
libxfscensus_a_SOURCES += \
	analyzer/census/ages.c analyzer/census/ages.h \
	analyzer/census/census.c analyzer/census/census.h \
	analyzer/census/cube.c analyzer/census/cube.h \
	analyzer/census/directories.c analyzer/census/directories.h \
	analyzer/census/directory_charge.c \
	analyzer/census/directory_join.c analyzer/census/directory_join.h \
	analyzer/census/directory_join_private.h \
	analyzer/census/directory_nodes.c analyzer/census/directory_nodes.h \
	analyzer/census/directory_settle.c \
	analyzer/census/directory_tree.c analyzer/census/directory_tree.h \
	analyzer/census/directory_tree_private.h \
	analyzer/census/directory_users.c \
	analyzer/census/directory_ways.c \
	analyzer/census/dump_choices.c analyzer/census/dump_choices.h \
	analyzer/census/dump_facts.c analyzer/census/dump_facts.h \
	analyzer/census/dump_layout.c analyzer/census/dump_layout.h \
	analyzer/census/dump_ranges.c analyzer/census/dump_ranges.h \
	analyzer/census/dump_stream.c analyzer/census/dump_stream.h \
	analyzer/census/failures.c analyzer/census/failures.h \
	analyzer/census/hot_trees.c analyzer/census/hot_trees.h \
	analyzer/census/inode_places.c analyzer/census/inode_places.h \
	analyzer/census/inode_record.h \
	analyzer/census/owner.h \
	analyzer/census/place_blocks.c analyzer/census/place_blocks.h \
	analyzer/census/place_owners.c analyzer/census/place_owners.h \
	analyzer/census/recency.h \
	analyzer/census/scan_info.c analyzer/census/scan_info.h \
	analyzer/census/size_class.h
