# SPDX-License-Identifier: GPL-2.0-or-later
# `make check` replays the corpora. To fuzz: ../configure CC=clang --enable-fuzzing --enable-asan
# --enable-ubsan && make tests/fuzz/fuzz_log && tests/fuzz/fuzz_log NEW-CORPUS tests/fuzz/corpus/log
if ENABLE_FUZZING
fuzz_main =
fuzz_link = $(AM_LDFLAGS) -fsanitize=fuzzer
else
fuzz_main = tests/fuzz/replay.c
fuzz_link = $(AM_LDFLAGS)
endif
fuzz_common = tests/fuzz/fuzz.h tests/fuzz/fuzz_disk.h $(fuzz_main)
EXTRA_DIST += tests/fuzz/corpus

check_PROGRAMS += tests/fuzz/fuzz_agi
tests_fuzz_fuzz_agi_SOURCES = tests/fuzz/fuzz_agi.c $(fuzz_common)
tests_fuzz_fuzz_agi_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_attr_leaf
tests_fuzz_fuzz_attr_leaf_SOURCES = tests/fuzz/fuzz_attr_leaf.c $(fuzz_common)
tests_fuzz_fuzz_attr_leaf_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_bmbt
tests_fuzz_fuzz_bmbt_SOURCES = tests/fuzz/fuzz_bmbt.c $(fuzz_common)
tests_fuzz_fuzz_bmbt_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_dir
tests_fuzz_fuzz_dir_SOURCES = tests/fuzz/fuzz_dir.c $(fuzz_common)
tests_fuzz_fuzz_dir_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_dump_log
tests_fuzz_fuzz_dump_log_SOURCES = tests/fuzz/fuzz_dump_log.c $(fuzz_common)
tests_fuzz_fuzz_dump_log_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_inobt
tests_fuzz_fuzz_inobt_SOURCES = tests/fuzz/fuzz_inobt.c $(fuzz_common)
tests_fuzz_fuzz_inobt_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_inode
tests_fuzz_fuzz_inode_SOURCES = tests/fuzz/fuzz_inode.c $(fuzz_common)
tests_fuzz_fuzz_inode_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_join
tests_fuzz_fuzz_join_SOURCES = tests/fuzz/fuzz_join.c $(fuzz_common)
tests_fuzz_fuzz_join_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_log
tests_fuzz_fuzz_log_SOURCES = tests/fuzz/fuzz_log.c $(fuzz_common)
tests_fuzz_fuzz_log_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_rates
tests_fuzz_fuzz_rates_SOURCES = tests/fuzz/fuzz_rates.c $(fuzz_common)
tests_fuzz_fuzz_rates_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_policy
tests_fuzz_fuzz_policy_SOURCES = tests/fuzz/fuzz_policy.c $(fuzz_common)
tests_fuzz_fuzz_policy_LDFLAGS = $(fuzz_link)
check_PROGRAMS += tests/fuzz/fuzz_superblock
tests_fuzz_fuzz_superblock_SOURCES = tests/fuzz/fuzz_superblock.c $(fuzz_common)
tests_fuzz_fuzz_superblock_LDFLAGS = $(fuzz_link)
