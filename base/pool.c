// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See pool.h. One mutex and two conditions around a ring of items. Items are meant to be a good
 * deal of work each (a batch of inode chunks, a directory), so the lock is not a place to wait.
 *
 * The pool is done when it is closed, the ring is empty and nobody is busy: a busy worker may
 * still offer items, so an empty ring alone is not the end.
 */
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct worker {
	struct pool *pool;
	pthread_t thread;
	unsigned number;
	void *item; /* the worker's copy of what it does */
};

struct pool {
	struct pool_options options;
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	pthread_cond_t not_full;
	char *ring;
	size_t head;         /* index of the oldest item */
	size_t count;        /* items in the ring */
	unsigned busy;       /* workers that do an item */
	atomic_uint waiting; /* workers that wait for one */
	bool closed;         /* nothing more comes from outside */
	int code;            /* first error, or 0 */
	unsigned started;    /* threads to join */
	struct worker *workers;
};

static void *ring_at(struct pool *pool, size_t index)
{
	return pool->ring +
	       (pool->head + index) % pool->options.capacity * pool->options.item_bytes;
}

static void ring_put(struct pool *pool, const void *item)
{
	memcpy(ring_at(pool, pool->count++), item, pool->options.item_bytes);
	pthread_cond_signal(&pool->not_empty);
}

static void ring_take(struct pool *pool, void *item)
{
	memcpy(item, ring_at(pool, 0), pool->options.item_bytes);
	pool->head = (pool->head + 1) % pool->options.capacity;
	pool->count--;
	pthread_cond_signal(&pool->not_full);
}

/* With the lock held: nothing is left to do and nothing can come. */
static bool finished(const struct pool *pool)
{
	return pool->code || (pool->closed && !pool->count && !pool->busy);
}

/* With the lock held: waits for an item and takes it; false at the end. */
static bool next_item(struct pool *pool, void *item)
{
	while (!pool->count && !finished(pool)) {
		atomic_fetch_add_explicit(&pool->waiting, 1, memory_order_relaxed);
		pthread_cond_wait(&pool->not_empty, &pool->lock);
		atomic_fetch_sub_explicit(&pool->waiting, 1, memory_order_relaxed);
	}
	if (!pool->count || pool->code)
		return false;
	ring_take(pool, item);
	return true;
}

static void wake_all(struct pool *pool)
{
	pthread_cond_broadcast(&pool->not_empty);
	pthread_cond_broadcast(&pool->not_full);
}

static void *worker_main(void *argument)
{
	struct worker *self = argument;
	struct pool *pool = self->pool;

	pthread_mutex_lock(&pool->lock);
	while (next_item(pool, self->item)) {
		int code;

		pool->busy++;
		pthread_mutex_unlock(&pool->lock);
		code = pool->options.work(self->item, self->number, pool->options.context);
		pthread_mutex_lock(&pool->lock);
		pool->busy--;
		if (code && !pool->code)
			pool->code = code;
		if (finished(pool))
			wake_all(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Starts as many threads as the system grants; an error only if that is none. */
static int start_threads(struct pool *pool)
{
	sigset_t all, before;
	int rc = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 0; i < pool->options.threads && !rc; i++) {
		struct worker *worker = &pool->workers[i];

		worker->pool = pool;
		worker->number = i;
		worker->item = malloc(pool->options.item_bytes);
		if (!worker->item)
			rc = -ENOMEM;
		else
			rc = -pthread_create(&worker->thread, NULL, worker_main, worker);
		pool->started += !rc;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pool->started ? 0 : rc;
}

int pool_new(struct pool **result, const struct pool_options *options)
{
	struct pool *pool = calloc(1, sizeof(*pool));
	int rc;

	if (!pool)
		return -ENOMEM;
	pool->options = *options;
	pool->ring = calloc(options->capacity, options->item_bytes);
	pool->workers = calloc(options->threads, sizeof(*pool->workers));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->not_empty, NULL);
	pthread_cond_init(&pool->not_full, NULL);
	rc = pool->ring && pool->workers ? start_threads(pool) : -ENOMEM;
	if (rc) {
		pool_stop(pool, rc);
		pool_join(pool);
		return rc;
	}
	*result = pool;
	return 0;
}

int pool_push(struct pool *pool, const void *item)
{
	int rc = 0;

	pthread_mutex_lock(&pool->lock);
	while (pool->count == pool->options.capacity && !pool->code)
		pthread_cond_wait(&pool->not_full, &pool->lock);
	if (pool->code)
		rc = -ECANCELED;
	else
		ring_put(pool, item);
	pthread_mutex_unlock(&pool->lock);
	return rc;
}

bool pool_offer(struct pool *pool, const void *item)
{
	bool room;

	pthread_mutex_lock(&pool->lock);
	room = pool->count < pool->options.capacity && !pool->code;
	if (room)
		ring_put(pool, item);
	pthread_mutex_unlock(&pool->lock);
	return room;
}

bool pool_hungry(const struct pool *pool)
{
	return atomic_load_explicit(&pool->waiting, memory_order_relaxed) > 0;
}

void pool_stop(struct pool *pool, int code)
{
	pthread_mutex_lock(&pool->lock);
	if (!pool->code)
		pool->code = code;
	wake_all(pool);
	pthread_mutex_unlock(&pool->lock);
}

static void pool_free(struct pool *pool)
{
	for (unsigned i = 0; pool->workers && i < pool->options.threads; i++)
		free(pool->workers[i].item);
	free(pool->workers);
	free(pool->ring);
	pthread_cond_destroy(&pool->not_empty);
	pthread_cond_destroy(&pool->not_full);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

int pool_join(struct pool *pool)
{
	int code;

	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	wake_all(pool);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_join(pool->workers[i].thread, NULL);
	for (; pool->options.drop && pool->count; pool->count--) {
		pool->options.drop(ring_at(pool, 0), pool->options.context);
		pool->head = (pool->head + 1) % pool->options.capacity;
	}
	code = pool->code;
	pool_free(pool);
	return code;
}

unsigned pool_default_threads(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return count > 0 ? (unsigned)count : 1;
}
