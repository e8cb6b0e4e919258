# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_forecast
check_PROGRAMS += tests/unit/test_history
