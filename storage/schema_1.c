// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 1 of the schema. docs/schema.md describes the views, which are public; tables may change.
 *
 * A released step is never edited: a change is a new step.
 *
 * SQLite 3.34 must do, which has no STRICT tables: columns keep their type by CHECKs. Paths and
 * names are bytes in no known encoding, so tables hold them as BLOB; views hand them out as TEXT,
 * byte for byte, so that they compare with what people type. Counts and bytes are 0 to 2^63 - 1.
 *
 * Sums in views stop at 2^63 - 1, see SUM().
 */
#include "storage/schema_steps.h"

#include <stddef.h>

/* Columns of a view. */
#define SUM_IF(condition, x) SUM("CASE WHEN " condition " THEN " x " ELSE 0 END")
#define IS_REGULAR           "c.kind = 0"
#define IS_TINY              "c.kind = 0 AND c.size_class < s.tiny_classes"

#define KIND_NAME                                                                        \
	"CASE kind WHEN 0 THEN 'regular' WHEN 1 THEN 'directory' WHEN 2 THEN 'symlink' " \
	"ELSE 'other' END"

/* What a set of inodes adds up to, as in the JSON of the reports. */
#define SUMS                                                                                    \
	SUM("c.inodes")                                                                         \
	" AS inodes, " SUM_IF(IS_REGULAR, "c.inodes") " AS files, " SUM_IF(                     \
		IS_TINY, "c.inodes") " AS tiny_files, " SUM_IF(IS_TINY,                         \
		"c.size_bytes") " AS tiny_bytes, " SUM_IF(IS_REGULAR,                           \
		"c.size_bytes") " AS bytes, " SUM("c.allocated_bytes") " AS "                   \
								       "allocated_bytes, " SUM( \
									       "c"              \
									       "."              \
									       "s"              \
									       "t"              \
									       "r"              \
									       "e"              \
									       "a"              \
									       "m"              \
									       "_"              \
									       "b"              \
									       "y"              \
									       "t"              \
									       "e"              \
									       "s") " AS "      \
										    "stream_"   \
										    "bytes "

/* The view of one kind of owner. */
#define OWNER_VIEW(view, id)                                        \
	"CREATE VIEW " view " AS SELECT c.scan_id, c." id ", " SUMS \
	"FROM cube AS c JOIN scan AS s ON s.scan_id = c.scan_id GROUP BY c.scan_id, c." id

