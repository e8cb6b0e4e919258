// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/hashmap.h"

#include <stdlib.h>

static struct hashmap_key key(uint64_t high, uint64_t low)
{
	return (struct hashmap_key){.high = high, .low = low};
}

static void an_empty_map_finds_nothing(void **state)
{
	struct hashmap map;

	(void)state;
	hashmap_init(&map, 8);
	assert_null(hashmap_find(&map, key(0, 0)));
	hashmap_sort(&map);
	hashmap_clear(&map);
	assert_int_equal(hashmap_memory_bytes(&map), 0);
	hashmap_fini(&map);
}

static void new_values_are_zero_and_stay(void **state)
{
	struct hashmap map;
	uint64_t *value;

	(void)state;
	hashmap_init(&map, sizeof(*value));
	value = hashmap_upsert(&map, key(0, 0));
	assert_int_equal(*value, 0);
	*value = 7;
	assert_int_equal(*(uint64_t *)hashmap_upsert(&map, key(0, 0)), 7);
	assert_null(hashmap_find(&map, key(0, 1)));
	assert_null(hashmap_find(&map, key(1, 0)));
	assert_int_equal(map.count, 1);
	hashmap_fini(&map);
}

/* Counts against plain arrays, through many growths, with keys that differ in few bits. */
static void counts_agree_with_an_array(void **state)
{
	enum { KEYS = 5000, ROUNDS = 100000 };
	uint32_t *expected = calloc(KEYS, sizeof(*expected));
	struct hashmap map;
	unsigned seed = 42;

	(void)state;
	hashmap_init(&map, sizeof(uint32_t));
	for (int i = 0; i < ROUNDS; i++) {
		unsigned k = (unsigned)rand_r(&seed) % KEYS;

		expected[k]++;
		++*(uint32_t *)hashmap_upsert(&map, key((uint64_t)(k % 71) << 32, k / 71));
	}
	for (unsigned k = 0; k < KEYS; k++) {
		uint32_t *found = hashmap_find(&map, key((uint64_t)(k % 71) << 32, k / 71));

		assert_int_equal(found ? *found : 0, expected[k]);
	}
	hashmap_fini(&map);
	free(expected);
}

static void sorting_orders_and_keeps_finding(void **state)
{
	struct hashmap map;

	(void)state;
	hashmap_init(&map, sizeof(uint64_t));
	for (uint64_t i = 0; i < 1000; i++)
		*(uint64_t *)hashmap_upsert(&map, key(i * 7919 % 10, i * 104729 % 1009)) = i;
	hashmap_sort(&map);
	for (size_t i = 1; i < map.count; i++) {
		const struct hashmap_key *a = hashmap_key_at(&map, i - 1);
		const struct hashmap_key *b = hashmap_key_at(&map, i);

		assert_true(a->high < b->high || (a->high == b->high && a->low < b->low));
		assert_ptr_equal(hashmap_find(&map, *b), hashmap_value_at(&map, i));
	}
	hashmap_fini(&map);
}

static void clearing_forgets(void **state)
{
	struct hashmap map;

	(void)state;
	hashmap_init(&map, 1);
	for (uint64_t i = 0; i < 100; i++)
		*(char *)hashmap_upsert(&map, key(i, i)) = 1;
	hashmap_clear(&map);
	assert_int_equal(map.count, 0);
	assert_null(hashmap_find(&map, key(5, 5)));
	assert_int_equal(*(char *)hashmap_upsert(&map, key(5, 5)), 0);
	hashmap_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_finds_nothing),
		cmocka_unit_test(new_values_are_zero_and_stay),
		cmocka_unit_test(counts_agree_with_an_array),
		cmocka_unit_test(sorting_orders_and_keeps_finding),
		cmocka_unit_test(clearing_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
