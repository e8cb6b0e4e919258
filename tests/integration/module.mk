# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program, or its engines through a driver, on real filesystems. Needs root; see lib.sh.
integration_tests = \
	tests/integration/bulkstat.sh \
	tests/integration/calibrate.sh \
	tests/integration/cancel.sh \
	tests/integration/end_to_end.sh \
	tests/integration/full_disk.sh \
	tests/integration/kill.sh \
	tests/integration/usage.sh \
	tests/integration/walk.sh
check_SCRIPTS += $(integration_tests)
EXTRA_DIST += $(integration_tests) tests/integration/lib.sh

# What the scripts run.
noinst_PROGRAMS += tests/integration/bulkstat_driver
noinst_PROGRAMS += tests/integration/calibrate_driver
noinst_PROGRAMS += tests/integration/walk_records
tests_integration_walk_records_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=census_add \
	-Wl,--wrap=syscall
