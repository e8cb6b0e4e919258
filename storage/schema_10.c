// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 10 of the schema: the key of the array's readings comes first in its table. Nothing else
 * changes. SQLite takes columns of a key that lie elsewhere, in a table without row ids, from the
 * wrong place when `PRAGMA integrity_check` looks for NULLs (3.40 does), and a sound database was
 * told to be broken.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_10[] = {
	"DROP VIEW v_calibration_reading",
	"CREATE TABLE reading_10 ("
		"calibration_id INTEGER NOT NULL "
			"REFERENCES calibration (calibration_id) ON DELETE CASCADE, "
		TEXT("pattern") ", "
		RANGE("read_bytes", "1", "4294967295") ", "
		RANGE("at_once", "1", "1024") ", "
		COUNT("reads") ", "
		SECONDS("seconds") ", "
		"PRIMARY KEY (calibration_id, pattern, read_bytes, at_once)) WITHOUT ROWID",
	"INSERT INTO reading_10 SELECT calibration_id, pattern, read_bytes, at_once, reads, "
		"seconds FROM calibration_reading",
	"DROP TABLE calibration_reading",
	"ALTER TABLE reading_10 RENAME TO calibration_reading",
	"CREATE VIEW v_calibration_reading AS SELECT calibration_id, pattern, read_bytes, at_once, "
		"reads, seconds, CASE WHEN seconds > 0 THEN reads * 1.0 * read_bytes / seconds END "
		"AS bytes_per_second FROM calibration_reading",
	NULL,
};
// clang-format on
