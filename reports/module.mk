# SPDX-License-Identifier: GPL-2.0-or-later
# Values in, bytes out: reports fill a document, renderers write it.
libxfscensus_a_SOURCES += \
	reports/document.h \
	reports/render.h \
	reports/report.h
