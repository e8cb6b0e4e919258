/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dump stream that goes nowhere: records of 256 KiB, filled and written to /dev/null. */
#ifndef ANALYZER_WINDOW_STREAM_H
#define ANALYZER_WINDOW_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define STREAM_RECORD_BYTES      (256 * 1024)
#define STREAM_FILE_HEADER_BYTES 256
#define STREAM_HEADER_BYTES      32 /* of an extent, and of an attribute without its name */

struct stream {
	int fd;         /* /dev/null */
	size_t used;    /* bytes in the record */
	uint8_t *bytes; /* the record, aligned to a page */
};

/* Returns 0, -ENOMEM, or an errno of opening /dev/null. */
int stream_init(struct stream *stream);
void stream_fini(struct stream *stream);

/* Copies @length bytes into the stream, zeros where @bytes is NULL. */
void stream_put(struct stream *stream, const void *bytes, size_t length);

/* Puts a header of @length bytes (a multiple of 4) about inode @ino, with its checksum. */
void stream_header(struct stream *stream, size_t length, uint64_t ino, uint64_t about);

/* Pads so that after a header of STREAM_HEADER_BYTES the next byte starts a page. */
void stream_align(struct stream *stream, uint64_t ino);

/* Room to read into directly: sets @length to what there is of @wanted; then stream_filled(). */
void *stream_room(struct stream *stream, size_t wanted, size_t *length);
void stream_filled(struct stream *stream, size_t length);

#endif
