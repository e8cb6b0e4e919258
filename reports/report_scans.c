// SPDX-License-Identifier: GPL-2.0-or-later
/* `scans`: what the database holds, one row a scan. */
#include "reports/common.h"

#include "base/cleanup.h"

enum {
	SCAN_ID,
	STARTED,
	WHERE,
	PATH,
	MOUNT_POINT,
	DEVICE,
	FS_ID,
	ENGINE,
	INODES,
	FILES,
	TINY_FILES,
	BYTES,
	SECONDS,
	ERRORS,
};

static const struct column columns[] = {
	[SCAN_ID] = {"scan_id", "SCAN", VALUE_ID, 0, "id, for --scan"},
	[STARTED] = {"started", "STARTED (UTC)", VALUE_TIME, 0, "when the scan began"},
	[WHERE] = {"where", "PATH", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_STRETCH,
		"mount point, or path of a part"},
	[PATH] = {"path", "PATH", VALUE_TEXT, COLUMN_DATA_ONLY, "path as given, made absolute"},
	[MOUNT_POINT] = {"mount_point", "MOUNT POINT", VALUE_TEXT, COLUMN_DATA_ONLY,
		"where the filesystem was mounted"},
	[DEVICE] = {"device", "DEVICE", VALUE_TEXT, COLUMN_DATA_ONLY, "block device or image"},
	[FS_ID] = {"fs_id", "FILESYSTEM", VALUE_TEXT, COLUMN_DATA_ONLY, "id, for --fs"},
	[ENGINE] = {"engine", "ENGINE", VALUE_TEXT, COLUMN_OPTIONAL, "engine that read it"},
	[INODES] = {"inodes", "INODES", VALUE_COUNT, COLUMN_OPTIONAL, "inodes of all kinds"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0, "regular files below the tiny edge"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "sizes of the regular files"},
	[SECONDS] = {"seconds", "TOOK", VALUE_SECONDS, COLUMN_OPTIONAL, "how long it took"},
	[ERRORS] = {"errors", "UNREADABLE", VALUE_COUNT, 0, "failures of all kinds"},
};

static void add_row(struct document *document, struct table *table, const struct scan_info *scan,
	const struct census_totals *totals)
{
	struct value *row = table_row(document, table);
	bool by_mount = scan->whole_filesystem && scan->mount_point;

	if (!row)
		return;
	value_set_number(&row[SCAN_ID], (uint64_t)scan->scan_id);
	value_set_time(&row[STARTED], scan->started_seconds);
	value_set_bytes(document, &row[WHERE], by_mount ? scan->mount_point : scan->path);
	value_set_bytes(document, &row[PATH], scan->path);
	value_set_bytes(document, &row[MOUNT_POINT], scan->mount_point);
	value_set_bytes(document, &row[DEVICE], scan->device);
	value_set_text(document, &row[FS_ID], scan->fs_id);
	value_set_text(document, &row[ENGINE], scan->engine);
	value_set_number(&row[INODES], totals->inodes);
	value_set_number(&row[FILES], totals->regular_files);
	value_set_number(&row[TINY_FILES], totals->tiny_files);
	value_set_number(&row[BYTES], totals->bytes);
	value_set_real(&row[SECONDS], scan->seconds);
	value_set_number(&row[ERRORS], scan->errors);
}

int report_scans(const struct scan_info *scans, const struct census_totals *totals, size_t count,
	struct document *document, struct err *err)
{
	struct table *table;

	document_init(document, "scans");
	if (!count)
		document_before(document, "No scans yet. Take one: xfscensus scan PATH");
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < count; i++)
		add_row(document, table, &scans[i], &totals[i]);
	return report_end(document, err);
}
