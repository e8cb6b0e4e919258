// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See blocks.h. The log of a mounted filesystem is not in the page cache of its block device
 * (what is there is old), so callers open it with O_DIRECT. That wants offset, length and memory
 * aligned: a window of 1 MiB is read, aligned, and blocks are copied out of it.
 */
#include "analyzer/xfs/log/blocks.h"

#include "analyzer/xfs/log/format.h"
#include "base/checked.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_BYTES (1 * MIB)
#define ALIGN_BYTES  4096U
#define LOG_MAX      (2 * GIB)

/* What is wrong with @source, or NULL. */
static const char *objection(const struct log_source *source)
{
	uint64_t end;

	if (source->length_bytes == 0)
		return "the log is empty";
	if (source->length_bytes > LOG_MAX)
		return "the log is larger than 2 GiB";
	if (source->length_bytes % LOG_BLOCK_BYTES || source->offset_bytes % LOG_BLOCK_BYTES)
		return "the log does not begin and end at a 512-byte block";
	if (!checked_add_u64(source->offset_bytes, source->length_bytes, &end) || end > INT64_MAX)
		return "the log lies beyond any device";
	if (source->sector_bytes & (source->sector_bytes - 1) || source->sector_bytes > 64 * KIB)
		return "the sector size of the log is none";
	return NULL;
}

/* Whether every inode number that the geometry makes fits into 64 bits. */
static bool geometry_fits(const struct log_source *source)
{
	return source->block_log >= 9 && source->block_log <= 16 && source->agblock_log < 32 &&
	       source->inodes_per_block_log <= 8 && source->agcount > 0 && source->agblocks > 0 &&
	       source->agblocks <= 1ULL << source->agblock_log &&
	       source->agcount <= UINT64_MAX >> source->agblock_log >> source->inodes_per_block_log;
}

int log_blocks_init(struct log_blocks *blocks, const struct log_source *source, struct err *err)
{
	const char *wrong = objection(source);

	*blocks = (struct log_blocks){.source = source};
	if (wrong)
		return err_set(err, -EUCLEAN, "%s (offset %" PRIu64 ", %" PRIu64 " bytes)", wrong,
			source->offset_bytes, source->length_bytes);
	if (!geometry_fits(source))
		return err_set(err, -EUCLEAN, "the geometry of the filesystem is impossible");
	blocks->count = (uint32_t)(source->length_bytes / LOG_BLOCK_BYTES);
	blocks->align = source->sector_bytes > ALIGN_BYTES ? source->sector_bytes : ALIGN_BYTES;
	blocks->window_capacity = WINDOW_BYTES;
	blocks->window = aligned_alloc(blocks->align, WINDOW_BYTES);
	if (!blocks->window)
		return err_set_errno(err, -ENOMEM, "log reader");
	return 0;
}

void log_blocks_fini(struct log_blocks *blocks)
{
	free(blocks->window);
	blocks->window = NULL;
}

/* Reads up to @length bytes; sets *@got, less only at the end of the device. */
static int read_all(int fd, char *out, size_t length, uint64_t offset, size_t *got)
{
	*got = 0;
	while (*got < length) {
		ssize_t n = pread(fd, out + *got, length - *got, (off_t)(offset + *got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		*got += (size_t)n;
	}
	return 0;
}

/* Makes the window hold the block at device offset @offset, and up to @length bytes around it. */
static int load(struct log_blocks *blocks, uint64_t offset, size_t length, struct err *err)
{
	uint64_t end = blocks->source->offset_bytes + blocks->source->length_bytes;
	uint64_t start = offset - offset % blocks->align;
	uint64_t wanted = min_u64(length, round_up_u64(end, blocks->align) - start);
	int rc;

	blocks->window_offset = start;
	rc = read_all(blocks->source->fd, blocks->window, wanted, start, &blocks->window_bytes);
	if (rc) {
		blocks->window_bytes = 0;
		return err_set_errno(err, rc, "reading the log at byte %" PRIu64, start);
	}
	if (start + blocks->window_bytes < offset + LOG_BLOCK_BYTES)
		return err_set(err, -EIO,
			"the log goes on past the end of its device (byte %" PRIu64 ")", offset);
	return 0;
}

static uint64_t offset_of(const struct log_blocks *blocks, uint32_t block)
{
	return blocks->source->offset_bytes + (uint64_t)block * LOG_BLOCK_BYTES;
}

/* Whole blocks in the window from device offset @offset on. */
static uint32_t loaded(const struct log_blocks *blocks, uint64_t offset)
{
	if (offset < blocks->window_offset ||
		offset >= blocks->window_offset + blocks->window_bytes)
		return 0;
	return (uint32_t)((blocks->window_offset + blocks->window_bytes - offset) /
			  LOG_BLOCK_BYTES);
}

int log_blocks_read(
	struct log_blocks *blocks, uint32_t first, uint32_t count, void *out, struct err *err)
{
	char *to = out;

	while (count) {
		uint64_t offset = offset_of(blocks, first);
		uint32_t here = loaded(blocks, offset);

		if (!here) {
			int rc = load(blocks, offset, blocks->window_capacity, err);

			if (rc)
				return rc;
			here = loaded(blocks, offset);
		}
		here = (uint32_t)min_u64(here, min_u64(count, blocks->count - first));
		memcpy(to, blocks->window + (offset - blocks->window_offset),
			(size_t)here * LOG_BLOCK_BYTES);
		to += (size_t)here * LOG_BLOCK_BYTES;
		count -= here;
		first = first + here == blocks->count ? 0 : first + here;
	}
	return 0;
}

int log_blocks_peek(
	struct log_blocks *blocks, uint32_t block, char out[LOG_PEEK_BYTES], struct err *err)
{
	uint64_t offset = offset_of(blocks, block);

	if (!loaded(blocks, offset)) {
		int rc = load(blocks, offset, blocks->align, err);

		if (rc)
			return rc;
	}
	memcpy(out, blocks->window + (offset - blocks->window_offset), LOG_PEEK_BYTES);
	return 0;
}

struct log_position log_blocks_after(
	const struct log_blocks *blocks, struct log_position at, uint32_t count)
{
	if (count < blocks->count - at.block)
		return (struct log_position){at.cycle, at.block + count};
	return (struct log_position){log_next_cycle(at.cycle), count - (blocks->count - at.block)};
}
