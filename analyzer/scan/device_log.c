// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_log.h. What shows that a log is that of the filesystem: mkfs.xfs writes a first record
 * into it, each record has the filesystem's UUID, and the superblock cannot have been written later
 * than the log goes (as the kernel checks too). A copy of the filesystem has all of this as well.
 */
#include "analyzer/scan/device_log.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void device_log_describe(
	struct log_source *log, const struct device_source *source, const struct disk_super *super)
{
	uint32_t agbno = (uint32_t)(super->log_start & ((1ULL << super->agblk_log) - 1));
	uint32_t agno = (uint32_t)(super->log_start >> super->agblk_log);
	bool internal = super->log_start;

	*log = (struct log_source){
		.fd = source->fd,
		.offset_bytes = internal ? disk_super_block_offset(super, agno, agbno) : 0,
		.length_bytes = (uint64_t)super->log_blocks << super->block_log,
		.sector_bytes = internal ? super->sector_bytes : source->align_bytes,
		.has_crc = super->v5,
		.agcount = super->agcount,
		.agblocks = super->agblocks,
		.block_log = super->block_log,
		.agblock_log = super->agblk_log,
		.inodes_per_block_log = super->inopb_log,
	};
	memcpy(log->uuid, super->uuid, LOG_UUID_BYTES);
}

/* The log lies in one AG, behind its headers. */
static int check_place(const struct disk_super *super, struct err *err)
{
	uint32_t agbno = (uint32_t)(super->log_start & ((1ULL << super->agblk_log) - 1));
	uint64_t agno = super->log_start >> super->agblk_log;

	if (!super->log_start || (agno < super->agcount && agbno &&
					 agbno + (uint64_t)super->log_blocks <=
						 disk_super_ag_blocks(super, (uint32_t)agno)))
		return 0;
	return err_set(err, -EUCLEAN,
		"the superblock has the log, %" PRIu32 " blocks, in AG %" PRIu64
		" from block %" PRIu32 " on, where it cannot be",
		super->log_blocks, agno, agbno);
}

/* Whether the log that ends at @head can be that of @super. */
static int check_belongs(const struct disk_super *super, struct log_position head, struct err *err)
{
	struct log_position last = {(uint32_t)(super->last_lsn >> 32), (uint32_t)super->last_lsn};

	if (!head.cycle)
		return err_set(err, -EUCLEAN,
			"nothing was ever written to the log, not even by mkfs.xfs: it is lost, or "
			"that of another filesystem");
	if (log_before(head, last))
		return err_set(err, -EUCLEAN,
			"the log ends at %" PRIu32 ":%" PRIu32
			", and the superblock was written at %" PRIu32 ":%" PRIu32
			": it is an older log, or that of another filesystem",
			head.cycle, head.block, last.cycle, last.block);
	return 0;
}

static int collect(const struct log_source *log, const struct disk_super *super,
	struct log_changes *changes, struct device_log_end *end, struct err *err)
{
	struct log_range range;
	int rc = check_place(super, err);

	if (!rc)
		rc = log_range_find(log, &range, err);
	if (rc)
		return rc;
	end->head = range.head;
	rc = check_belongs(super, range.head, err);
	if (!rc)
		rc = log_collect(log, &range, changes, err);
	end->clean = !rc && !log_before(range.tail, range.head);
	return rc;
}

int device_log_tell(const struct log_source *log, const struct disk_super *super,
	const struct device_sink *sink, struct device_log_end *end)
{
	struct log_changes changes;
	struct err err = {0};
	uint64_t inodes;
	char what[128];
	int rc;

	*end = (struct device_log_end){0};
	log_changes_init(&changes);
	rc = collect(log, super, &changes, end, &err);
	inodes = inode_set_count(&changes.logged);
	log_changes_fini(&changes);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		sink->failure(FAILURE_LOG, 0, rc, err.message, 0, sink->context);
	snprintf(what, sizeof(what),
		"the log holds changes of %" PRIu64 " inode%s that only a mount will replay",
		inodes, unit_plural(inodes));
	if (inodes)
		sink->failure(FAILURE_LOG, 0, 0, what, 0, sink->context);
	return 0;
}

int device_log_tell_moved(const struct log_source *log, const struct log_position *head,
	const struct device_sink *sink)
{
	struct log_range now;
	struct err err = {0};
	int rc = log_range_find(log, &now, &err);

	if (rc == -ENOMEM)
		return rc;
	if (rc || log_before(*head, now.head) || log_before(now.head, *head))
		sink->failure(FAILURE_LOG, 0, 0,
			"the log went on while the filesystem was read: somebody writes to it, and "
			"what was counted is no state that it ever had; scan it again",
			0, sink->context);
	return 0;
}
