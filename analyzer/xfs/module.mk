# SPDX-License-Identifier: GPL-2.0-or-later
# XFS as such. The only folder that includes <xfs/*.h>.
libxfscensus_a_SOURCES += \
	analyzer/xfs/bulkstat.c analyzer/xfs/bulkstat.h \
	analyzer/xfs/compat.h \
	analyzer/xfs/geometry.c analyzer/xfs/geometry.h \
	analyzer/xfs/handle.c analyzer/xfs/handle.h \
	analyzer/xfs/inode.h
