# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program, or its engines through a driver, on real filesystems. Needs root; see lib.sh.
# The longest first.
integration_tests = \
	tests/integration/dirs.sh \
	tests/integration/device_attrs.sh \
	tests/integration/device_dirs.sh \
	tests/integration/calibrate_array.sh \
	tests/integration/device.sh \
	tests/integration/predict.sh \
	tests/integration/device_damage.sh \
	tests/integration/bulkstat.sh \
	tests/integration/calibrate.sh \
	tests/integration/calibrate_cached.sh \
	tests/integration/cancel.sh \
	tests/integration/database.sh \
	tests/integration/device_dirs_damage.sh \
	tests/integration/device_live.sh \
	tests/integration/device_names.sh \
	tests/integration/dump_size.sh \
	tests/integration/end_to_end.sh \
	tests/integration/extreme.sh \
	tests/integration/first_use.sh \
	tests/integration/fresh.sh \
	tests/integration/full_disk.sh \
	tests/integration/kill.sh \
	tests/integration/lab.sh \
	tests/integration/learn.sh \
	tests/integration/live.sh \
	tests/integration/log.sh \
	tests/integration/log_device.sh \
	tests/integration/monitoring.sh \
	tests/integration/mounts.sh \
	tests/integration/page.sh \
	tests/integration/predict_options.sh \
	tests/integration/quota.sh \
	tests/integration/quota_apply.sh \
	tests/integration/usage.sh \
	tests/integration/walk.sh
check_SCRIPTS += $(integration_tests)
EXTRA_DIST += $(integration_tests) tests/integration/lib.sh tests/integration/damage.sh \
	tests/integration/quotactl_file.c

# What the scripts run.
noinst_PROGRAMS += tests/integration/bulkstat_driver
noinst_PROGRAMS += tests/integration/calibrate_driver
noinst_PROGRAMS += tests/integration/device_entries
noinst_PROGRAMS += tests/integration/device_inodes
noinst_PROGRAMS += tests/integration/live_driver
tests_integration_live_driver_SOURCES = tests/integration/live_driver.c \
	tests/integration/raw_device.c tests/integration/raw_device.h
noinst_PROGRAMS += tests/integration/log_probe
tests_integration_log_probe_SOURCES = tests/integration/log_probe.c \
	tests/integration/log_churn.c tests/integration/log_churn.h \
	tests/integration/raw_device.c tests/integration/raw_device.h
noinst_PROGRAMS += tests/integration/walk_records
tests_integration_walk_records_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=census_add \
	-Wl,--wrap=clock_unix_seconds -Wl,--wrap=syscall \
	-Wl,--wrap=walk_bulk_find -Wl,--wrap=walk_bulk_read
