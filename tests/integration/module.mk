# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/integration/calibrate_driver
check_SCRIPTS += tests/integration/calibrate.sh
EXTRA_DIST += tests/integration/calibrate.sh
