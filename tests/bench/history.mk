# SPDX-License-Identifier: GPL-2.0-or-later
# Histories whose truth is known: for the bench `history`, and for integration tests.
noinst_PROGRAMS += tests/bench/make_history
tests_bench_make_history_SOURCES = tests/bench/make_history.c
tests_bench_make_history_LDADD = $(XC_LIBS)
EXTRA_DIST += tests/bench/history
