# SPDX-License-Identifier: GPL-2.0-or-later
# What counting inodes costs: make tests/bench/census && tests/bench/census
EXTRA_PROGRAMS = tests/bench/census
tests_bench_census_SOURCES = tests/bench/census.c
tests_bench_census_LDADD = $(XC_LIBS)
