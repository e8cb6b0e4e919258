# SPDX-License-Identifier: GPL-2.0-or-later
# A unit test is one cmocka program; naming it in check_PROGRAMS is all it needs. Each prints TAP.
EXTRA_DIST += tests/unit/near.h tests/unit/test.h
LDADD = $(XC_LIBS) $(CMOCKA_LIBS)

if HAVE_CMOCKA
include tests/unit/base.mk
include tests/unit/census.mk
include tests/unit/scan.mk
include tests/unit/window.mk
include tests/unit/history.mk
include tests/unit/policy.mk
include tests/unit/storage.mk
include tests/unit/reports.mk
include tests/unit/cli.mk
include tests/property/module.mk
else
check-local:
	@echo 'make check needs cmocka: apt install libcmocka-dev, or dnf install libcmocka-devel' >&2
	@exit 1
endif
include tests/population/module.mk
include tests/lint/module.mk
include tests/integration/module.mk
include tests/lab/module.mk
include tests/bench/window.mk
include tests/bench/scan.mk
include tests/bench/history.mk
include tests/fuzz/module.mk
