// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file as a sink.
 *
 * A dump to a file does not wait for the disk until the kernel holds so many dirty pages that it
 * makes writers wait; in the long run it is as fast as the disk below. To write until then would
 * crowd out what others have in memory, so the two are found apart: what the disk takes by writing
 * pieces that are waited for, and what memory takes from the kernel's own limit.
 *
 * The file has no name from the moment it is made, so that nothing is left however this ends.
 */
#include "analyzer/window/sink_measure.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PIECE_MIN_BYTES (16 * MIB)
#define PIECE_MAX_BYTES (256 * MIB)
#define PIECE_SECONDS   0.5 /* of waiting for the disk, so that the last moments matter little */
#define FREE_PART       4   /* of the free space, one in so many bytes is written at most */

/* A file without a name in @folder. Where the filesystem cannot make one, its name goes at once. */
static int open_unnamed(const char *folder)
{
	autofree char *path = NULL;
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (asprintf(&path, "%s/.xfscensus-sink-XXXXXX", folder) < 0) {
		path = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Opens a file where @path leads: in it if it is a folder, else where it would be made. */
static int open_beside(const char *path, struct err *err)
{
	autofree char *copy = strdup(path);
	const char *folder = path;
	struct stat stat_buffer;
	int fd;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	if (stat(path, &stat_buffer))
		folder = dirname(copy);
	else if (!S_ISDIR(stat_buffer.st_mode))
		return err_set(err, -EEXIST,
			"sink file:%s: it exists, and nothing is overwritten to measure it: name a "
			"folder, or a file that is not there yet",
			path);
	fd = open_unnamed(folder);
	return fd >= 0 ? fd
		       : err_set_errno(err, -errno, "sink file:%s: cannot make a file in %s", path,
				 folder);
}

/* What may be written: a part of what is free, so that nobody runs out of space. */
static uint64_t room_bytes(int fd)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return 0;
	return sat_mul_u64(fs.f_bavail, fs.f_frsize) / FREE_PART;
}

/* Dirty bytes from which on the kernel makes writers wait; 0 if it does not tell. */
static uint64_t dirty_limit_bytes(void)
{
	FILE *file = fopen("/proc/vmstat", "re");
	unsigned long long pages, background = 0, threshold = 0;
	char line[80];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "nr_dirty_threshold %llu", &pages) == 1)
			threshold = pages;
		else if (sscanf(line, "nr_dirty_background_threshold %llu", &pages) == 1)
			background = pages;
	}
	fclose(file);
	/* The kernel lets writers run free up to the middle of the two. */
	return sat_mul_u64((background + threshold) / 2, (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Writes whole records up to @bytes and waits for the disk. Returns 0 or a negative errno. */
static int write_piece(
	struct sink *sink, int fd, struct sink_records *records, uint64_t bytes, uint64_t *written)
{
	double cpu_seconds = clock_thread_cpu_seconds();
	uint64_t done = 0;

	for (; done < bytes; done += SINK_RECORD_BYTES) {
		ssize_t put = write(fd, sink_records_next(records), SINK_RECORD_BYTES);

		if (put < 0)
			return -errno;
		if (put < SINK_RECORD_BYTES)
			return -ENOSPC;
	}
	sink->record_seconds += clock_thread_cpu_seconds() - cpu_seconds;
	*written += done;
	return fdatasync(fd) ? -errno : 0;
}

/* Writes pieces, larger ones while they take little time, until it is enough. */
static int write_pieces(
	struct sink *sink, int fd, struct sink_records *records, const struct sink_limits *limits)
{
	int64_t start_ns = clock_monotonic_ns();
	uint64_t room = room_bytes(fd), piece = PIECE_MIN_BYTES, written = 0;

	do {
		int64_t piece_ns = clock_monotonic_ns();
		int rc;

		if (written + piece > room)
			return written ? 0 : -ENOSPC;
		rc = write_piece(sink, fd, records, piece, &written);
		if (rc)
			return rc;
		sink->measured_bytes = written;
		sink->measured_seconds = clock_seconds_since(start_ns);
		progress_add(limits->progress, piece);
		if (progress_cancelled(limits->progress))
			return -ECANCELED;
		if (clock_seconds_since(piece_ns) < PIECE_SECONDS && piece < PIECE_MAX_BYTES)
			piece *= 2;
	} while (sink->measured_seconds < limits->seconds);
	return 0;
}

int sink_measure_file(
	struct sink *sink, const char *path, const struct sink_limits *limits, struct err *err)
{
	struct sink_records records;
	autoclose int fd = open_beside(path, err);
	int rc;

	if (fd < 0)
		return fd;
	rc = sink_records_init(&records);
	if (!rc)
		rc = write_pieces(sink, fd, &records, limits);
	sink_records_fini(&records);
	if (rc == -ECANCELED)
		return rc;
	if (rc)
		return err_set_errno(err, rc, "sink file:%s: cannot write to measure it", path);
	sink->bytes_per_second = (double)sink->measured_bytes / sink->measured_seconds;
	sink->record_seconds /= (double)(sink->measured_bytes / SINK_RECORD_BYTES);
	sink->buffer_bytes = dirty_limit_bytes();
	return 0;
}
