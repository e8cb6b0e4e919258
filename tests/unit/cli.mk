# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_atomic_file
check_PROGRAMS += tests/unit/test_names
check_PROGRAMS += tests/unit/test_options
