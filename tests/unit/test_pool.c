// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 4

/* Each worker's own slot, and what the drop function saw. */
struct tally {
	uint64_t sum[THREADS];
	struct pool *pool;
	atomic_uint dropped;
	uint64_t fail_at;
};

/* pthread_create(3) that the system refuses after so many threads. */
static unsigned granted = THREADS;
static unsigned created;

int __real_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *), void *argument);
int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *), void *argument);

int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *), void *argument)
{
	if (created == granted)
		return EAGAIN;
	created++;
	return __real_pthread_create(thread, attributes, main, argument);
}

static int add(void *item, unsigned worker, void *context)
{
	struct tally *tally = context;

	tally->sum[worker] += *(uint64_t *)item;
	return tally->fail_at && *(uint64_t *)item == tally->fail_at ? -EIO : 0;
}

static void drop(void *item, void *context)
{
	(void)item;
	atomic_fetch_add(&((struct tally *)context)->dropped, 1);
}

static struct pool *start(struct tally *tally, size_t capacity, pool_work_fn work)
{
	const struct pool_options options = {
		.threads = THREADS,
		.item_bytes = sizeof(uint64_t),
		.capacity = capacity,
		.work = work,
		.drop = drop,
		.context = tally,
	};

	created = 0;
	assert_int_equal(pool_new(&tally->pool, &options), 0);
	return tally->pool;
}

static uint64_t total(const struct tally *tally)
{
	uint64_t sum = 0;

	for (int i = 0; i < THREADS; i++)
		sum += tally->sum[i];
	return sum;
}

static void every_item_is_done_once(void **state)
{
	struct tally tally = {0};
	struct pool *pool = start(&tally, 3, add);

	(void)state;
	for (uint64_t i = 1; i <= 10000; i++)
		assert_int_equal(pool_push(pool, &i), 0);
	assert_int_equal(pool_join(pool), 0);
	assert_int_equal(total(&tally), 10000 * 10001 / 2);
	assert_int_equal(tally.dropped, 0);
}

static void an_unused_pool_ends(void **state)
{
	struct tally tally = {0};

	(void)state;
	assert_int_equal(pool_join(start(&tally, 1, add)), 0);
}

/* The first error comes back; what was queued is dropped or done, never lost. */
static void an_error_stops_the_pool(void **state)
{
	struct tally tally = {.fail_at = 10};
	struct pool *pool = start(&tally, 8, add);
	uint64_t i = 1;

	(void)state;
	while (!pool_push(pool, &i))
		i++;
	assert_true(i > 10);
	assert_int_equal(pool_join(pool), -EIO);
	assert_true(total(&tally) >= 10 || tally.dropped > 0);
}

/* An item n makes two of n - 1: through the queue where it has room, else at once. */
static int split(void *item, unsigned worker, void *context)
{
	struct tally *tally = context;
	uint64_t n = *(uint64_t *)item, half = n - 1;

	tally->sum[worker]++;
	for (int i = 0; n && i < 2; i++) {
		if (!pool_offer(tally->pool, &half))
			split(&half, worker, context);
	}
	return 0;
}

static void work_may_make_work(void **state)
{
	struct tally tally = {0};
	struct pool *pool = start(&tally, 5, split);
	uint64_t depth = 13;

	(void)state;
	assert_int_equal(pool_push(pool, &depth), 0);
	assert_int_equal(pool_join(pool), 0);
	assert_int_equal(total(&tally), (1 << 14) - 1);
}

static int stop_now(void *item, unsigned worker, void *context)
{
	(void)item;
	(void)worker;
	pool_stop(((struct tally *)context)->pool, -ECANCELED);
	return 0;
}

static void stopping_from_a_worker_ends_it(void **state)
{
	struct tally tally = {0};
	struct pool *pool = start(&tally, 2, stop_now);
	uint64_t item = 1;

	(void)state;
	while (!pool_push(pool, &item))
		;
	assert_false(pool_offer(pool, &item));
	assert_int_equal(pool_join(pool), -ECANCELED);
}

static void fewer_threads_do_it_too(void **state)
{
	(void)state;
	for (granted = 1; granted < THREADS; granted++) {
		struct tally tally = {0};
		struct pool *pool = start(&tally, 4, add);

		for (uint64_t i = 1; i <= 1000; i++)
			assert_int_equal(pool_push(pool, &i), 0);
		assert_int_equal(pool_join(pool), 0);
		assert_int_equal(created, granted);
		assert_int_equal(total(&tally), 500500);
	}
}

static void no_thread_at_all_is_an_error(void **state)
{
	const struct pool_options options = {
		.threads = THREADS, .item_bytes = 1, .capacity = 1, .work = add};
	struct pool *pool = NULL;

	(void)state;
	granted = created = 0;
	assert_int_equal(pool_new(&pool, &options), -EAGAIN);
	assert_null(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_is_done_once),
		cmocka_unit_test(an_unused_pool_ends),
		cmocka_unit_test(an_error_stops_the_pool),
		cmocka_unit_test(work_may_make_work),
		cmocka_unit_test(stopping_from_a_worker_ends_it),
		cmocka_unit_test(fewer_threads_do_it_too),
		cmocka_unit_test(no_thread_at_all_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
