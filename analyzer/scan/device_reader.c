// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_reader.h. A buffer goes round: free → being read → in the work pool → free. The
 * calling thread takes free buffers and starts reads into them. With io_uring it also collects the
 * completions and puts them into the pool; with threads, those of a second pool do both.
 *
 * There are more buffers than reads in flight, so that the disk stays busy while workers parse.
 */
#include "analyzer/scan/device_reader.h"

#include "base/checked.h"
#include "base/pool.h"

#include <errno.h>
#include <liburing.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define READS_IN_FLIGHT    8
#define MAX_SPARE_BUFFERS  24
#define BUFFER_ALIGN_BYTES (2U << 20) /* a huge page */

/* A read with its buffer on the way round. */
struct slot {
	struct device_read read;
	char *data;
	ssize_t got;
};

struct device_reader {
	const struct device_source *source;
	unsigned workers;
	bool uring;
	struct io_uring ring;
	char *memory;
	struct slot *slots;
	unsigned slot_count;

	pthread_mutex_t lock; /* guards the free list */
	pthread_cond_t freed;
	struct slot **free_slots;
	unsigned free_count;
	bool stopped; /* an error: nobody gives buffers back any more */

	/* The run */
	device_done_fn done;
	void *context;
	struct pool *parse; /* workers */
};

static void give_back(struct device_reader *reader, struct slot *slot)
{
	pthread_mutex_lock(&reader->lock);
	reader->free_slots[reader->free_count++] = slot;
	pthread_cond_signal(&reader->freed);
	pthread_mutex_unlock(&reader->lock);
}

static void stop(struct device_reader *reader)
{
	pthread_mutex_lock(&reader->lock);
	reader->stopped = true;
	pthread_cond_broadcast(&reader->freed);
	pthread_mutex_unlock(&reader->lock);
}

/* A free buffer; NULL if there is none and @wait is false, or after an error. */
static struct slot *take_free(struct device_reader *reader, bool wait)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&reader->lock);
	while (wait && !reader->free_count && !reader->stopped)
		pthread_cond_wait(&reader->freed, &reader->lock);
	if (reader->free_count && !reader->stopped)
		slot = reader->free_slots[--reader->free_count];
	pthread_mutex_unlock(&reader->lock);
	return slot;
}

/* A read that came back short is read on till it is whole, ends, or fails for good. */
static void complete(const struct device_reader *reader, struct slot *slot)
{
	size_t got = slot->got > 0 ? (size_t)slot->got : 0;
	ssize_t more;

	if (slot->got == -EINTR || slot->got == -EAGAIN)
		slot->got = 0;
	if (slot->got < 0 || got == slot->read.bytes || got % reader->source->align_bytes)
		return;
	more = device_source_pread(
		reader->source, slot->data + got, slot->read.bytes - got, slot->read.offset + got);
	if (more > 0)
		slot->got = (ssize_t)got + more;
	else if (more < 0 && !got)
		slot->got = more;
}

static int parse_one(void *item, unsigned worker, void *context)
{
	struct device_reader *reader = context;
	struct slot *slot = *(struct slot **)item;
	int rc;

	complete(reader, slot);
	rc = reader->done(&slot->read, slot->data, slot->got, worker, reader->context);
	give_back(reader, slot);
	if (rc)
		stop(reader);
	return rc;
}

static void drop_one(void *item, void *context)
{
	give_back(context, *(struct slot **)item);
}

/* Hands a slot to the workers; it comes back even if they have stopped. */
static void deliver(struct device_reader *reader, struct slot *slot)
{
	if (pool_push(reader->parse, &slot))
		give_back(reader, slot);
}

/*
 * What is in memory is left to the worker that parses it: a thread of its own would only carry it
 * to another processor's cache. Whether that is so with this read.
 */
static bool deliver_cached(struct device_reader *reader, struct slot *slot)
{
	if (!device_source_is_cached(reader->source, slot->read.offset, slot->read.bytes))
		return false;
	slot->got = 0; /* complete() reads all of it */
	deliver(reader, slot);
	return true;
}

/* --- threads --- */

static int read_one(void *item, unsigned worker, void *context)
{
	struct device_reader *reader = context;
	struct slot *slot = *(struct slot **)item;

	(void)worker;
	slot->got = device_source_pread(
		reader->source, slot->data, slot->read.bytes, slot->read.offset);
	deliver(reader, slot);
	return 0;
}

static int run_threads(struct device_reader *reader, device_next_fn next)
{
	const struct pool_options options = {
		.threads = READS_IN_FLIGHT,
		.item_bytes = sizeof(struct slot *),
		.capacity = reader->slot_count,
		.work = read_one,
		.drop = drop_one,
		.context = reader,
	};
	struct pool *readers;
	struct slot *slot;
	int rc = pool_new(&readers, &options);

	if (rc)
		return rc;
	while ((slot = take_free(reader, true))) {
		bool more = next(&slot->read, reader->context);

		if (more && deliver_cached(reader, slot))
			continue;
		if (!more || pool_push(readers, &slot)) {
			give_back(reader, slot);
			break;
		}
	}
	return pool_join(readers);
}

/* --- io_uring --- */

