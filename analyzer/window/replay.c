// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See replay.h. docs/dump-model.md lists the calls, as read in xfsdump's sources and seen with
 * strace. Time runs from one mark to the next, so that what only calibration does (asking for
 * cached pages, dropping them) falls between marks and counts nowhere.
 */
#include "analyzer/window/replay.h"

#include "analyzer/census/dump_layout.h"
#include "analyzer/census/dump_stream.h"
#include "analyzer/window/stream.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR_BYTES     512
#define ALIGN_FROM_BYTES 32768 /* xfsdump aligns extents from here on to a page */
#define DIRENT_BUFFER    8192
#define ATTR_VALUE_BYTES 65536
#define SYMLINK_BYTES    1024
#define MAX_KEPT_FILES   65536
#define HEAD_BYTES       (1ULL << 20)
#define HEAD_MIN_REST    3.0 /* heads; after less, speed is not known */

/* A file of which pages were read into the page cache. */
struct kept_file {
	uint64_t ino;
	uint32_t generation;
};

struct replay {
	const struct xfs_handle_base *base;
	uint64_t keep_bytes; /* when to drop what is kept */
	uint64_t kept_bytes;
	unsigned kept_count;
	struct kept_file kept[MAX_KEPT_FILES];
	struct stream stream;
	struct dump_position position; /* of a dump of what was replayed so far */
	struct replay_attrs seen[2];   /* attributes, by whether they are in blocks */
	int64_t mark_ns;               /* where the running interval began */
	double cpu_mark_seconds;       /* of the thread, when the last file or look-up began */
	double cpu_seconds;            /* of the files that count, and all of their seconds */
	double seconds;
	unsigned extent_count;
	struct xfs_extent extents[XFS_EXTENT_BATCH];
	_Alignas(64) char scratch[XFS_EXTENT_SCRATCH_BYTES];
	_Alignas(64) char attrs[XFS_ATTR_BUFFER_BYTES];
	char value[ATTR_VALUE_BYTES];
	_Alignas(64) char dirents[DIRENT_BUFFER];
};

struct linux_dirent {
	uint64_t ino;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

/* A quarter of the memory that nobody uses, within limits. */
static uint64_t keep_limit(long page_bytes)
{
	long pages = sysconf(_SC_AVPHYS_PAGES);
	uint64_t quarter = pages > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 4 : 0;

	return min_u64(max_u64(quarter, REPLAY_KEEP_MIN_BYTES), REPLAY_KEEP_MAX_BYTES);
}

int replay_new(struct replay **result, const struct xfs_handle_base *base)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int rc;

	if (!replay)
		return -ENOMEM;
	replay->base = base;
	replay->keep_bytes = keep_limit(sysconf(_SC_PAGESIZE));
	rc = stream_init(&replay->stream);
	if (rc) {
		free(replay);
		return rc;
	}
	*result = replay;
	return 0;
}

