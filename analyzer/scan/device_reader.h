/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many reads of one source, several in flight, each handed to a worker when it is there.
 *
 * Reads are started in the order given, which should be that of the disk. They go through threads
 * that wait in pread(2), or through io_uring. Threads are the default: pinning the pages of a large
 * read is work that they share and one ring's thread does alone. What of an image is cached, the
 * worker that takes it copies itself, whatever the way of reading.
 * Memory is a fixed number of buffers: a read starts when one is free.
 */
#ifndef ANALYZER_SCAN_DEVICE_READER_H
#define ANALYZER_SCAN_DEVICE_READER_H

#include "analyzer/scan/device_source.h"

#define DEVICE_BUFFER_BYTES (1U << 20) /* the longest read */

enum device_io {
	DEVICE_IO_AUTO, /* threads */
	DEVICE_IO_URING,
	DEVICE_IO_THREADS,
};

/* A read, and two numbers that the caller knows it by. */
struct device_read {
	uint64_t offset; /* a multiple of source->align_bytes */
	uint32_t bytes;  /* likewise, above 0 and at most DEVICE_BUFFER_BYTES */
	uint32_t first;
	uint32_t count;
};

/* What a read got. */
struct device_surroundings {
	const struct device_read *read;
	const void *data;
	ssize_t got; /* bytes at data, or a negative errno */
};

/* Fills in the next read; false: there are no more. Called by the thread in device_reader_run(). */
typedef bool (*device_next_fn)(struct device_read *read, void *context);

/*
 * Takes what was read: @got bytes at @data, valid during the call, fewer than asked for at the
 * source's end or before a bad place; or a negative errno. Called by worker @worker of those asked
 * for. Returns 0, or a negative errno that ends the run.
 */
typedef int (*device_done_fn)(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context);

struct device_reader;

/*
 * A reader of @source, which must outlive it, with @workers workers. Returns 0; -ENOMEM;
 * -EOPNOTSUPP if @io is DEVICE_IO_URING and the kernel refuses.
 */
int device_reader_new(struct device_reader **reader, const struct device_source *source,
	enum device_io io, unsigned workers);
void device_reader_free(struct device_reader *reader);

/* The way of reading that is used: never DEVICE_IO_AUTO. */
enum device_io device_reader_io(const struct device_reader *reader);

/* Does all reads that @next gives. Returns when all are done: 0, or the first error. */
int device_reader_run(
	struct device_reader *reader, device_next_fn next, device_done_fn done, void *context);

#endif
