// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 6 of the schema: past dumps, and what had been predicted of them. docs/schema.md
 * describes the view. A dump outlives the scan and the calibration that it was predicted from.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
#define OR_NULL(name, type, check) name " " type " CHECK (typeof(" name ") = 'null' OR (" check "))"
#define COUNT_OR(name) \
	OR_NULL(name, "INTEGER", "typeof(" name ") = 'integer' AND " name " >= 0")
#define TIME_OR(name) \
	OR_NULL(name, "INTEGER", "typeof(" name ") = 'integer'")
#define LEVEL_OR(name) \
	OR_NULL(name, "INTEGER", "typeof(" name ") = 'integer' AND " name " BETWEEN 0 AND 9")
#define SECONDS_OR(name) \
	OR_NULL(name, "REAL", "typeof(" name ") = 'real' AND " name " BETWEEN 0 AND 1e300")

const char *const schema_to_6[] = {
	"CREATE TABLE dump_session ("
		"dump_id INTEGER PRIMARY KEY AUTOINCREMENT, "
		"filesystem_id INTEGER NOT NULL REFERENCES filesystem (filesystem_id), "
		TEXT_OR("session_id") ", "
		BYTES_OR("host") ", "
		BYTES_OR("mount_point") ", "
		RANGE("level", "0", "9") ", "
		RANGE("resumed", "0", "1") ", "
		TIME_OR("started_seconds") ", "
		LEVEL_OR("base_level") ", "
		TIME_OR("base_seconds") ", "
		TEXT("status") ", "
		ID32("problems") ", " /* what was not understood, enum dump_problem */
		ID32("streams") ", "
		ID32("failed_streams") ", "
		COUNT_OR("seconds") ", "
		COUNT_OR("estimated_bytes") ", "
		COUNT_OR("media_bytes") ", "
		COUNT_OR("file_bytes") ", "
		TEXT("sink") ", "
		"scan_id INTEGER REFERENCES scan (scan_id) ON DELETE SET NULL, "
		"calibration_id INTEGER "
			"REFERENCES calibration (calibration_id) ON DELETE SET NULL, "
		SECONDS_OR("predicted_seconds") ", "
		SECONDS_OR("predicted_low_seconds") ", "
		SECONDS_OR("predicted_high_seconds") ", "
		COUNT_OR("predicted_bytes") ", "
		"UNIQUE (filesystem_id, session_id))",
	"CREATE INDEX dump_session_by_time ON dump_session (filesystem_id, started_seconds)",
	"CREATE INDEX dump_session_by_scan ON dump_session (scan_id)",

	"CREATE VIEW v_dump AS SELECT d.dump_id, f.fs_id, d.session_id, "
		"CAST(d.host AS TEXT) AS host, CAST(d.mount_point AS TEXT) AS mount_point, "
		"d.level, d.resumed, " UTC("d.started_seconds") " AS started, d.started_seconds, "
		"d.base_level, " UTC("d.base_seconds") " AS base_started, d.base_seconds, "
		"d.status, d.streams, d.failed_streams, d.seconds, d.estimated_bytes, "
		"d.media_bytes, d.file_bytes, d.sink, d.scan_id, d.calibration_id, "
		"d.predicted_seconds, d.predicted_low_seconds, d.predicted_high_seconds, "
		"d.predicted_bytes, CASE WHEN d.status = 'SUCCESS' AND d.seconds > 0 "
		"THEN d.predicted_seconds / d.seconds - 1 END AS error "
		"FROM dump_session AS d JOIN filesystem AS f ON f.filesystem_id = d.filesystem_id",
	NULL,
};
// clang-format on
