// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 3 of the schema: the cube of each scan summed up over its owners, so that a history of
 * hundreds of scans need not read the millions of cells that thousands of users make.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_3[] = {
	"CREATE TABLE scan_class ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		RANGE("kind", "0", "3") ", "
		RANGE("size_class", "0", "64") ", "
		COUNT("inodes") ", "
		COUNT("size_bytes") ", "
		COUNT("allocated_bytes") ", "
		COUNT("extents") ", "
		COUNT("stream_bytes") ", "
		"PRIMARY KEY (scan_id, kind, size_class)) WITHOUT ROWID",

	"INSERT INTO scan_class (scan_id, kind, size_class, inodes, size_bytes, allocated_bytes, "
		"extents, stream_bytes) SELECT scan_id, kind, size_class, "
		SUM("inodes") ", " SUM("size_bytes") ", " SUM("allocated_bytes") ", "
		SUM("extents") ", " SUM("stream_bytes") " "
		"FROM cube GROUP BY scan_id, kind, size_class",
	NULL,
};
// clang-format on
