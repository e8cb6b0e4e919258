/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of their own for the tests of the walk engine, and walks of them. */
#ifndef TESTS_UNIT_WALK_TREE_H
#define TESTS_UNIT_WALK_TREE_H

#include "tests/unit/test.h"

#include "analyzer/scan/engine.h"

#include <stdatomic.h>

/* The root of the tree, and the working directory, between setup and teardown. */
extern char tree_root[64];

/* What the walks see as progress->cancelled; 0 after setup. */
extern atomic_bool tree_cancelled;

/* Whether the target claims to be on XFS; false after setup. */
extern bool tree_is_xfs;

/* Whether the target claims to be the root of its filesystem; false after setup. */
extern bool tree_is_root;

/* Whether walks charge directories too; false after setup. */
extern bool tree_charges;

/* What the last walk said: whether it saw the whole filesystem, and its message, or "". */
extern bool tree_was_whole;
extern char tree_message[ERR_MESSAGE_BYTES];

int tree_setup(void **state);
int tree_teardown(void **state);

void tree_directory(const char *name);
void tree_file(const char *name, off_t size);

/*
 * @directories subtrees of two directories and five files, and one directory of @files files, every
 * third of which has a second link. Sizes and times differ.
 */
void tree_bush(int directories, int files);

/* Three directories a level, the next level in the middle one. */
void tree_comb(int levels);

/* Walks the tree with @jobs workers, census_fini() to be called; returns what the engine does. */
int tree_walk(unsigned jobs, struct census *census);

void assert_totals(const struct census *census, uint64_t regular, uint64_t directories,
	uint64_t symlinks, uint64_t others);

/* One failure in all: of @kind, at @name in the root, or the root for "". */
void assert_failure(
	const struct census *census, enum failure_kind kind, int code, const char *name);

#endif
