// SPDX-License-Identifier: GPL-2.0-or-later
/* See device_source.h. */
#include "analyzer/scan/device_source.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Enough for the sectors of all disks and files made so far. */
#define ALIGN_BYTES 4096

#define SEEK_PROBES 5 /* odd: the median counts, and steps of two reach all places */

/* The node in /dev that the kernel itself names for @number, e.g. "/dev/dm-3". */
static int path_of_number(dev_t number, char path[static 300])
{
	char line[256];
	FILE *file;
	int rc = -ENOENT;

	snprintf(path, 300, "/sys/dev/block/%u:%u/uevent", major(number), minor(number));
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (rc && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "DEVNAME=", 8))
			continue;
		snprintf(path, 300, "/dev/%s", line + 8);
		rc = 0;
	}
	fclose(file);
	return rc;
}

/* Whether @fd is open on what was asked for; fills in size and kind. */
static int take_kind(struct device_source *source, dev_t device)
{
	struct stat st;
	uint64_t bytes;

	if (fstat(source->fd, &st))
		return -errno;
	source->align_bytes = ALIGN_BYTES;
	if (S_ISREG(st.st_mode) && device)
		return -ENODEV;
	if (S_ISREG(st.st_mode)) {
		source->size_bytes = (uint64_t)st.st_size;
		return 0;
	}
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	if (device && st.st_rdev != device)
		return -ENODEV;
	if (ioctl(source->fd, BLKGETSIZE64, &bytes))
		return -errno;
	source->size_bytes = bytes;
	return 0;
}

static int open_path(struct device_source *source, const char *path, dev_t device)
{
	int rc;

	source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (source->fd < 0)
		return -errno;
	rc = take_kind(source, device);
	if (rc)
		device_source_close(source);
	return rc;
}

/*
 * O_DIRECT is tried with a read, since some filesystems grant it and fail later. A device whose
 * size is no multiple of the alignment has a tail that only smaller steps reach.
 */
static void try_direct(struct device_source *source)
{
	int flags = fcntl(source->fd, F_GETFL);
	autofree void *probe = NULL;

	while (source->align_bytes > 512 && source->size_bytes % source->align_bytes)
		source->align_bytes /= 2;
	if (posix_memalign(&probe, ALIGN_BYTES, ALIGN_BYTES) || flags < 0 ||
		fcntl(source->fd, F_SETFL, flags | O_DIRECT))
		return;
	source->direct = pread(source->fd, probe, source->align_bytes, 0) >= 0;
	while (!source->direct && source->align_bytes < ALIGN_BYTES) {
		source->align_bytes *= 2;
		source->direct = pread(source->fd, probe, source->align_bytes, 0) >= 0;
	}
	if (!source->direct)
		fcntl(source->fd, F_SETFL, flags);
}

/* The same file once more, since O_DIRECT is a property of an open file. */
static void open_cached(struct device_source *source)
{
	char path[64];
	struct stat st;

	if (!source->direct || fstat(source->fd, &st) || !S_ISREG(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", source->fd);
	source->cached_fd = open(path, O_RDONLY | O_CLOEXEC);
}

int device_source_open(struct device_source *source, const char *path, dev_t device,
	enum device_caching caching, struct err *err)
{
	char by_number[300];
	int rc;

	*source = (struct device_source){.fd = -1, .cached_fd = -1};
	rc = open_path(source, path, device);
	if (rc && device && rc != -EACCES && !path_of_number(device, by_number))
		rc = open_path(source, by_number, device);
	if (rc == -ENOTBLK)
		return err_set(err, rc, "%s is neither a block device nor a file", path);
	if (rc == -ENODEV)
		return err_set(err, rc, "%s is not the device that is mounted", path);
	if (rc)
		return err_set_errno(err, rc, "%s", path);
	if (caching != DEVICE_CACHING_BUFFERED)
		try_direct(source);
	if (caching == DEVICE_CACHING_AUTO)
		open_cached(source);
	return 0;
}

void device_source_close(struct device_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	if (source->cached_fd >= 0)
		close(source->cached_fd);
	source->fd = -1;
	source->cached_fd = -1;
}

bool device_source_is_cached(const struct device_source *source, uint64_t offset, uint64_t bytes)
{
	uint64_t cached, pages;

	return source->cached_fd >= 0 &&
	       !page_cache_count(source->cached_fd, offset, bytes, &cached, &pages) &&
	       cached == pages;
}

uint64_t device_source_next_data(const struct device_source *source, uint64_t offset)
{
	struct stat st;
	off_t data;

	if (fstat(source->fd, &st) || !S_ISREG(st.st_mode))
		return offset;
	data = lseek(source->fd, (off_t)offset, SEEK_DATA);
	if (data >= 0)
		return (uint64_t)data;
	return errno == ENXIO ? UINT64_MAX : offset;
}

/* As device_source_pread(), through one of the source's descriptors. */
static ssize_t read_from(
	int fd, const struct device_source *source, void *buffer, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got =
			pread(fd, (char *)buffer + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return done ? (ssize_t)done : -errno;
		if (!got)
			break;
		done += (size_t)got;
		/* With O_DIRECT a short read is the end, or what follows it is unaligned. */
		if (source->direct && done % source->align_bytes)
			break;
	}
	return (ssize_t)done;
}

ssize_t device_source_pread(
	const struct device_source *source, void *buffer, size_t bytes, uint64_t offset)
{
	bool cached = device_source_is_cached(source, offset, bytes);

	return read_from(cached ? source->cached_fd : source->fd, source, buffer, bytes, offset);
}

static int compare_times(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int64_t device_source_seek_ns(const struct device_source *source)
{
	int64_t times[SEEK_PROBES];
	autofree void *buffer = NULL;

	if (posix_memalign(&buffer, ALIGN_BYTES, ALIGN_BYTES))
		return 0;
	for (unsigned i = 0; i < SEEK_PROBES; i++) {
		uint64_t place = source->size_bytes / SEEK_PROBES * (i * 2 % SEEK_PROBES);
		int64_t start_ns = clock_monotonic_ns();

		read_from(source->fd, source, buffer, source->align_bytes,
			place / source->align_bytes * source->align_bytes);
		times[i] = clock_monotonic_ns() - start_ns;
	}
	qsort(times, SEEK_PROBES, sizeof(*times), compare_times);
	return times[SEEK_PROBES / 2];
}

int device_source_read(const struct device_source *source, uint64_t offset, size_t bytes, void *out)
{
	uint64_t start = offset / source->align_bytes * source->align_bytes;
	uint64_t end = round_up_u64(sat_add_u64(offset, bytes), source->align_bytes);
	autofree void *buffer = NULL;
	ssize_t got;

	if (end > INT64_MAX)
		return -ENODATA;
	if (posix_memalign(&buffer, ALIGN_BYTES, end - start))
		return -ENOMEM;
	got = device_source_pread(source, buffer, end - start, start);
	if (got < 0)
		return (int)got;
	if ((uint64_t)got < offset - start + bytes)
		return -ENODATA;
	memcpy(out, (char *)buffer + (offset - start), bytes);
	return 0;
}
