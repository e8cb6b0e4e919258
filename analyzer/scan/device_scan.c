// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_scan.h. The plan gives windows of chunks in the order of the disk. Of a window,
 * next_chunks() makes reads: chunks that lie near each other become one, up to a buffer. Workers
 * take the inodes out of what was read; what is missing or bad there is read again by itself.
 */
#include "analyzer/scan/device_scan.h"

#include "analyzer/scan/device_again.h"
#include "analyzer/scan/device_attrs.h"
#include "analyzer/scan/device_dirs.h"
#include "analyzer/scan/device_listing.h"
#include "analyzer/scan/device_measure.h"
#include "analyzer/scan/device_plan.h"
#include "analyzer/scan/device_super.h"
#include "analyzer/xfs/disk/inode.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A gap is worth reading through while that takes less time than another request: 8 ms at 150 MB/s
 * on a spinning disk; elsewhere, with several requests in flight, 250 µs at 250 MB/s. What a disk
 * says of itself is not believed, since virtual ones say anything: it is asked for a few sectors.
 */
#define GAP_SEEKING_BYTES MIB
#define GAP_OTHER_BYTES   (64 * KIB)
#define SEEKING_FROM_NS   2000000

/* The window at hand. */
struct window {
	struct device_scan *scan;
	const struct inode_set *skip; /* inodes left to others; NULL: none */
	struct device_chunk *chunks;
	size_t count;
	size_t next; /* first chunk that no read covers yet */
	uint64_t gap_bytes;
	struct device_dirs *dirs; /* NULL: no directories */
	struct device_attrs *attrs;
};

/* --- From chunks to reads --- */

/* The bytes from the first inode of a chunk that is wanted to the last; the chunk has one. */
static void chunk_span(const struct device_scan *scan, const struct device_chunk *chunk,
	uint64_t *start, uint64_t *end)
{
	const struct disk_super *super = scan->super;
	uint32_t align = scan->source->align_bytes;
	unsigned low = (unsigned)__builtin_ctzll(chunk->used);
	unsigned high = 63 - (unsigned)__builtin_clzll(chunk->used);
	uint64_t base = disk_super_inode_offset(super, chunk->agno, chunk->first);

	*start = (base + ((uint64_t)low << super->inode_log)) / align * align;
	*end = round_up_u64(base + ((high + 1ULL) << super->inode_log), align);
}

/* Leaves out the inodes of the skip set and those of nobody; whether something is left. */
static bool want_chunk(const struct window *window, struct device_chunk *chunk)
{
	uint64_t first = disk_super_ino(window->scan->super, chunk->agno, chunk->first);

	chunk->used &= ~disk_super_internal_mask(window->scan->super, first);
	if (window->skip)
		chunk->used &= ~inode_set_mask(window->skip, first);
	return chunk->used != 0;
}

/*
 * A read that is full, up to the next chunk at most: directories have their blocks in gaps, which
 * would have been read through if there were room.
 */
static uint64_t gap_end(
	const struct window *window, uint64_t start, uint64_t end, uint64_t chunk_start)
{
	if (!window->dirs)
		return end;
	return min_u64(chunk_start, start + DEVICE_BUFFER_BYTES);
}

static bool next_chunks(struct device_read *read, void *context)
{
	struct window *window = context;
	uint64_t start = 0, end = 0;
	size_t first = window->next;

	if (progress_cancelled(window->scan->progress) || device_attrs_full(window->attrs) ||
		(window->dirs && device_dirs_full(window->dirs)))
		return false;
	for (; window->next < window->count; window->next++) {
		struct device_chunk *chunk = &window->chunks[window->next];
		uint64_t chunk_start, chunk_end;

		if (!want_chunk(window, chunk))
			continue;
		chunk_span(window->scan, chunk, &chunk_start, &chunk_end);
		if (!end)
			start = chunk_start;
		else if (chunk_start > end + window->gap_bytes)
			break;
		else if (chunk_end - start > DEVICE_BUFFER_BYTES) {
			end = gap_end(window, start, end, chunk_start);
			break;
		}
		end = chunk_end;
	}
	if (!end)
		return false;
	*read = (struct device_read){
		.offset = start,
		.bytes = (uint32_t)(end - start),
		.first = (uint32_t)first,
		.count = (uint32_t)(window->next - first),
	};
	window->scan->read_bytes += read->bytes;
	return true;
}

/* --- From reads to inodes --- */

/* One inode on its way from the disk to the sink. */
struct arrival {
	const struct device_scan *scan;
	const struct device_chunk *chunk;
	uint64_t ino;
	struct xfs_inode inode;
	struct device_positions *positions; /* of a dump, as far as they are known in the chunk */
	struct dump_measure measure;
	struct device_dirs *dirs;
	struct device_attrs *attrs;
	const struct device_surroundings *around;
	char forks[DISK_INODE_MAX_BYTES]; /* the inode as it lies on the disk, if that is wanted */
};

static bool wants_names(const struct arrival *arrival)
{
	return arrival->dirs && S_ISDIR(arrival->inode.mode);
}

