// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 11 of the schema: what inodes take in a dump beyond what is told of any, by what the
 * options of a dump choose by, and by when they changed; the attributes of directories on the way
 * to a change. It has no views.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_11[] = {
	/* Below 0: less. Scans that were there before did not note it. */
	"ALTER TABLE dump_choice ADD COLUMN " INTEGER("data_surplus") " DEFAULT 0",
	"ALTER TABLE dump_choice ADD COLUMN " INTEGER("attr_surplus") " DEFAULT 0",

	"ALTER TABLE dump_way ADD COLUMN " COUNT("attr_stream_bytes") " DEFAULT 0",

	/* recency: seconds before the start of the scan, to a 256th (census/recency.h). */
	"CREATE TABLE dump_change ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		RANGE("recency", "1", "8191") ", "
		COUNT("attr_forks") ", " /* inodes with an attribute fork */
		COUNT("unseen_forks") ", " /* those of them whose attributes were not seen */
		COUNT("unseen_bytes") ", " /* told of what was not measured, without attributes */
		INTEGER("data_surplus") ", "
		INTEGER("attr_surplus") ", "
		"PRIMARY KEY (scan_id, recency)) WITHOUT ROWID",
	NULL,
};
// clang-format on