// clang-format off
const char *const schema_to_1[] = {
	/* --- Tables --- */
	"CREATE TABLE filesystem ("
		"filesystem_id INTEGER PRIMARY KEY, "
		"fs_id TEXT NOT NULL UNIQUE "
			"CHECK (typeof(fs_id) = 'text' AND length(fs_id) BETWEEN 1 AND 63), "
		TEXT_OR("fs_type") ", "
		BYTES_OR("mount_point") ", " /* these two as last seen */
		BYTES_OR("device") ")",

	/* Ids are never used again, so that a number in somebody's notes stays true. */
	"CREATE TABLE scan ("
		"scan_id INTEGER PRIMARY KEY AUTOINCREMENT, "
		"filesystem_id INTEGER NOT NULL REFERENCES filesystem (filesystem_id), "
		TEXT("fs_type") ", "
		BYTES_OR("mount_point") ", "
		BYTES_OR("device") ", "
		ID32("block_bytes") ", "
		COUNT("capacity_bytes") ", "
		COUNT("inode_chunks") ", "
		BYTES_OR("path") ", "
		RANGE("whole_filesystem", "0", "1") ", "
		TEXT("engine") ", "
		TEXT_OR("engine_reason") ", "
		INTEGER("started_seconds") ", "
		SECONDS("seconds") ", "
		ID32("jobs") ", "
		RANGE("tiny_classes", "0", "64") ", " /* size classes below the edge of tiny */
		COUNT("errors") ", "
		COUNT("unlinked") ", "
		COUNT("unknown_inodes") ", "
		RANGE("ages_today", "-3640000", "3640000") ", "
		RANGE("ages_resolution", "0", "4") ", "
		/* Totals of the cube, kept so that listing scans need not add them up. */
		COUNT("inodes") ", "
		COUNT("regular_files") ", "
		COUNT("directories") ", "
		COUNT("symlinks") ", "
		COUNT("others") ", "
		COUNT("tiny_files") ", "
		COUNT("tiny_bytes") ", "
		COUNT("bytes") ", "
		COUNT("allocated_bytes") ", "
		COUNT("stream_bytes") ")",
	"CREATE INDEX scan_by_filesystem ON scan (filesystem_id)",

	/* Clustered by scan: one is a run of pages to load, and to delete. */
	"CREATE TABLE cube ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		ID32("uid") ", "
		ID32("gid") ", "
		ID32("projid") ", "
		RANGE("kind", "0", "3") ", "
		RANGE("size_class", "0", "64") ", "
		COUNT("inodes") ", "
		COUNT("size_bytes") ", "
		COUNT("allocated_bytes") ", "
		COUNT("extents") ", "
		COUNT("stream_bytes") ", "
		"PRIMARY KEY (scan_id, uid, gid, projid, kind, size_class)) WITHOUT ROWID",

	"CREATE TABLE age ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		ID32("uid") ", "
		RANGE("day", "-3640000", "3640000") ", " /* its first, since 1970-01-01 */
		RANGE("kind", "0", "3") ", "
		RANGE("size_class", "0", "64") ", "
		COUNT("inodes") ", "
		COUNT("size_bytes") ", "
		COUNT("allocated_bytes") ", "
		COUNT("stream_bytes") ", "
		"PRIMARY KEY (scan_id, uid, day, kind, size_class)) WITHOUT ROWID",

	"CREATE TABLE failure ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		TEXT("kind") ", "
		COUNT("failures") ", "
		COUNT("inodes") ", "
		"PRIMARY KEY (scan_id, kind)) WITHOUT ROWID",

	"CREATE TABLE failure_example ("
		"scan_id INTEGER NOT NULL, "
		TEXT("kind") ", "
		COUNT("place") ", "
		INTEGER("code") ", "
		TEXT("what") ", " /* a path, escaped already, or words */
		"PRIMARY KEY (scan_id, kind, place), "
		"FOREIGN KEY (scan_id, kind) REFERENCES failure (scan_id, kind) "
			"ON DELETE CASCADE) WITHOUT ROWID",

	"CREATE TABLE calibration ("
		"calibration_id INTEGER PRIMARY KEY AUTOINCREMENT, "
		"filesystem_id INTEGER NOT NULL REFERENCES filesystem (filesystem_id), "
		BYTES_OR("device") ", "
		BYTES_OR("device_identity") ", "
		BYTES_OR("path") ", "
		INTEGER("started_seconds") ", "
		SECONDS("seconds") ", "
		SECONDS("budget_seconds") ", "
		SECONDS("cpu_seconds") ", "
		COUNT("seed") ", "
		COUNT("inodes") ", "
		RANGE("runs", "0", "1048576") ", "
		ID32("runs_in_all") ", "
		RANGE("picked_files", "0", "1048576") ", "
		COUNT("cached_files") ", "
		COUNT("skipped_files") ")",
	"CREATE INDEX calibration_by_filesystem ON calibration (filesystem_id)",

	"CREATE TABLE calibration_cell ("
		"calibration_id INTEGER NOT NULL "
			"REFERENCES calibration (calibration_id) ON DELETE CASCADE, "
		RANGE("run", "0", "1048575") ", "
		RANGE("size_class", "0", "64") ", "
		COUNT("files") ", "
		COUNT("bytes") ", "
		COUNT("stream_bytes") ", "
		SECONDS("file_seconds") ", "
		SECONDS("data_seconds") ", "
		"PRIMARY KEY (calibration_id, run, size_class)) WITHOUT ROWID",

	"CREATE TABLE calibration_pass ("
		"calibration_id INTEGER NOT NULL "
			"REFERENCES calibration (calibration_id) ON DELETE CASCADE, "
		TEXT("kind") ", "
		COUNT("units") ", "
		COUNT("bytes") ", "
		COUNT("disk_bytes") ", "
		SECONDS("seconds") ", "
		"PRIMARY KEY (calibration_id, kind)) WITHOUT ROWID",

	/* --- Views --- */
	"CREATE VIEW v_filesystem AS SELECT f.fs_id, f.fs_type, "
		"CAST(f.mount_point AS TEXT) AS mount_point, CAST(f.device AS TEXT) AS device, "
		"(SELECT count(*) FROM scan AS s WHERE s.filesystem_id = f.filesystem_id) "
			"AS scans, "
		"(SELECT max(s.scan_id) FROM scan AS s WHERE s.filesystem_id = f.filesystem_id) "
			"AS newest_scan_id, "
		"(SELECT max(c.calibration_id) FROM calibration AS c "
			"WHERE c.filesystem_id = f.filesystem_id) AS newest_calibration_id "
		"FROM filesystem AS f",

	"CREATE VIEW v_scan AS SELECT s.scan_id, f.fs_id, s.fs_type, "
		"CAST(s.mount_point AS TEXT) AS mount_point, CAST(s.device AS TEXT) AS device, "
		"CAST(s.path AS TEXT) AS path, s.whole_filesystem, s.engine, s.engine_reason, "
		UTC("s.started_seconds") " AS started, s.started_seconds, s.seconds, s.jobs, "
		"s.block_bytes, s.capacity_bytes, "
		"CASE s.tiny_classes WHEN 0 THEN 0 WHEN 64 THEN " MAX_I64 " "
			"ELSE 1 << (s.tiny_classes - 1) END AS tiny_edge_bytes, "
		"s.inodes, s.regular_files, s.directories, s.symlinks, s.others, s.tiny_files, "
		"s.tiny_bytes, s.bytes, s.allocated_bytes, s.stream_bytes, s.errors, s.unlinked, "
		"s.unknown_inodes "
		"FROM scan AS s JOIN filesystem AS f ON f.filesystem_id = s.filesystem_id",

	OWNER_VIEW("v_user", "uid"),
	OWNER_VIEW("v_group", "gid"),
	OWNER_VIEW("v_project", "projid"),

	"CREATE VIEW v_class AS SELECT c.scan_id, c.size_class, "
		CLASS_LOW " AS low_bytes, " CLASS_HIGH " AS high_bytes, "
		SUM("c.inodes") " AS files, " SUM("c.size_bytes") " AS bytes, "
		SUM("c.allocated_bytes") " AS allocated_bytes, " SUM("c.extents") " AS extents, "
		SUM("c.stream_bytes") " AS stream_bytes "
		"FROM cube AS c WHERE " IS_REGULAR " GROUP BY c.scan_id, c.size_class",

	"CREATE VIEW v_cell AS SELECT scan_id, uid, gid, projid, " KIND_NAME " AS kind, "
		"size_class, "
		CLASS_LOW " AS low_bytes, " CLASS_HIGH " AS high_bytes, "
		"inodes, size_bytes, allocated_bytes, extents, stream_bytes FROM cube",

	"CREATE VIEW v_age AS SELECT c.scan_id, c.uid, c.day, "
		"date(c.day * 86400, 'unixepoch') AS since, " SUMS
		"FROM age AS c JOIN scan AS s ON s.scan_id = c.scan_id "
		"GROUP BY c.scan_id, c.uid, c.day",

	"CREATE VIEW v_failure AS SELECT scan_id, kind, failures, inodes FROM failure",
	"CREATE VIEW v_failure_example AS SELECT scan_id, kind, code, what FROM failure_example",

	"CREATE VIEW v_calibration AS SELECT c.calibration_id, f.fs_id, "
		"CAST(c.device AS TEXT) AS device, "
		"CAST(c.device_identity AS TEXT) AS device_identity, "
		"CAST(c.path AS TEXT) AS path, " UTC("c.started_seconds") " AS started, "
		"c.started_seconds, c.seconds, c.budget_seconds, c.cpu_seconds, c.seed, c.inodes, "
		"c.runs, c.runs_in_all, c.picked_files, c.cached_files, c.skipped_files "
		"FROM calibration AS c JOIN filesystem AS f ON f.filesystem_id = c.filesystem_id",

	"CREATE VIEW v_calibration_class AS SELECT calibration_id, size_class, "
		CLASS_LOW " AS low_bytes, " CLASS_HIGH " AS high_bytes, "
		SUM("files") " AS sampled_files, " SUM("bytes") " AS sampled_bytes, "
		SUM("stream_bytes") " AS stream_bytes, "
		"sum(file_seconds) AS file_seconds, sum(data_seconds) AS data_seconds "
		"FROM calibration_cell GROUP BY calibration_id, size_class",

	"CREATE VIEW v_calibration_pass AS SELECT calibration_id, kind, units, bytes, "
		"disk_bytes, seconds "
		"FROM calibration_pass",
	NULL,
};
// clang-format on
