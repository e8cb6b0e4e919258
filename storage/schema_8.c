// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 8 of the schema: what an array delivers to several readers at a time. docs/schema.md
 * describes the view.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_8[] = {
	"DROP VIEW v_calibration_reading",
	"CREATE TABLE reading_8 ("
		"calibration_id INTEGER NOT NULL "
			"REFERENCES calibration (calibration_id) ON DELETE CASCADE, "
		TEXT("pattern") ", "
		RANGE("read_bytes", "1", "4294967295") ", "
		COUNT("reads") ", "
		SECONDS("seconds") ", "
		RANGE("at_once", "1", "1024") ", "
		"PRIMARY KEY (calibration_id, pattern, read_bytes, at_once)) WITHOUT ROWID",
	"INSERT INTO reading_8 SELECT calibration_id, pattern, read_bytes, reads, seconds, 1 "
		"FROM calibration_reading",
	"DROP TABLE calibration_reading",
	"ALTER TABLE reading_8 RENAME TO calibration_reading",
	"CREATE VIEW v_calibration_reading AS SELECT calibration_id, pattern, read_bytes, at_once, "
		"reads, seconds, CASE WHEN seconds > 0 THEN reads * 1.0 * read_bytes / seconds END "
		"AS bytes_per_second FROM calibration_reading",
	NULL,
};
// clang-format on
