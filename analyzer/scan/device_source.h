/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device or an image file, open for reading.
 *
 * A mounted filesystem writes around the page cache of its device, so what is in there may be old:
 * block devices are read with O_DIRECT. An image file has one cache only, so O_DIRECT is a matter
 * of speed there: what is in memory is copied from there, the rest is read past the cache, which it
 * would only fill with what nobody reads twice.
 */
#ifndef ANALYZER_SCAN_DEVICE_SOURCE_H
#define ANALYZER_SCAN_DEVICE_SOURCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct device_source {
	int fd;
	int cached_fd;        /* of an image, without O_DIRECT; -1: none */
	bool direct;          /* open with O_DIRECT: offsets, lengths and buffers are aligned */
	uint32_t align_bytes; /* a power of two, 512 at least; kept to without O_DIRECT too */
	uint64_t size_bytes;
};

enum device_caching {
	DEVICE_CACHING_AUTO, /* O_DIRECT where it is granted, but for what of an image is cached */
	DEVICE_CACHING_DIRECT,   /* O_DIRECT where it is granted */
	DEVICE_CACHING_BUFFERED, /* through the page cache */
};

/*
 * Opens @path, a block device or a regular file. @device is the number of the block device that it
 * must be, 0 for anything: a device name of the mount table may have come to mean something else
 * or, in a container, not exist; then the device is found by its number. Returns 0, or a message
 * and -EACCES, -ENOENT, -ENOTBLK (neither device nor file), or another errno of open(2).
 */
int device_source_open(struct device_source *source, const char *path, dev_t device,
	enum device_caching caching, struct err *err);
void device_source_close(struct device_source *source);

/*
 * Reads @bytes from @offset into @out, whatever their alignment. Returns 0; -ENODATA if the source
 * ends before; -ENOMEM; an errno of pread(2). Any thread.
 */
int device_source_read(
	const struct device_source *source, uint64_t offset, size_t bytes, void *out);

/* Whether that range is in memory: reading it is copying, and no thread need wait for it. */
bool device_source_is_cached(const struct device_source *source, uint64_t offset, uint64_t bytes);

/*
 * Where, from @offset on, the first bytes are that somebody wrote: what is before reads as zeros.
 * Past the end if there are none; @offset where nobody can tell, as on a block device.
 */
uint64_t device_source_next_data(const struct device_source *source, uint64_t offset);

/* As pread(2), till @bytes, the end or an error. Returns bytes read or a negative errno. */
ssize_t device_source_pread(
	const struct device_source *source, void *buffer, size_t bytes, uint64_t offset);

/* How long a sector in an unexpected place takes: the median of a few. */
int64_t device_source_seek_ns(const struct device_source *source);

#endif
