# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += \
	tests/unit/test_engine_bulkstat \
	tests/unit/test_geometry \
	tests/unit/test_target
