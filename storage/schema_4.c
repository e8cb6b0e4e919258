// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 4 of the schema: what calibration says besides the cost of files: of the array as such,
 * of the sink, of how sure it is and who else was at work. docs/schema.md describes the views.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_4[] = {
	"ALTER TABLE calibration ADD COLUMN " RANGE("nice", "0", "1") " DEFAULT 0",
	"ALTER TABLE calibration ADD COLUMN " SECONDS("interval_share") " DEFAULT 0.0",
	"ALTER TABLE calibration ADD COLUMN " SECONDS("drift") " DEFAULT 0.0",
	"ALTER TABLE calibration ADD COLUMN " COUNT("read_bytes") " DEFAULT 0",
	"ALTER TABLE calibration ADD COLUMN " COUNT("others_read_bytes") " DEFAULT 0",
	"ALTER TABLE calibration ADD COLUMN " COUNT("others_written_bytes") " DEFAULT 0",
	"ALTER TABLE calibration ADD COLUMN " RANGE("picked_runs", "0", "1048576") " DEFAULT 0",
	"ALTER TABLE calibration_pass ADD COLUMN " SECONDS("assumed_seconds") " DEFAULT 0.0",

	"CREATE TABLE calibration_reading ("
		"calibration_id INTEGER NOT NULL "
			"REFERENCES calibration (calibration_id) ON DELETE CASCADE, "
		TEXT("pattern") ", "
		RANGE("read_bytes", "1", "4294967295") ", "
		COUNT("reads") ", "
		SECONDS("seconds") ", "
		"PRIMARY KEY (calibration_id, pattern, read_bytes)) WITHOUT ROWID",

	/* bytes_per_second is NULL where it takes everything at once */
	"CREATE TABLE calibration_sink ("
		"calibration_id INTEGER PRIMARY KEY "
			"REFERENCES calibration (calibration_id) ON DELETE CASCADE, "
		"spec BLOB NOT NULL CHECK (typeof(spec) = 'blob'), "
		"bytes_per_second REAL CHECK (typeof(bytes_per_second) = 'null' OR "
			"typeof(bytes_per_second) = 'real' AND "
			"bytes_per_second BETWEEN 0 AND 1e300), "
		SECONDS("record_seconds") ", "
		COUNT("buffer_bytes") ", "
		COUNT("measured_bytes") ", "
		SECONDS("measured_seconds") ")",

	"DROP VIEW v_calibration",
	"CREATE VIEW v_calibration AS SELECT c.calibration_id, f.fs_id, "
		"CAST(c.device AS TEXT) AS device, "
		"CAST(c.device_identity AS TEXT) AS device_identity, "
		"CAST(c.path AS TEXT) AS path, "
		"strftime('%Y-%m-%dT%H:%M:%SZ', c.started_seconds, 'unixepoch') AS started, "
		"c.started_seconds, c.seconds, c.budget_seconds, c.cpu_seconds, c.seed, c.inodes, "
		"c.runs, c.runs_in_all, c.picked_files, c.cached_files, c.skipped_files, "
		"c.picked_runs, c.nice, c.interval_share, c.drift, c.read_bytes, "
		"c.others_read_bytes, c.others_written_bytes "
		"FROM calibration AS c JOIN filesystem AS f ON f.filesystem_id = c.filesystem_id",

	"DROP VIEW v_calibration_pass",
	"CREATE VIEW v_calibration_pass AS SELECT calibration_id, kind, units, bytes, "
		"disk_bytes, seconds, assumed_seconds FROM calibration_pass",

	"CREATE VIEW v_calibration_reading AS SELECT calibration_id, pattern, read_bytes, reads, "
		"seconds, CASE WHEN seconds > 0 THEN reads * 1.0 * read_bytes / seconds END "
		"AS bytes_per_second FROM calibration_reading",

	"CREATE VIEW v_calibration_sink AS SELECT calibration_id, CAST(spec AS TEXT) AS sink, "
		"bytes_per_second, record_seconds, buffer_bytes, measured_bytes, measured_seconds "
		"FROM calibration_sink",
	NULL,
};
// clang-format on
