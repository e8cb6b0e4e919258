# SPDX-License-Identifier: GPL-2.0-or-later
# The engines and the choice between them.
libxfscensus_a_SOURCES += \
	analyzer/scan/engine.h \
	analyzer/scan/engine_bulkstat.c \
	analyzer/scan/record.h \
	analyzer/scan/scan.c analyzer/scan/scan.h \
	analyzer/scan/target.c analyzer/scan/target.h
