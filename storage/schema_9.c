// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 9 of the schema: what tells the size of a dump to the byte or nearly so. It has no views.
 * Of calibrations, there are more kinds of passes, which needs no change.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_9[] = {
	/* part: size classes of regular files, then links and special files, then directories. */
	"CREATE TABLE dump_part ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		RANGE("part", "0", "66") ", "
		COUNT("stream_bytes") ", " /* of what was measured, without attributes */
		COUNT("bare_bytes") ", " /* the same of a dump that leaves attributes out */
		COUNT("told_bytes") ", " /* of files of few extents that were not */
		COUNT("told_many") ", " /* of those of many */
		COUNT("attr_bytes") ", " /* of the attributes that were seen */
		COUNT("attr_seen") ", " /* inodes with attributes, by where these are */
		COUNT("attr_inline") ", "
		COUNT("attr_blocks") ", "
		"PRIMARY KEY (scan_id, part)) WITHOUT ROWID",

	/* Directories by the time of the latest change in their trees. */
	"CREATE TABLE dump_way ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		INTEGER("from_seconds") ", "
		INTEGER("to_seconds") ", "
		COUNT("directories") ", "
		COUNT("entry_stream_bytes") ", "
		"PRIMARY KEY (scan_id, from_seconds)) WITHOUT ROWID",
	NULL,
};
// clang-format on
