// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See log.h. From the tail on, record by record, each where the one before ends, up to the head.
 * One record of at most 260 KiB and one window of 1 MiB are held, whatever the length of the log.
 */
#include "analyzer/xfs/log/format.h"
#include "analyzer/xfs/log/items.h"

#include <errno.h>
#include <inttypes.h>

void log_changes_init(struct log_changes *changes)
{
	*changes = (struct log_changes){0};
	inode_set_init(&changes->logged);
	changes->logged.limit = LOG_INODE_SET_LIMIT;
}

void log_changes_fini(struct log_changes *changes)
{
	inode_set_fini(&changes->logged);
}

/* Reads and takes in the record at @at. -ENODATA: nothing is written there yet. */
static int take_record(struct log_blocks *blocks, struct log_items *items, struct log_position at,
	struct log_record *record, struct err *err)
{
	int rc = log_record_read(blocks, at, record, err);

	return rc ? rc : log_items_record(items, record, err);
}

static int walk(struct log_blocks *blocks, struct log_items *items, const struct log_range *range,
	struct log_changes *changes, struct err *err)
{
	struct log_position at = range->tail;
	struct log_record record;
	int rc = log_record_init(&record);

	while (!rc && log_before(at, range->head)) {
		rc = take_record(blocks, items, at, &record, err);
		if (!rc) {
			changes->records++;
			changes->bytes += (uint64_t)record.blocks * LOG_BLOCK_BYTES;
			at = record.next;
		}
	}
	if (rc == -ENODATA && err)
		err_clear(err);
	changes->ended_early = rc == -ENODATA;
	log_record_fini(&record);
	return rc == -ENODATA ? 0 : rc;
}

/* Head and tail lie in the log, and no more than one lap apart. */
static int check_range(
	const struct log_blocks *blocks, const struct log_range *range, struct err *err)
{
	struct log_position lap = {log_next_cycle(range->tail.cycle), range->tail.block};

	if (range->tail.block < blocks->count && range->head.block < blocks->count &&
		!log_before(lap, range->head))
		return 0;
	return err_set(err, -EUCLEAN,
		"a log of %" PRIu32 " blocks cannot reach from %" PRIu32 ":%" PRIu32 " to %" PRIu32
		":%" PRIu32,
		blocks->count, range->tail.cycle, range->tail.block, range->head.cycle,
		range->head.block);
}

int log_collect(const struct log_source *source, const struct log_range *range,
	struct log_changes *changes, struct err *err)
{
	struct log_items *items = NULL;
	struct log_blocks blocks;
	int rc = log_blocks_init(&blocks, source, err);

	changes->ended_early = false;
	if (!rc && log_before(range->tail, range->head))
		rc = check_range(&blocks, range, err);
	if (!rc)
		rc = log_items_new(&items, source, changes);
	if (!rc)
		rc = walk(&blocks, items, range, changes, err);
	inode_set_seal(&changes->logged);
	log_items_free(items);
	log_blocks_fini(&blocks);
	return rc;
}
