/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The 512-byte blocks of a log, read through one aligned window, so that O_DIRECT works. */
#ifndef ANALYZER_XFS_LOG_BLOCKS_H
#define ANALYZER_XFS_LOG_BLOCKS_H

#include "analyzer/xfs/log/log.h"

#define LOG_BLOCK_BYTES 512
#define LOG_PEEK_BYTES  8

struct log_blocks {
	const struct log_source *source;
	uint32_t count;         /* blocks in the log */
	uint32_t align;         /* device offsets and lengths read are multiples of it */
	char *window;           /* what was read last */
	uint64_t window_offset; /* device offset of the window */
	size_t window_bytes;    /* valid bytes in it */
	size_t window_capacity; /* bytes that a load for sequential reading fills */
};

/*
 * A reader of the log at @source, which must outlive it. Returns 0, -ENOMEM, or -EUCLEAN with a
 * message where the source cannot be one: empty, over 2 GiB, or not in whole blocks.
 */
int log_blocks_init(struct log_blocks *blocks, const struct log_source *source, struct err *err);
void log_blocks_fini(struct log_blocks *blocks);

/*
 * Copies @count blocks from @first on to @out, going on at the start of the log after its end.
 * @first and @count must not exceed the log. Returns 0; -EIO or another errno of pread(2), with a
 * message.
 */
int log_blocks_read(
	struct log_blocks *blocks, uint32_t first, uint32_t count, void *out, struct err *err);

/*
 * The first eight bytes of block @block, which tell its cycle and whether a record begins there;
 * reads little. Errors as log_blocks_read().
 */
int log_blocks_peek(
	struct log_blocks *blocks, uint32_t block, char out[LOG_PEEK_BYTES], struct err *err);

/* The place @count blocks (at most the whole log) after @at. */
struct log_position log_blocks_after(
	const struct log_blocks *blocks, struct log_position at, uint32_t count);

#endif
