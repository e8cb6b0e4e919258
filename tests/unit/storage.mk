# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += tests/unit/store_support.h
check_PROGRAMS += tests/unit/test_store
check_PROGRAMS += tests/unit/test_store_kill
check_PROGRAMS += tests/unit/test_store_open
check_PROGRAMS += tests/unit/test_store_docs
check_PROGRAMS += tests/unit/test_store_places
check_PROGRAMS += tests/unit/test_store_views
