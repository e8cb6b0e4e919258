# SPDX-License-Identifier: GPL-2.0-or-later
# The backup window: calibration by sampling, sinks, the dump model.
libxfscensus_a_SOURCES += \
	analyzer/window/calibration.h \
	analyzer/window/prediction.h
