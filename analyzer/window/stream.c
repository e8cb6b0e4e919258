// SPDX-License-Identifier: GPL-2.0-or-later
/* See stream.h. Small as it is, the copying is part of what a dump costs in processor time. */
#include "analyzer/window/stream.h"

#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES       4096
#define HEADER_MAX_BYTES STREAM_FILE_HEADER_BYTES

int stream_init(struct stream *stream)
{
	*stream = (struct stream){.fd = open("/dev/null", O_WRONLY | O_CLOEXEC)};
	if (stream->fd < 0)
		return -errno;
	stream->bytes = aligned_alloc(PAGE_BYTES, STREAM_RECORD_BYTES);
	if (!stream->bytes) {
		stream_fini(stream);
		return -ENOMEM;
	}
	memset(stream->bytes, 0, STREAM_RECORD_BYTES);
	return 0;
}

void stream_fini(struct stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream->bytes);
	*stream = (struct stream){.fd = -1};
}

void *stream_room(struct stream *stream, size_t wanted, size_t *length)
{
	*length = min_u64(wanted, STREAM_RECORD_BYTES - stream->used);
	return stream->bytes + stream->used;
}

void stream_filled(struct stream *stream, size_t length)
{
	stream->used += length;
	if (stream->used < STREAM_RECORD_BYTES)
		return;
	stream->used = 0;
	/* The null device takes everything; if it does not, the time it took is still right. */
	if (write(stream->fd, stream->bytes, STREAM_RECORD_BYTES) < 0)
		return;
}

void stream_put(struct stream *stream, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	while (length) {
		size_t part;
		void *room = stream_room(stream, length, &part);

		if (from) {
			memcpy(room, from, part);
			from += part;
		} else {
			memset(room, 0, part);
		}
		stream_filled(stream, part);
		length -= part;
	}
}

void stream_header(struct stream *stream, size_t length, uint64_t ino, uint64_t about)
{
	uint64_t words[HEADER_MAX_BYTES / sizeof(uint64_t)] = {ino, about};
	uint64_t sum = 0;

	for (size_t i = 0; i < length / sizeof(uint64_t); i++)
		sum += words[i];
	words[2] = ~sum;
	stream_put(stream, words, length);
}

void stream_align(struct stream *stream, uint64_t ino)
{
	size_t padding = (PAGE_BYTES - stream->used % PAGE_BYTES) % PAGE_BYTES;

	if (padding < 2 * STREAM_HEADER_BYTES)
		padding += PAGE_BYTES;
	stream_header(stream, STREAM_HEADER_BYTES, ino, padding);
	stream_put(stream, NULL, padding - 2 * STREAM_HEADER_BYTES);
}
