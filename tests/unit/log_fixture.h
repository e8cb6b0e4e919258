/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log to fill, what is collected from it, and the questions that tests ask of it. */
#ifndef TESTS_UNIT_LOG_FIXTURE_H
#define TESTS_UNIT_LOG_FIXTURE_H

#include "tests/unit/log_builder.h"
#include "tests/unit/test.h"

#include <stdlib.h>

#define BLOCKS 4096
#define FIRST  8000 /* an inode number of AG 0 */
#define TRANS  0x1000

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

struct fixture {
	struct log_builder log;
	struct log_changes changes;
	struct err err;
};

static inline int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	builder_init(&fixture->log, BLOCKS, 5);
	log_changes_init(&fixture->changes);
	*state = fixture;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;

	log_changes_fini(&fixture->changes);
	builder_fini(&fixture->log);
	free(fixture);
	return 0;
}

static inline int collect(struct fixture *fixture)
{
	struct log_range range = {fixture->log.tail, fixture->log.at};

	return log_collect(&fixture->log.source, &range, &fixture->changes, &fixture->err);
}

/* Exactly @count inodes from @first on are in the set. */
static inline void assert_logged(const struct fixture *fixture, uint64_t first, unsigned count)
{
	assert_string_equal(fixture->err.message, "");
	assert_int_equal(inode_set_count(&fixture->changes.logged), count);
	for (uint64_t ino = first; ino < first + count; ino++)
		assert_true(inode_set_contains(&fixture->changes.logged, ino));
}

#endif
