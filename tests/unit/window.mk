# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_array
check_PROGRAMS += tests/unit/test_replay
check_PROGRAMS += tests/unit/test_dump_model
check_PROGRAMS += tests/unit/test_dump_log
check_PROGRAMS += tests/unit/test_estimate
check_PROGRAMS += tests/unit/test_learn
check_PROGRAMS += tests/unit/test_prediction
check_PROGRAMS += tests/unit/test_rates
check_PROGRAMS += tests/unit/test_sample
check_PROGRAMS += tests/unit/test_sink
check_PROGRAMS += tests/unit/test_sink_queue
check_PROGRAMS += tests/unit/test_strata
check_PROGRAMS += tests/unit/test_stream

# Our statistics against those of GSL.
if HAVE_GSL
check_PROGRAMS += tests/unit/test_statistics
tests_unit_test_statistics_CFLAGS = $(AM_CFLAGS) $(GSL_CFLAGS)
tests_unit_test_statistics_LDADD = $(LDADD) $(GSL_LIBS)
endif