static bool wants_attrs(const struct arrival *arrival)
{
	return arrival->inode.nlink && arrival->measure.attrs == DUMP_ATTRS_BLOCKS &&
	       device_attrs_sampled(arrival->ino, arrival->scan->super->inodes);
}

static int check_inode(const void *data, void *context, struct err *err)
{
	struct arrival *arrival = context;
	const struct disk_super *super = arrival->scan->super;
	int state = disk_inode_parse(&arrival->inode, super, arrival->ino, data, err);

	if (state == DISK_INODE_FREE && arrival->scan->settled)
		return err_set(err, -EUCLEAN, "the inode tree has it in use, but it is free");
	if (state != DISK_INODE_USED)
		return state;
	device_measure(arrival->positions, super, &arrival->inode, data, &arrival->measure);
	if (wants_names(arrival) || wants_attrs(arrival))
		memcpy(arrival->forks, data, super->inode_bytes);
	return state;
}

/* Nonsense is an inode's own failure, what could not be read at all the chunk's. */
static void tell_inode(const struct arrival *arrival, const struct err *err, unsigned worker)
{
	const struct device_sink *sink = arrival->scan->sink;
	bool parsed = err->code == -EBADMSG || err->code == -EUCLEAN;
	char what[ERR_MESSAGE_BYTES + 64];

	if (parsed)
		snprintf(what, sizeof(what), "AG %u, inode %" PRIu64 ": %s", arrival->chunk->agno,
			arrival->ino, err->message);
	else
		snprintf(what, sizeof(what), "AG %u, inode %" PRIu64 " of chunk %" PRIu64 ": %s",
			arrival->chunk->agno, arrival->ino,
			disk_super_ino(
				arrival->scan->super, arrival->chunk->agno, arrival->chunk->first),
			err->message);
	sink->failure(parsed ? FAILURE_INODE : FAILURE_INODE_CHUNK, 1, err->code, what, worker,
		sink->context);
}

static int inode_failed(const struct arrival *arrival, const struct err *err, unsigned worker)
{
	const struct device_sink *sink = arrival->scan->sink;

	if (err->code == -ENOMEM)
		return -ENOMEM;
	if (!sink->ask || sink->ask(arrival->ino, worker, sink->context))
		tell_inode(arrival, err, worker);
	return 0;
}

static int take_used(const struct arrival *arrival, unsigned worker)
{
	const struct device_sink *sink = arrival->scan->sink;
	int rc;

	if (wants_attrs(arrival))
		rc = device_attrs_note(arrival->attrs, &arrival->inode, &arrival->measure,
			arrival->forks, arrival->around, worker);
	else
		rc = sink->inode(&arrival->inode, &arrival->measure, worker, sink->context);
	if (!rc && wants_names(arrival))
		rc = device_dirs_note(
			arrival->dirs, &arrival->inode, arrival->forks, arrival->around, worker);
	return rc;
}

static int take_inode(const struct window *window, const struct device_chunk *chunk, unsigned bit,
	const struct device_surroundings *around, struct device_positions *positions,
	unsigned worker)
{
	const struct device_scan *scan = window->scan;
	struct arrival arrival;
	struct device_piece piece = {
		.offset = disk_super_inode_offset(scan->super, chunk->agno, chunk->first) +
			  ((uint64_t)bit << scan->super->inode_log),
		.bytes = scan->super->inode_bytes,
		.check = check_inode,
		.context = &arrival,
	};
	struct err err;
	int state;

	arrival.scan = scan;
	arrival.chunk = chunk;
	arrival.ino = disk_super_ino(scan->super, chunk->agno, chunk->first) + bit;
	arrival.positions = positions;
	arrival.dirs = window->dirs;
	arrival.attrs = window->attrs;
	arrival.around = around;
	err.code = 0;
	state = device_check(scan, &piece,
		device_piece_in(&piece, around->read, around->data, around->got), &err);
	if (state < 0)
		return inode_failed(&arrival, &err, worker);
	return state == DISK_INODE_USED ? take_used(&arrival, worker) : 0;
}

static int take_chunks(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context)
{
	const struct device_surroundings around = {read, data, got};
	const struct window *window = context;
	uint64_t taken = 0;
	int rc = 0;

	for (uint32_t i = read->first; i < read->first + read->count && !rc; i++) {
		const struct device_chunk *chunk = &window->chunks[i];
		struct device_positions positions = {0};

		for (uint64_t left = chunk->used; left && !rc; left &= left - 1)
			rc = take_inode(window, chunk, (unsigned)__builtin_ctzll(left), &around,
				&positions, worker);
		taken += (unsigned)__builtin_popcountll(chunk->used);
	}
	if (!rc && window->dirs)
		rc = device_dirs_take_near(window->dirs, &around, worker);
	progress_add(window->scan->progress, taken);
	return rc;
}

/* --- The scan --- */

