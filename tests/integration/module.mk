# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/integration/bulkstat_driver
check_SCRIPTS += tests/integration/bulkstat.sh
EXTRA_DIST += tests/integration/bulkstat.sh
