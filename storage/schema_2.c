// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 2 of the schema: directories. docs/schema.md describes the views.
 *
 * Rows are numbered in preorder, so that a tree is a run of numbers. A directory in which nobody
 * but its owner has anything, as most are, needs no row for its user.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

#define SUMS(prefix)                                                           \
	COUNT(prefix "files")                                                  \
	", " COUNT(prefix "tiny_files") ", " COUNT(prefix "bytes") ", " COUNT( \
		prefix "allocated_bytes")

#define SUM_COLUMNS(alias)                                                                   \
	alias "files, " alias "tiny_files, " alias "bytes, " alias "allocated_bytes, " alias \
	      "tree_files, " alias "tree_tiny_files, " alias "tree_bytes, " alias            \
	      "tree_allocated_bytes"

// clang-format off
/*
 * The path from the root down to directory d: the numbers on the way up, then their names at once,
 * since in preorder a directory's number is larger than its parent's.
 */
#define PATH                                                                                 \
	"CASE WHEN d.directory_id = 0 THEN '/' WHEN d.parent_id IS NULL THEN NULL ELSE ("    \
	"WITH RECURSIVE up (id) AS (SELECT d.directory_id UNION ALL SELECT x.parent_id "     \
	"FROM up JOIN directory AS x ON x.scan_id = d.scan_id AND x.directory_id = up.id "   \
	"WHERE x.parent_id IS NOT NULL) "                                                    \
	"SELECT CASE WHEN min(id) = 0 THEN group_concat(part, '') END FROM "                 \
	"(SELECT x.directory_id AS id, CASE WHEN x.parent_id IS NULL THEN '' "               \
	"ELSE '/' || CAST(x.name AS TEXT) END AS part FROM up JOIN directory AS x "          \
	"ON x.scan_id = d.scan_id AND x.directory_id = up.id ORDER BY x.directory_id)) END"

const char *const schema_to_2[] = {
	/* A scan without a row here did not look at directories. */
	"CREATE TABLE directory_scan ("
		"scan_id INTEGER PRIMARY KEY REFERENCES scan (scan_id) ON DELETE CASCADE, "
		COUNT("fold_files") ", "
		COUNT("directories") ", "
		RANGE("has_unresolved", "0", "1") ")",

	"CREATE TABLE directory ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		ID32("directory_id") ", "
		"parent_id INTEGER CHECK (typeof(parent_id) = 'null' OR "
			"typeof(parent_id) = 'integer' AND "
			"parent_id BETWEEN 0 AND directory_id - 1), "
		COUNT("ino") ", "
		"name BLOB NOT NULL CHECK (typeof(name) = 'blob'), "
		ID32("uid") ", "
		RANGE("is_shared", "0", "1") ", "
		COUNT("subdirectories") ", "
		COUNT("tree_directories") ", "
		SUMS("") ", "
		SUMS("tree_") ", "
		"PRIMARY KEY (scan_id, directory_id)) WITHOUT ROWID",

	"CREATE TABLE directory_user ("
		"scan_id INTEGER NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE, "
		ID32("directory_id") ", "
		ID32("uid") ", "
		SUMS("") ", "
		SUMS("tree_") ", "
		"PRIMARY KEY (scan_id, directory_id, uid)) WITHOUT ROWID",

	"CREATE VIEW v_directory_scan AS SELECT scan_id, directories, fold_files "
		"FROM directory_scan",

	"CREATE VIEW v_directory AS SELECT d.scan_id, d.directory_id, d.parent_id, d.ino, "
		"CAST(d.name AS TEXT) AS name, " PATH " AS path, d.uid, "
		"d.subdirectories, d.tree_directories, " SUM_COLUMNS("d.") " FROM directory AS d",

	"CREATE VIEW v_directory_user AS SELECT u.scan_id, u.directory_id, u.uid, "
		SUM_COLUMNS("u.") " FROM directory_user AS u UNION ALL "
		"SELECT d.scan_id, d.directory_id, d.uid, " SUM_COLUMNS("d.")
		" FROM directory AS d WHERE NOT d.is_shared",
	NULL,
};
// clang-format on
