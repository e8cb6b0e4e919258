# SPDX-License-Identifier: GPL-2.0-or-later
# Fills a filesystem for tests, benches and the demonstration. Built by plain make: quickstart uses it.
noinst_PROGRAMS += tests/population/populate
tests_population_populate_SOURCES = \
	tests/population/lab.c \
	tests/population/make.c tests/population/make.h \
	tests/population/odd.c \
	tests/population/populate.c \
	tests/population/preset.h \
	tests/population/presets.c
tests_population_populate_LDADD =
