// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 5 of the schema: what only the prediction of dumps asks a scan for. It has no views.
 *
 * A range of inodes, or of time, is one row, its parts packed (store_dump.c says how): as rows of
 * their own they would take longer to store than the census itself.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_5[] = {
	/* A scan without a row here is by an older version. */
	"CREATE TABLE dump_scan ("
		"scan_id INTEGER PRIMARY KEY REFERENCES scan (scan_id) ON DELETE CASCADE, "
		RANGE("range_shift", "0", "63") ", "
		RANGE("recent_shift", "0", "63") ", "
		INTEGER("recent_from") ", "
		COUNT("entry_stream_bytes") ")", /* of all names; 0: not looked at */

	"CREATE TABLE dump_choice ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		ID32("uid") ", "
		RANGE("flags", "0", "255") ", "
		RANGE("kind", "0", "3") ", "
		RANGE("size_class", "0", "64") ", "
		RANGE("allocation_class", "0", "416") ", "
		COUNT("inodes") ", "
		COUNT("size_bytes") ", "
		COUNT("allocated_bytes") ", "
		COUNT("extents") ", "
		COUNT("stream_bytes") ", "
		"PRIMARY KEY (scan_id, uid, flags, kind, size_class, allocation_class)) "
		"WITHOUT ROWID",

	/* axis 0: by inode number, 1: by second of change. */
	"CREATE TABLE dump_range ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		RANGE("axis", "0", "1") ", "
		COUNT("range") ", "
		COUNT("weight_bytes") ", "
		"parts BLOB NOT NULL CHECK (typeof(parts) = 'blob'), "
		"PRIMARY KEY (scan_id, axis, range)) WITHOUT ROWID",
	NULL,
};
// clang-format on
