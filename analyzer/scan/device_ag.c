// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/scan/device_ag.h"

#include "analyzer/scan/device_again.h"
#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A run over AGIs. */
struct agi_run {
	const struct device_scan *scan;
	struct device_ag *ags;
	uint32_t first;
	uint32_t count;
	uint32_t next; /* AG of the run that is read next */
};

/* One AGI on its way. */
struct agi_check {
	const struct agi_run *run;
	uint32_t index;
};

void device_ag_failed(const struct device_scan *scan, uint32_t agno, uint64_t inodes, int code,
	const char *message, unsigned worker)
{
	char what[ERR_MESSAGE_BYTES + 32];

	snprintf(what, sizeof(what), "AG %u: %s", agno, message);
	scan->sink->failure(FAILURE_AG, inodes, code, what, worker, scan->sink->context);
}

static bool next_agi(struct device_read *read, void *context)
{
	struct agi_run *run = context;
	uint32_t align = run->scan->source->align_bytes;
	uint64_t start, offset;

	if (run->next == run->count || progress_cancelled(run->scan->progress))
		return false;
	offset = disk_agi_offset(run->scan->super, run->first + run->next);
	start = offset / align * align;
	*read = (struct device_read){
		.offset = start,
		.bytes = (uint32_t)(round_up_u64(offset + run->scan->super->sector_bytes, align) -
				    start),
		.first = run->next++,
		.count = 1,
	};
	return true;
}

static int check_agi(const void *data, void *context, struct err *err)
{
	const struct agi_check *check = context;
	const struct agi_run *run = check->run;
	struct disk_agi agi;
	int rc = disk_agi_parse(&agi, run->scan->super, run->first + check->index, data, err);

	if (!rc)
		run->ags[check->index] = (struct device_ag){.agi = agi, .sound = true};
	return rc;
}

static int take_agi(const struct device_read *read, const void *data, ssize_t got, unsigned worker,
	void *context)
{
	const struct agi_run *run = context;
	struct agi_check check = {.run = run, .index = read->first};
	struct device_piece piece = {
		.offset = disk_agi_offset(run->scan->super, run->first + read->first),
		.bytes = run->scan->super->sector_bytes,
		.check = check_agi,
		.context = &check,
	};
	struct err err = {0};

	if (device_check(run->scan, &piece, device_piece_in(&piece, read, data, got), &err) < 0)
		device_ag_failed(
			run->scan, run->first + read->first, 0, err.code, err.message, worker);
	return err.code == -ENOMEM ? -ENOMEM : 0;
}

int device_ags_read(const struct device_scan *scan, struct device_reader *reader, uint32_t first,
	uint32_t count, struct device_ag *ags)
{
	struct agi_run run = {.scan = scan, .ags = ags, .first = first, .count = count};

	memset(ags, 0, count * sizeof(*ags));
	return device_reader_run(reader, next_agi, take_agi, &run);
}

uint32_t device_ag_after_hole(const struct device_scan *scan, uint32_t agno, uint32_t end)
{
	uint64_t ag_bytes = (uint64_t)scan->super->agblocks << scan->super->block_log;

	while (agno < end) {
		uint64_t agi = disk_agi_offset(scan->super, agno);
		uint64_t data = device_source_next_data(scan->source, agi);

		if (data < agi + scan->super->sector_bytes)
			break;
		agno = (uint32_t)min_u64(max_u64(data / ag_bytes, agno + 1ULL), end);
	}
	return agno;
}

uint32_t device_ag_next_hole(const struct device_scan *scan, uint32_t agno, uint32_t end)
{
	while (agno < end && device_ag_after_hole(scan, agno, agno + 1) == agno)
		agno++;
	return agno;
}
