// SPDX-License-Identifier: GPL-2.0-or-later
/* `scans --calibrations`: the calibrations that the database holds, one row each. */
#include "reports/common.h"

#include "base/checked.h"
#include "base/cleanup.h"

enum {
	CALIBRATION_ID,
	STARTED,
	PATH,
	DEVICE,
	FS_ID,
	FILES,
	LEFT_OUT,
	RUNS,
	INTERVAL,
	DRIFT,
	SINK,
	SECONDS,
};

static const struct column columns[] = {
	[CALIBRATION_ID] = {"calibration_id", "CALIBRATION", VALUE_ID, 0, "id, for --calibration"},
	[STARTED] = {"started", "STARTED (UTC)", VALUE_TIME, 0, "when it began"},
	[PATH] = {"path", "PATH", VALUE_TEXT, COLUMN_STRETCH, "path as given"},
	[DEVICE] = {"device", "DEVICE", VALUE_TEXT, COLUMN_DATA_ONLY, "where it lay then"},
	[FS_ID] = {"fs_id", "FILESYSTEM", VALUE_TEXT, COLUMN_DATA_ONLY, "id, for --fs"},
	[FILES] = {"sampled_files", "SAMPLED", VALUE_COUNT, 0, "files that it goes by"},
	[LEFT_OUT] = {"left_out_files", "LEFT OUT", VALUE_COUNT, 0,
		"files left out since the page cache held them or their neighbours"},
	[RUNS] = {"runs", "RUNS", VALUE_COUNT, COLUMN_OPTIONAL, "runs of inodes that it read"},
	[INTERVAL] = {"interval_share", "KNOWN TO ±", VALUE_SHARE, COLUMN_NO_SUM,
		"half of the 95 % interval of what all files take, as a part of it"},
	[DRIFT] = {"drift", "SPEED ±", VALUE_SHARE, COLUMN_OPTIONAL | COLUMN_NO_SUM,
		"how much the speed changed meanwhile, beyond what the files explain"},
	[SINK] = {"sink", "SINK", VALUE_TEXT, COLUMN_OPTIONAL, "sink measured with it"},
	[SECONDS] = {"seconds", "TOOK", VALUE_SECONDS, COLUMN_OPTIONAL, "how long it took"},
};

static void add_row(
	struct document *document, struct table *table, const struct calibration *calibration)
{
	struct value *row = table_row(document, table);
	uint64_t files = 0, left_out = 0;

	if (!row)
		return;
	for (size_t i = 0; i < calibration->cell_count; i++) {
		files = sat_add_u64(files, calibration->cells[i].files);
		left_out = sat_add_u64(left_out, calibration->cells[i].left_out);
	}
	value_set_number(&row[CALIBRATION_ID], (uint64_t)calibration->calibration_id);
	value_set_time(&row[STARTED], calibration->started_seconds);
	value_set_bytes(document, &row[PATH], calibration->path);
	value_set_bytes(document, &row[DEVICE], calibration->device);
	value_set_text(document, &row[FS_ID], calibration->fs_id);
	value_set_number(&row[FILES], files);
	value_set_number(&row[LEFT_OUT], left_out);
	value_set_number(&row[RUNS], calibration->runs);
	value_set_real(&row[INTERVAL], calibration->interval_share);
	value_set_real(&row[DRIFT], calibration->drift);
	value_set_bytes(document, &row[SINK], calibration->sink.spec);
	value_set_real(&row[SECONDS], calibration->seconds);
}

int report_calibrations(const struct calibration *calibrations, size_t count,
	struct document *document, struct err *err)
{
	struct table *table;

	document_init(document, "calibrations");
	if (!count)
		document_before(
			document, "No calibrations yet. Take one: xfscensus calibrate PATH");
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < count; i++)
		add_row(document, table, &calibrations[i]);
	return report_end(document, err);
}
