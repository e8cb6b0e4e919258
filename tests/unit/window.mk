# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_array
check_PROGRAMS += tests/unit/test_estimate
check_PROGRAMS += tests/unit/test_prediction
check_PROGRAMS += tests/unit/test_sample
check_PROGRAMS += tests/unit/test_sink
check_PROGRAMS += tests/unit/test_strata
check_PROGRAMS += tests/unit/test_stream
