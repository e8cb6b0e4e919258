# SPDX-License-Identifier: GPL-2.0-or-later
# XFS as such. The only folder that includes <xfs/*.h>.
libxfscensus_a_SOURCES += \
	analyzer/xfs/bulkstat.c analyzer/xfs/bulkstat.h \
	analyzer/xfs/compat.h \
	analyzer/xfs/disk/agi.c analyzer/xfs/disk/agi.h \
	analyzer/xfs/disk/attr.c analyzer/xfs/disk/attr.h \
	analyzer/xfs/disk/attr_leaf.c analyzer/xfs/disk/attr_leaf.h \
	analyzer/xfs/disk/bytes.h \
	analyzer/xfs/disk/crc.c analyzer/xfs/disk/crc.h \
	analyzer/xfs/disk/dir.c analyzer/xfs/disk/dir.h \
	analyzer/xfs/disk/fork.c analyzer/xfs/disk/fork.h \
	analyzer/xfs/disk/inobt.c analyzer/xfs/disk/inobt.h \
	analyzer/xfs/disk/inode.c analyzer/xfs/disk/inode.h \
	analyzer/xfs/disk/super.c analyzer/xfs/disk/super.h \
	analyzer/xfs/disk_compat.h \
	analyzer/xfs/geometry.c analyzer/xfs/geometry.h \
	analyzer/xfs/handle.c analyzer/xfs/handle.h \
	analyzer/xfs/in_use.c analyzer/xfs/in_use.h \
	analyzer/xfs/inode.h \
	analyzer/xfs/inode_set.c analyzer/xfs/inode_set.h \
	analyzer/xfs/log/blocks.c analyzer/xfs/log/blocks.h \
	analyzer/xfs/log/changes.c \
	analyzer/xfs/log/format.h \
	analyzer/xfs/log/item.c analyzer/xfs/log/item.h \
	analyzer/xfs/log/items.c analyzer/xfs/log/items.h \
	analyzer/xfs/log/log.h \
	analyzer/xfs/log/range_find.c \
	analyzer/xfs/log/range_mounted.c \
	analyzer/xfs/log/record.c analyzer/xfs/log/record.h \
	analyzer/xfs/log/transactions.c analyzer/xfs/log/transactions.h \
	analyzer/xfs/quota.c analyzer/xfs/quota.h
