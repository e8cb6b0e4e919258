// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several reads of an array at a time; see array_private.h.
 *
 * Each reader has a thread, as each stream of a dump has. Only reads that end within the time
 * count, whenever they began: as many are cut off at its end as were under way at its beginning.
 */
#include "analyzer/window/array_private.h"

#include "base/clock.h"
#include "base/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_READERS 8

struct reader {
	void *buffer; /* owned */
	struct random random;
	uint64_t reads; /* that count */
};

struct readers {
	const struct array *array;
	uint32_t read_bytes;
	int64_t count_ns; /* reads count from then on */
	int64_t end_ns;
	struct reader readers[MAX_READERS]; /* by worker */
};

/* Reads until the end; an item is but a sign to begin. */
static int read_on(void *item, unsigned worker, void *context)
{
	struct readers *work = context;
	struct reader *reader = &work->readers[worker];
	uint64_t places = work->array->bytes / work->read_bytes;
	int64_t now_ns;

	(void)item;
	while (clock_monotonic_ns() < work->end_ns) {
		uint64_t place = random_below(&reader->random, places) * work->read_bytes;

		if (pread(work->array->fd, reader->buffer, work->read_bytes, (off_t)place) !=
			(ssize_t)work->read_bytes)
			return -EIO;
		now_ns = clock_monotonic_ns();
		reader->reads += now_ns >= work->count_ns && now_ns < work->end_ns;
	}
	return 0;
}

static int run_readers(struct readers *work, unsigned count)
{
	const struct pool_options options = {
		.threads = count,
		.item_bytes = 1,
		.capacity = MAX_READERS,
		.work = read_on,
		.context = work,
	};
	struct pool *pool;
	int rc = pool_new(&pool, &options);

	if (rc)
		return rc;
	for (unsigned i = 0; i < count; i++)
		(void)pool_push(pool, ""); /* fails only after a reader has: pool_join() tells */
	return pool_join(pool);
}

/* Returns 0 or -ENOMEM. */
static int prepare(struct readers *work, struct random *seeds, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct reader *reader = &work->readers[i];

		reader->random.state = random_bits(seeds);
		reader->buffer = aligned_alloc(ARRAY_ALIGN_BYTES, ARRAY_READ_MAX_BYTES);
		if (!reader->buffer)
			return -ENOMEM;
	}
	return 0;
}

bool array_read_at_once(struct array *array, double seconds, struct array_reading *reading)
{
	const unsigned count = reading->at_once < MAX_READERS ? reading->at_once : MAX_READERS;
	int64_t start_ns = clock_monotonic_ns();
	struct readers work = {
		.array = array,
		.read_bytes = reading->read_bytes,
		.count_ns = start_ns + (int64_t)(seconds * ARRAY_CREDIT_SHARE * NS_PER_SECOND),
		.end_ns = start_ns + (int64_t)(seconds * NS_PER_SECOND),
	};
	int rc = prepare(&work, &array->random, count);

	if (!rc)
		rc = run_readers(&work, count);
	reading->at_once = count;
	reading->reads = 0;
	reading->seconds = (double)(work.end_ns - work.count_ns) / NS_PER_SECOND;
	for (unsigned i = 0; i < count; i++) {
		reading->reads += work.readers[i].reads;
		free(work.readers[i].buffer);
	}
	return !rc && reading->reads;
}