/* Drops what was kept. A file that is gone took its pages along. */
static void drop_kept(struct replay *replay)
{
	for (unsigned i = 0; i < replay->kept_count; i++) {
		const struct kept_file *file = &replay->kept[i];
		autoclose int fd = xfs_handle_open(replay->base, file->ino, file->generation);

		if (fd >= 0)
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	replay->kept_count = 0;
	replay->kept_bytes = 0;
}

static void keep(struct replay *replay, const struct xfs_inode *inode, uint64_t bytes)
{
	if (!bytes)
		return;
	replay->kept[replay->kept_count++] =
		(struct kept_file){.ino = inode->ino, .generation = inode->generation};
	replay->kept_bytes += bytes;
	if (replay->kept_count == MAX_KEPT_FILES || replay->kept_bytes >= replay->keep_bytes)
		drop_kept(replay);
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	drop_kept(replay);
	stream_fini(&replay->stream);
	free(replay);
}

static void mark(struct replay *replay)
{
	replay->mark_ns = clock_monotonic_ns();
}

/* Adds the time since the last mark to @seconds, and sets the next. */
static void mark_into(struct replay *replay, double *seconds)
{
	int64_t now = clock_monotonic_ns();

	*seconds += (double)(now - replay->mark_ns) / NS_PER_SECOND;
	replay->mark_ns = now;
}

static void begin_computing(struct replay *replay)
{
	replay->cpu_mark_seconds = clock_thread_cpu_seconds();
}

static void end_computing(struct replay *replay)
{
	replay->cpu_seconds += clock_thread_cpu_seconds() - replay->cpu_mark_seconds;
}

double replay_cpu_share(const struct replay *replay)
{
	return replay->seconds > 0 ? fmin(1, replay->cpu_seconds / replay->seconds) : 0;
}

/* Whether any page of the @length bytes (> 0) from @offset on is in the page cache. */
static bool is_cached(int fd, uint64_t offset, uint64_t length)
{
	uint64_t cached, pages;

	return !page_cache_count(fd, offset, length, &cached, &pages) && cached > 0;
}

/* Reads @length bytes at @offset into the stream, record by record, zeros past the end of file. */
static int read_extent(struct replay *replay, int fd, uint64_t offset, uint64_t length,
	struct replay_result *result)
{
	while (length) {
		size_t part;
		void *room = stream_room(&replay->stream, length, &part);
		ssize_t got;

		if (lseek(fd, (off_t)offset, SEEK_SET) < 0)
			return -errno;
		got = read(fd, room, part);
		if (got < 0)
			return -errno;
		memset((char *)room + got, 0, part - (size_t)got);
		stream_filled(&replay->stream, part);
		result->bytes += (uint64_t)got;
		if (!result->head_bytes && result->bytes >= HEAD_BYTES) {
			mark_into(replay, &result->data_seconds);
			result->head_bytes = result->bytes;
			result->head_seconds = result->data_seconds;
		}
		offset += part;
		length -= part;
	}
	return 0;
}

/* What of a file is to be read. */
struct piece {
	uint64_t skip_bytes;        /* of its data, not yet passed over */
	uint64_t limit_bytes;       /* of data to read at most */
	struct dump_layout *layout; /* of the whole file */
	bool unchecked;             /* nobody has looked yet whether it is in the page cache */
};

/* Whether the piece, which begins with @length bytes at @offset, was in the page cache. */
static bool piece_cached(struct replay *replay, int fd, uint64_t offset, uint64_t length,
	struct piece *piece, struct replay_result *result)
{
	if (piece->unchecked) {
		end_computing(replay);
		result->cached = is_cached(fd, offset, length);
		piece->unchecked = false;
		begin_computing(replay);
		mark(replay);
	}
	return result->cached;
}

/* Dumps of one extent, which starts below the end of file, what is of the piece. */
static int dump_extent(struct replay *replay, int fd, const struct xfs_inode *inode,
	const struct xfs_extent *extent, struct piece *piece, struct replay_result *result)
{
	uint64_t in_file = inode->size_bytes - extent->offset_bytes;
	uint64_t length = min_u64(extent->length_bytes, round_up_u64(in_file, SECTOR_BYTES));
	uint64_t room = piece->limit_bytes - min_u64(piece->limit_bytes, result->bytes);
	uint64_t skip = min_u64(piece->skip_bytes, length), offset = extent->offset_bytes + skip;
	int rc;

	result->data_bytes = sat_add_u64(result->data_bytes, min_u64(length, in_file));
	piece->skip_bytes -= skip;
	length = min_u64(length - skip, room);
	if (!length)
		return 0;
	mark_into(replay, &result->file_seconds);
	if (piece_cached(replay, fd, offset, length, piece, result))
		return 0;
	if (length >= ALIGN_FROM_BYTES)
		stream_align(&replay->stream, inode->ino);
	stream_header(&replay->stream, STREAM_HEADER_BYTES, inode->ino, offset);
	mark_into(replay, &result->file_seconds);
	rc = read_extent(replay, fd, offset, length, result);
	mark_into(replay, &result->data_seconds);
	return rc;
}

/* The whole file, a batch of extents after the other. */
static int dump_data(struct replay *replay, int fd, const struct xfs_inode *inode,
	struct piece *piece, struct replay_result *result)
{
	uint64_t offset = 0;

	while (offset < inode->size_bytes) {
		int rc = xfs_map_extents(
			fd, offset, replay->scratch, replay->extents, &replay->extent_count);

		if (rc || !replay->extent_count)
			return rc;
		for (unsigned i = 0; i < replay->extent_count; i++) {
			const struct xfs_extent *extent = &replay->extents[i];
			uint64_t end = sat_add_u64(extent->offset_bytes, extent->length_bytes);

			if (!extent->hole && extent->length_bytes)
				dump_layout_extent(
					piece->layout, extent->offset_bytes, extent->length_bytes);
			if (extent->hole)
				stream_header(&replay->stream, STREAM_HEADER_BYTES, inode->ino,
					extent->offset_bytes);
			else if (extent->offset_bytes < inode->size_bytes)
				rc = dump_extent(replay, fd, inode, extent, piece, result);
			if (rc)
				return rc;
			if (end <= offset)
				return 0;
			offset = end;
		}
	}
	return 0;
}

/*
 * One namespace of an inode's attributes: the names by list, each value by name. What they take in
 * a dump is added to @stream_bytes.
 */
static int dump_attr_namespace(struct replay *replay, const struct xfs_inode *inode,
	enum xfs_attr_namespace space, uint64_t *stream_bytes)
{
	struct xfs_attr_cursor cursor = {0};
	unsigned count;
	int more;

	do {
		int rc = xfs_handle_attrs(replay->base, inode->ino, inode->generation, space,
			&cursor, replay->attrs, &count, &more);

		if (rc)
			return rc;
		for (unsigned i = 0; i < count; i++) {
			uint32_t length;
			const char *name = xfs_attr_name(replay->attrs, i, &length);

			length = (uint32_t)min_u64(length, ATTR_VALUE_BYTES);
			*stream_bytes += dump_stream_attr_bytes(strlen(name), length);
			xfs_handle_attr_value(replay->base, inode->ino, inode->generation, space,
				name, replay->value, length);
			stream_header(&replay->stream, STREAM_HEADER_BYTES, inode->ino, length);
			stream_put(&replay->stream, replay->value, length);
		}
	} while (more && count);
	return 0;
}

static void dump_attrs(struct replay *replay, const struct xfs_inode *inode)
{
	struct replay_attrs *seen = &replay->seen[inode->attr_extents > 0];
	int64_t start_ns = clock_monotonic_ns();
	uint64_t before;

	if (!inode->attr_fork)
		return;
	before = seen->stream_bytes;
	seen->inodes++;
	seen->stream_bytes += DUMP_STREAM_EMPTY_ATTRS_BYTES;
	stream_header(&replay->stream, STREAM_FILE_HEADER_BYTES, inode->ino, 1);
	for (int space = 0; space < XFS_ATTR_NAMESPACES; space++)
		if (dump_attr_namespace(
			    replay, inode, (enum xfs_attr_namespace)space, &seen->stream_bytes))
			break;
	stream_header(&replay->stream, STREAM_HEADER_BYTES, inode->ino, 0);
	seen->seconds += clock_seconds_since(start_ns);
	if (!S_ISDIR(inode->mode))
		dump_position_pass(&replay->position, seen->stream_bytes - before);
}

const struct replay_attrs *replay_attrs(const struct replay *replay, bool in_blocks)
{
	return &replay->seen[in_blocks];
}

void replay_spread_head(struct replay_result *result)
{
	double rest_bytes = (double)result->bytes - (double)result->head_bytes, extra;

	if (!result->head_bytes || rest_bytes < HEAD_MIN_REST * (double)result->head_bytes ||
		result->bytes >= result->data_bytes)
		return;
	extra = result->head_seconds - (result->data_seconds - result->head_seconds) *
					       (double)result->head_bytes / rest_bytes;
	result->data_seconds -= extra * (1 - (double)result->bytes / (double)result->data_bytes);
}

/* Dumps @piece of a file; in the cache if any page of the file is, unless the piece is asked. */
static int dump_file(struct replay *replay, const struct xfs_inode *inode, struct piece *piece,
	struct replay_result *result)
{
	double computed = replay->cpu_seconds;
	struct dump_layout layout;
	int fd, rc;

	*result = (struct replay_result){0};
	begin_computing(replay);
	mark(replay);
	fd = xfs_handle_open(replay->base, inode->ino, inode->generation);
	if (fd < 0)
		return fd;
	mark_into(replay, &result->file_seconds);
	end_computing(replay);
	if (!piece->unchecked && inode->size_bytes)
		result->cached = is_cached(fd, 0, inode->size_bytes);
	if (result->cached) {
		replay->cpu_seconds = computed;
		close(fd);
		return 0;
	}
	begin_computing(replay);
	mark(replay);
	stream_header(&replay->stream, STREAM_FILE_HEADER_BYTES, inode->ino, inode->size_bytes);
	dump_layout_begin(&layout, &replay->position, inode->size_bytes);
	piece->layout = &layout;
	rc = dump_data(replay, fd, inode, piece, result);
	result->stream_bytes = dump_layout_end(&layout);
	stream_header(&replay->stream, STREAM_HEADER_BYTES, inode->ino, 0);
	close(fd);
	dump_attrs(replay, inode);
	mark_into(replay, &result->file_seconds);
	end_computing(replay);
	if (rc || result->cached)
		replay->cpu_seconds = computed;
	else
		replay->seconds += result->file_seconds + result->data_seconds;
	replay_spread_head(result);
	keep(replay, inode, result->bytes);
	return rc;
}

int replay_file(struct replay *replay, const struct xfs_inode *inode, uint64_t limit_bytes,
	struct replay_result *result)
{
	struct piece piece = {.limit_bytes = limit_bytes};

	return dump_file(replay, inode, &piece, result);
}

int replay_piece(struct replay *replay, const struct xfs_inode *inode, uint64_t skip_bytes,
	uint64_t limit_bytes, struct replay_result *result)
{
	struct piece piece = {
		.skip_bytes = skip_bytes, .limit_bytes = limit_bytes, .unchecked = true};

	return dump_file(replay, inode, &piece, result);
}

int replay_special(struct replay *replay, const struct xfs_inode *inode, double *seconds)
{
	int length = 0;

	*seconds = 0;
	mark(replay);
	if (S_ISLNK(inode->mode))
		length = xfs_handle_readlink(
			replay->base, inode->ino, inode->generation, replay->value, SYMLINK_BYTES);
	if (length < 0)
		return length;
	dump_position_pass(&replay->position, S_ISLNK(inode->mode)
						      ? dump_stream_symlink_bytes((uint64_t)length)
						      : DUMP_STREAM_FILE_BYTES);
	stream_header(&replay->stream, STREAM_FILE_HEADER_BYTES, inode->ino, 0);
	stream_put(&replay->stream, replay->value, (size_t)length);
	dump_attrs(replay, inode);
	mark_into(replay, seconds);
	return 0;
}

/* Puts the entries of a buffer that getdents64() filled. */
static void dump_entries(struct replay *replay, size_t length)
{
	size_t at = 0;

	while (at + sizeof(struct linux_dirent) <= length) {
		const struct linux_dirent *entry = (const void *)(replay->dirents + at);

		if (!entry->length)
			return;
		stream_header(&replay->stream, STREAM_HEADER_BYTES, entry->ino, entry->type);
		stream_put(&replay->stream, entry->name, strlen(entry->name));
		at += entry->length;
	}
}

int replay_directory(
	struct replay *replay, const struct xfs_inode *inode, uint64_t *bytes, double *seconds)
{
	long got;
	int fd, rc;

	*bytes = 0;
	*seconds = 0;
	mark(replay);
	fd = xfs_handle_open(replay->base, inode->ino, inode->generation);
	if (fd < 0)
		return fd;
	stream_header(&replay->stream, STREAM_FILE_HEADER_BYTES, inode->ino, 0);
	while ((got = syscall(SYS_getdents64, fd, replay->dirents, DIRENT_BUFFER)) > 0) {
		*bytes += (uint64_t)got;
		dump_entries(replay, (size_t)got);
	}
	rc = got < 0 ? -errno : 0;
	dump_attrs(replay, inode);
	close(fd);
	mark_into(replay, seconds);
	return rc;
}
