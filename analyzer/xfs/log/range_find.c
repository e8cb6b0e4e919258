// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Head and tail of the log in an unmounted image, from what lies there.
 *
 * Every block tells the cycle it was written in. From the start of the log on it is C up to the
 * head, and C - 1 (0 in a log that never got so far) from there to the end; so halving finds the
 * place. Near the head it is not so tidy: up to eight buffers of 256 KiB are written at a time, in
 * any order, and a crash may leave out one but not the next. All before the first gap in the 2 MiB
 * before the place is sound, so the head goes back there; then to the end of the last record that
 * is whole by its length and its checksum. That record tells the tail.
 */
#include "analyzer/xfs/log/format.h"
#include "analyzer/xfs/log/record.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>

#define BUFFERS       8U
#define HEADER_BLOCKS 8U
#define BUFFER_BLOCKS (XLOG_MAX_RECORD_BSIZE / LOG_BLOCK_BYTES + HEADER_BLOCKS)
#define WINDOW_BLOCKS (BUFFERS * BUFFER_BLOCKS)

struct finder {
	struct log_blocks blocks;
	struct log_record record;
	struct err *err;
};

static int cycle_at(struct finder *finder, uint32_t block, uint32_t *cycle)
{
	char peek[LOG_PEEK_BYTES];
	int rc = log_blocks_peek(&finder->blocks, block, peek, finder->err);

	if (!rc)
		*cycle = log_block_cycle(peek);
	return rc;
}

/* Halves the log to a block of another cycle than @first after one of this cycle. */
static int find_step(struct finder *finder, uint32_t first, uint32_t *step)
{
	uint32_t same = 0, other = finder->blocks.count - 1;

	while (other - same > 1) {
		uint32_t middle = same + (other - same) / 2, cycle;
		int rc = cycle_at(finder, middle, &cycle);

		if (rc)
			return rc;
		if (cycle == first)
			same = middle;
		else
			other = middle;
	}
	*step = other;
	return 0;
}

/* Block @block as part of the lap that ends at @head. */
static struct log_position place(struct log_position head, uint32_t block)
{
	uint32_t before = head.cycle - 1 == XLOG_HEADER_MAGIC_NUM ? head.cycle - 2 : head.cycle - 1;

	return (struct log_position){block < head.block ? head.cycle : before, block};
}

/* The block @count (at most the whole log) before @block. */
static uint32_t blocks_before(const struct finder *finder, uint32_t block, uint32_t count)
{
	return block >= count ? block - count : block + (finder->blocks.count - count);
}

/* Moves the head back to the first gap in the window before it. */
static int cut_at_gap(struct finder *finder, struct log_position *head)
{
	uint32_t window = (uint32_t)min_u64(WINDOW_BLOCKS, finder->blocks.count);

	for (uint32_t back = window; back > 0; back--) {
		struct log_position here = place(*head, blocks_before(finder, head->block, back));
		uint32_t cycle;
		int rc = cycle_at(finder, here.block, &cycle);

		if (rc)
			return rc;
		if (cycle < here.cycle) {
			*head = here;
			return 0;
		}
	}
	return 0;
}

/* Where the cycles step down, and the head's cycle; cycle 0 if nothing was ever logged. */
static int find_head(struct finder *finder, struct log_position *head)
{
	uint32_t first, last;
	int rc = cycle_at(finder, 0, &first);

	if (!rc)
		rc = cycle_at(finder, finder->blocks.count - 1, &last);
	if (rc)
		return rc;
	*head = (struct log_position){first, 0};
	if (first == 0)
		return last == 0 ? 0
				 : err_set(finder->err, -EUCLEAN,
					   "the log's first block was never written, its last was");
	if (first == last)
		head->cycle = log_next_cycle(first);
	else
		rc = find_step(finder, first, &head->block);
	return rc ? rc : cut_at_gap(finder, head);
}

/*
 * The start of the last record that begins before @at, searched for in the *@budget blocks before
 * it, of which those used are taken off. -ENODATA if there is none.
 */
static int previous_record(
	struct finder *finder, struct log_position at, uint32_t *budget, struct log_position *start)
{
	for (uint32_t back = 1; *budget > 0; back++) {
		struct log_position here = place(at, blocks_before(finder, at.block, back));
		char peek[LOG_PEEK_BYTES];
		int rc = log_blocks_peek(&finder->blocks, here.block, peek, finder->err);

		if (rc)
			return rc;
		--*budget;
		if (disk_be32(peek) != XLOG_HEADER_MAGIC_NUM)
			continue;
		if (log_block_cycle(peek) != here.cycle)
			return -ENODATA;
		*start = here;
		return 0;
	}
	return -ENODATA;
}

/*
 * Moves the head back to where the last row of whole records ends: goes back as many records as can
 * be on their way at a time, then forward. The last whole one is left in finder->record. -ENODATA
 * if there is none, with what is wrong with the first one in @why. No more than half of the log is
 * looked at, so that what the head is about to overwrite stays out of it.
 */
static int cut_at_damage(struct finder *finder, struct log_position *head, struct err *why)
{
	uint32_t budget = (uint32_t)min_u64(WINDOW_BLOCKS, finder->blocks.count / 2);
	struct log_position at = *head, end = *head;
	unsigned found = 0;
	int rc = 0;

	while (found < BUFFERS && !rc) {
		rc = previous_record(finder, at, &budget, &at);
		found += !rc;
	}
	if (rc && rc != -ENODATA)
		return rc;
	rc = -ENODATA;
	while (found && log_before(at, end) &&
		!log_record_read(&finder->blocks, at, &finder->record, why)) {
		at = finder->record.next;
		*head = at;
		rc = 0;
	}
	return rc;
}

static int find(struct finder *finder, struct log_range *range)
{
	struct err why = {0};
	int rc = find_head(finder, &range->head);

	if (rc)
		return rc;
	range->tail = range->head;
	if (range->head.cycle == 0)
		return 0;
	rc = cut_at_damage(finder, &range->head, &why);
	if (rc == -ENODATA)
		return err_set(finder->err, -EUCLEAN,
			"no whole record is before block %" PRIu32
			" of the log, where it seems to end%s%s",
			range->head.block, why.message[0] ? ": " : "", why.message);
	range->tail = log_record_is_unmount(&finder->record) ? range->head : finder->record.tail;
	return rc;
}

int log_range_find(const struct log_source *source, struct log_range *range, struct err *err)
{
	struct finder finder = {.err = err};
	int rc = log_blocks_init(&finder.blocks, source, err);

	if (!rc && log_record_init(&finder.record))
		rc = err_set_errno(err, -ENOMEM, "log reader");
	if (!rc)
		rc = find(&finder, range);
	log_record_fini(&finder.record);
	log_blocks_fini(&finder.blocks);
	return rc;
}
