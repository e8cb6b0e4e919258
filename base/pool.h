/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work pool: a bounded queue and the only threads of the program.
 *
 * Items are plain bytes of one size, copied in and out. A worker is known by its number, 0 ≤
 * worker < threads, writes only to the slot of that number, and the slots are merged after
 * pool_join(). Work may make work: a worker offers items with pool_offer(), which never blocks,
 * and does itself what the queue has no room for.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

/*
 * Does one item. Returns 0, or a negative errno that stops the pool: items still queued are
 * dropped (each through the drop function) and pool_join() returns that errno.
 */
typedef int (*pool_work_fn)(void *item, unsigned worker, void *context);

/* Releases what an undone item owns. */
typedef void (*pool_drop_fn)(void *item, void *context);

struct pool_options {
	unsigned threads;  /* at least 1 */
	size_t item_bytes; /* size of an item */
	size_t capacity;   /* items that the queue holds */
	pool_work_fn work;
	pool_drop_fn drop; /* may be NULL */
	void *context;     /* handed to work and drop */
};

/*
 * Starts the threads, with all signals blocked in them; fewer where the system refuses more.
 * Returns 0; -ENOMEM, or -EAGAIN if not even one thread can be had.
 */
int pool_new(struct pool **pool, const struct pool_options *options);

/*
 * Queues a copy of @item; waits while the queue is full. Returns 0, or -ECANCELED if the pool has
 * stopped (the item is then still the caller's). Not for workers, who would wait for themselves.
 */
int pool_push(struct pool *pool, const void *item);

/* Queues a copy of @item if there is room and the pool runs; false leaves it with the caller. */
bool pool_offer(struct pool *pool, const void *item);

/* Whether a worker is waiting for work: a hint when it pays to share some. */
bool pool_hungry(const struct pool *pool);

/* Makes the pool stop as if an item had returned @code (negative). Any thread may call it. */
void pool_stop(struct pool *pool, int code);

/*
 * Says that no more is pushed from outside, waits until the queue is empty and all workers idle,
 * ends the threads and frees the pool. Returns 0 or the first error.
 */
int pool_join(struct pool *pool);

/* Processors this process may run on, at least 1. */
unsigned pool_default_threads(void);

#endif
