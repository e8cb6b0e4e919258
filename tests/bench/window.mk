# SPDX-License-Identifier: GPL-2.0-or-later
# The backup window against real dumps. To run it:
#	make tests/bench/predict_probe tests/bench/age
#	PREDICT_TOOLS=tests/bench $(srcdir)/tests/bench/predict
EXTRA_PROGRAMS = tests/bench/predict_probe tests/bench/age
tests_bench_predict_probe_SOURCES = tests/bench/predict_probe.c
tests_bench_predict_probe_LDADD = $(XC_LIBS)
tests_bench_age_SOURCES = tests/bench/age.c
tests_bench_age_LDADD =
EXTRA_DIST += tests/bench/array tests/bench/engines tests/bench/growth tests/bench/policy_gain tests/bench/predict
