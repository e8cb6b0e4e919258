// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/scan/device_log.h"

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

static int collect(const struct log_source *log, struct log_changes *changes, struct err *err)
{
	struct log_range range;
	int rc = log_range_find(log, &range, err);

	return rc ? rc : log_collect(log, &range, changes, err);
}

int device_log_tell(const struct log_source *log, const struct device_sink *sink)
{
	struct log_changes changes;
	struct err err = {0};
	uint64_t inodes;
	char what[128];
	int rc;

	log_changes_init(&changes);
	rc = collect(log, &changes, &err);
	inodes = inode_set_count(&changes.logged);
	log_changes_fini(&changes);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		sink->failure(FAILURE_LOG, 0, rc, err.message, 0, sink->context);
	snprintf(what, sizeof(what),
		"the log holds changes of %" PRIu64 " inode%s that only a mount will replay",
		inodes, inodes == 1 ? "" : "s");
	if (inodes)
		sink->failure(FAILURE_LOG, 0, 0, what, 0, sink->context);
	return 0;
}
