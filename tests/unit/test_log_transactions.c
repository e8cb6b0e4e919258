// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/xfs/log/transactions.h"

#include <stdlib.h>

static void find_sees_only_what_is_open(void **state)
{
	struct log_transactions *table;
	struct log_transaction *one;

	(void)state;
	assert_int_equal(log_transactions_new(&table), 0);
	assert_null(log_transactions_find(table, 1));
	one = log_transactions_begin(table, 1);
	assert_non_null(one);
	assert_ptr_equal(log_transactions_find(table, 1), one);
	assert_null(log_transactions_find(table, 2));
	log_transactions_end(table, one);
	assert_null(log_transactions_find(table, 1));
	log_transactions_free(table);
}

static void begin_again_is_afresh(void **state)
{
	struct log_transactions *table;
	struct log_transaction *one;

	(void)state;
	assert_int_equal(log_transactions_new(&table), 0);
	one = log_transactions_begin(table, 7);
	one->header_seen = true;
	one->regions_left = 3;
	assert_ptr_equal(log_transactions_begin(table, 7), one);
	assert_false(one->header_seen);
	assert_int_equal(one->regions_left, 0);
	log_transactions_free(table);
}

static void no_more_open_than_the_limit(void **state)
{
	struct log_transactions *table;

	(void)state;
	assert_int_equal(log_transactions_new(&table), 0);
	for (uint32_t id = 0; id < 4096; id++)
		assert_non_null(log_transactions_begin(table, id));
	assert_null(log_transactions_begin(table, 4096));
	assert_non_null(log_transactions_begin(table, 5));
	log_transactions_end(table, log_transactions_find(table, 5));
	assert_non_null(log_transactions_begin(table, 4096));
	log_transactions_free(table);
}

/* Ids that collide and wrap round the table's end, begun and ended in any order. */
static void agrees_with_an_array(void **state)
{
	enum { IDS = 3000, STEPS = 200000 };
	static bool model[IDS];
	struct log_transactions *table;

	(void)state;
	srandom(2);
	assert_int_equal(log_transactions_new(&table), 0);
	for (int i = 0; i < STEPS; i++) {
		uint32_t index = (uint32_t)random() % IDS;
		uint32_t id = index % 2 ? index : index * 0x9f3b1c07U;
		struct log_transaction *found = log_transactions_find(table, id);

		assert_int_equal(found != NULL, model[index]);
		if (found)
			assert_int_equal(found->regions_left, index);
		if (found && random() % 2)
			log_transactions_end(table, found);
		else
			log_transactions_begin(table, id)->regions_left = index;
		model[index] = log_transactions_find(table, id) != NULL;
	}
	log_transactions_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find_sees_only_what_is_open),
		cmocka_unit_test(begin_again_is_afresh),
		cmocka_unit_test(no_more_open_than_the_limit),
		cmocka_unit_test(agrees_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
