# SPDX-License-Identifier: GPL-2.0-or-later
# Many scans of one filesystem: series, who grew, where it leads to.
libxfscensus_a_SOURCES += \
	analyzer/history/changes.c analyzer/history/changes.h \
	analyzer/history/forecast.c analyzer/history/forecast.h \
	analyzer/history/growth.c analyzer/history/growth.h \
	analyzer/history/history.c analyzer/history/history.h \
	analyzer/history/median.c analyzer/history/median.h \
	analyzer/history/season.c analyzer/history/season.h \
	analyzer/history/slope.c analyzer/history/slope.h \
	analyzer/history/trend.c analyzer/history/trend.h
