# SPDX-License-Identifier: GPL-2.0-or-later
# Knows neither XFS nor SQL.
libxfscensus_a_SOURCES += \
	base/bytes.c base/bytes.h \
	base/checked.h \
	base/cleanup.h \
	base/clock.c base/clock.h \
	base/err.c base/err.h \
	base/hashmap.c base/hashmap.h \
	base/ini_file.c base/ini_file.h \
	base/mount_copy.c base/mount_copy.h \
	base/page_cache.c base/page_cache.h \
	base/pool.c base/pool.h \
	base/progress.c base/progress.h \
	base/units.c base/units.h