static uint64_t gap_of(const struct device_scan *scan)
{
	if (scan->options->gap_bytes)
		return scan->options->gap_bytes;
	return device_source_seek_ns(scan->source) < SEEKING_FROM_NS ? GAP_OTHER_BYTES
								     : GAP_SEEKING_BYTES;
}

static void count_wanted(struct device_scan *scan, const struct window *window)
{
	for (size_t i = 0; i < window->count; i++)
		scan->inode_bytes += (uint64_t)__builtin_popcountll(window->chunks[i].used)
				     << scan->super->inode_log;
}

/* Reads the chunks of a window, and what waits to be read whenever that is enough. */
static int read_window(struct window *window, struct device_reader *reader)
{
	int rc;

	window->next = 0;
	do {
		rc = device_reader_run(reader, next_chunks, take_chunks, window);
		if (!rc && device_attrs_full(window->attrs))
			rc = device_attrs_read(window->attrs);
		if (!rc && window->dirs && device_dirs_full(window->dirs))
			rc = device_dirs_read(window->dirs);
	} while (
		!rc && window->next < window->count && !progress_cancelled(window->scan->progress));
	if (!rc)
		count_wanted(window->scan, window);
	if (!rc && progress_cancelled(window->scan->progress))
		rc = -ECANCELED;
	return rc;
}

/* Reads what is left of attributes and directories. */
static int read_rest(const struct window *window)
{
	int rc = device_attrs_read(window->attrs);

	if (!rc && window->dirs)
		rc = device_dirs_read(window->dirs);
	return !rc && progress_cancelled(window->scan->progress) ? -ECANCELED : rc;
}

/* All there is lies on the device. */
static int scan_disk(struct window *window, struct device_reader *reader)
{
	struct device_scan *scan = window->scan;
	struct device_plan *plan;
	int rc = device_plan_new(&plan, scan, reader);

	if (rc)
		return rc;
	do {
		rc = device_plan_next(plan, &window->chunks, &window->count);
		if (!rc)
			rc = read_window(window, reader);
	} while (!rc && window->count);
	if (!rc)
		rc = read_rest(window);
	scan->chunks = device_plan_records(plan);
	device_plan_free(plan);
	return rc;
}

/* The order of the steps is what makes it exact; see device_live. */
static int scan_mounted(struct window *window, struct device_reader *reader, struct err *err)
{
	struct device_scan *scan = window->scan;
	const struct device_live *live = scan->live;
	struct device_listing *listing;
	int rc = device_listing_new(&listing, scan);

	if (rc)
		return rc;
	while (!rc) {
		uint64_t first, end;

		rc = device_listing_next(listing, &window->chunks, &window->count, &first, &end);
		if (rc || first == end)
			break;
		rc = live->collect(&window->skip, live->context, err);
		if (!rc)
			rc = read_window(window, reader);
		if (!rc)
			rc = read_rest(window);
		if (!rc)
			rc = live->take(first, end, live->context, err);
	}
	scan->chunks = device_listing_records(listing);
	device_listing_free(listing);
	return rc;
}

/* No kernel mounts version 1 of directories any more: said once, and they are left out. */
static bool wants_directories(const struct device_scan *scan)
{
	if (!scan->options->directories || !scan->sink->entry)
		return false;
	if (!scan->super->dir_v1)
		return true;
	scan->sink->failure(FAILURE_READ_DIRECTORY, 0, -EOPNOTSUPP,
		"the filesystem has directories of version 1, which are not known here", 0,
		scan->sink->context);
	return false;
}

static int scan_with(struct device_scan *scan, struct device_reader *reader, struct err *err)
{
	struct window window = {.scan = scan, .gap_bytes = gap_of(scan)};
	int rc;

	scan->io = device_reader_io(reader);
	device_super_tell(scan);
	rc = device_attrs_new(&window.attrs, scan, reader, window.gap_bytes);
	if (!rc && wants_directories(scan))
		rc = device_dirs_new(&window.dirs, scan, reader, window.gap_bytes);
	if (!rc)
		rc = scan->live ? scan_mounted(&window, reader, err) : scan_disk(&window, reader);
	if (window.attrs)
		scan->attr_bytes = device_attrs_read_bytes(window.attrs);
	if (window.dirs)
		scan->directory_bytes = device_dirs_read_bytes(window.dirs);
	device_attrs_free(window.attrs);
	device_dirs_free(window.dirs);
	return rc;
}

int device_scan_run(struct device_scan *scan, struct err *err)
{
	struct device_reader *reader = NULL;
	int rc = device_reader_new(&reader, scan->source, scan->options->io, scan->workers);

	if (rc == -EOPNOTSUPP)
		return err_set(err, rc, "the kernel refuses io_uring");
	if (!rc)
		rc = scan_with(scan, reader, err);
	device_reader_free(reader);
	if (rc == -ENOMEM)
		return err_set(err, rc, "out of memory while reading the device");
	if (rc == -EAGAIN)
		return err_set(err, rc,
			"no more threads can be started to read the device: a limit of memory or "
			"processes is reached (see --jobs)");
	return rc ? err_set_errno(err, rc, "reading the device") : 0;
}
