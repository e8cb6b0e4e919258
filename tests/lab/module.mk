# SPDX-License-Identifier: GPL-2.0-or-later
# Slow arrays for benches and for predictions to be proved on; see lib.sh. The disk needs libfuse.
if HAVE_FUSE
noinst_PROGRAMS += tests/lab/spindle
tests_lab_spindle_SOURCES = tests/lab/spindle.c tests/lab/disk_model.c tests/lab/disk_model.h
tests_lab_spindle_CFLAGS = $(AM_CFLAGS) $(FUSE_CFLAGS)
tests_lab_spindle_LDADD = $(FUSE_LIBS)
endif
EXTRA_DIST += tests/lab/fill tests/lab/lib.sh tests/lab/quota_vm tests/lab/rates tests/lab/window
