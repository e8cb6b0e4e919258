# SPDX-License-Identifier: GPL-2.0-or-later
noinst_PROGRAMS += tests/integration/bulkstat_driver
check_SCRIPTS += tests/integration/bulkstat.sh
EXTRA_DIST += tests/integration/bulkstat.sh
noinst_PROGRAMS += tests/integration/walk_records
tests_integration_walk_records_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=census_add \
	-Wl,--wrap=syscall
check_SCRIPTS += tests/integration/walk.sh
EXTRA_DIST += tests/integration/walk.sh