/* Prepares reads while there are buffers; waits for one only if nothing is in flight. */
static bool prepare_reads(struct device_reader *reader, device_next_fn next, unsigned *in_flight)
{
	while (*in_flight < READS_IN_FLIGHT) {
		struct slot *slot = take_free(reader, *in_flight == 0);
		struct io_uring_sqe *sqe;

		if (!slot)
			return *in_flight > 0;
		if (!next(&slot->read, reader->context)) {
			give_back(reader, slot);
			return false;
		}
		if (deliver_cached(reader, slot))
			continue;
		sqe = io_uring_get_sqe(&reader->ring);
		io_uring_prep_read(
			sqe, reader->source->fd, slot->data, slot->read.bytes, slot->read.offset);
		io_uring_sqe_set_data(sqe, slot);
		(*in_flight)++;
	}
	return true;
}

/* Hands all completions that are there to the workers. */
static unsigned reap(struct device_reader *reader)
{
	struct io_uring_cqe *cqe;
	unsigned reaped = 0;

	while (!io_uring_peek_cqe(&reader->ring, &cqe)) {
		struct slot *slot = io_uring_cqe_get_data(cqe);

		slot->got = cqe->res;
		io_uring_cqe_seen(&reader->ring, cqe);
		deliver(reader, slot);
		reaped++;
	}
	return reaped;
}

/* After an error of the ring itself: buffers may not go while the kernel reads into them. */
static void drain(struct device_reader *reader, unsigned in_flight)
{
	struct io_uring_cqe *cqe;

	in_flight -= io_uring_sq_ready(&reader->ring);
	for (; in_flight && !io_uring_wait_cqe(&reader->ring, &cqe); in_flight--)
		io_uring_cqe_seen(&reader->ring, cqe);
}

static int run_uring(struct device_reader *reader, device_next_fn next)
{
	unsigned in_flight = 0;
	bool more = true;

	while (more || in_flight) {
		int rc;

		if (more)
			more = prepare_reads(reader, next, &in_flight);
		if (!in_flight)
			break;
		rc = io_uring_submit_and_wait(&reader->ring, 1);
		if (rc < 0 && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY) {
			drain(reader, in_flight);
			return rc;
		}
		in_flight -= reap(reader);
	}
	return 0;
}

static bool open_ring(struct device_reader *reader)
{
	return io_uring_queue_init(READS_IN_FLIGHT, &reader->ring, 0) == 0;
}

/* --- the reader --- */

static int make_slots(struct device_reader *reader)
{
	size_t bytes = (size_t)reader->slot_count * DEVICE_BUFFER_BYTES;

	reader->slots = calloc(reader->slot_count, sizeof(*reader->slots));
	reader->free_slots = calloc(reader->slot_count, sizeof(*reader->free_slots));
	if (!reader->slots || !reader->free_slots ||
		posix_memalign((void **)&reader->memory, BUFFER_ALIGN_BYTES, bytes))
		return -ENOMEM;
	madvise(reader->memory, bytes, MADV_HUGEPAGE); /* fewer pages to pin for each read */
	for (unsigned i = 0; i < reader->slot_count; i++) {
		reader->slots[i].data = reader->memory + (size_t)i * DEVICE_BUFFER_BYTES;
		reader->free_slots[reader->free_count++] = &reader->slots[i];
	}
	return 0;
}

int device_reader_new(struct device_reader **result, const struct device_source *source,
	enum device_io io, unsigned workers)
{
	struct device_reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return -ENOMEM;
	reader->source = source;
	reader->workers = workers;
	reader->slot_count = READS_IN_FLIGHT + (unsigned)min_u64(2ULL * workers, MAX_SPARE_BUFFERS);
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->freed, NULL);
	rc = make_slots(reader);
	if (!rc && io == DEVICE_IO_URING)
		reader->uring = open_ring(reader);
	if (!rc && io == DEVICE_IO_URING && !reader->uring)
		rc = -EOPNOTSUPP;
	if (rc)
		device_reader_free(reader);
	else
		*result = reader;
	return rc;
}

void device_reader_free(struct device_reader *reader)
{
	if (!reader)
		return;
	if (reader->uring)
		io_uring_queue_exit(&reader->ring);
	pthread_cond_destroy(&reader->freed);
	pthread_mutex_destroy(&reader->lock);
	free(reader->free_slots);
	free(reader->slots);
	free(reader->memory);
	free(reader);
}

enum device_io device_reader_io(const struct device_reader *reader)
{
	return reader->uring ? DEVICE_IO_URING : DEVICE_IO_THREADS;
}

int device_reader_run(
	struct device_reader *reader, device_next_fn next, device_done_fn done, void *context)
{
	const struct pool_options options = {
		.threads = reader->workers,
		.item_bytes = sizeof(struct slot *),
		.capacity = reader->slot_count,
		.work = parse_one,
		.drop = drop_one,
		.context = reader,
	};
	int rc, parse_rc;

	reader->done = done;
	reader->context = context;
	reader->stopped = false;
	rc = pool_new(&reader->parse, &options);
	if (rc)
		return rc;
	rc = reader->uring ? run_uring(reader, next) : run_threads(reader, next);
	parse_rc = pool_join(reader->parse);
	return parse_rc ? parse_rc : rc;
}
