// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/scan/link_set.h"
#include "base/pool.h"

#include <stdatomic.h>

#define KEYS    20000U
#define THREADS 4

static void keys_are_new_once(void **state)
{
	static const uint64_t keys[] = {0, 1, 2, UINT32_MAX, 1ULL << 32, UINT64_MAX};
	struct link_set *set = link_set_new();

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		assert_int_equal(link_set_add(set, keys[i]), 1);
		assert_int_equal(link_set_add(set, keys[i]), 0);
	}
	link_set_free(set);
}

static void memory_is_bounded(void **state)
{
	struct link_set *set = link_set_new();

	(void)state;
	for (uint64_t i = 0; i < 300000; i++) {
		assert_int_equal(link_set_add(set, 128 + 2 * i), 1);
		if (i > 20000 && i % 1000 == 0)
			assert_true(link_set_memory_bytes(set) <= 16 * i);
	}
	for (uint64_t i = 0; i < 300000; i++) {
		assert_int_equal(link_set_add(set, 128 + 2 * i), 0);
	}
	assert_int_equal(link_set_add(set, 129), 1);
	link_set_free(set);
}

struct contest {
	struct link_set *set;
	atomic_uint won;
};

static int add_all(void *item, unsigned worker, void *context)
{
	struct contest *contest = context;

	(void)item;
	(void)worker;
	for (uint64_t i = 0; i < KEYS; i++)
		atomic_fetch_add(&contest->won, (unsigned)link_set_add(contest->set, i));
	return 0;
}

static void threads_add_each_key_once(void **state)
{
	struct contest contest = {.set = link_set_new()};
	const struct pool_options options = {.threads = THREADS,
		.item_bytes = sizeof(int),
		.capacity = THREADS,
		.work = add_all,
		.context = &contest};
	struct pool *pool;

	(void)state;
	assert_int_equal(pool_new(&pool, &options), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pool_push(pool, &i), 0);
	assert_int_equal(pool_join(pool), 0);
	assert_int_equal(contest.won, KEYS);
	link_set_free(contest.set);
}

static void freeing_nothing_is_fine(void **state)
{
	(void)state;
	link_set_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_new_once),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(threads_add_each_key_once),
		cmocka_unit_test(freeing_nothing_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
