// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 7 of the schema: what of a calibration's runs the page cache spoiled. docs/schema.md
 * describes the view.
 */
#include "storage/schema_steps.h"

#include <stddef.h>

// clang-format off
const char *const schema_to_7[] = {
	"ALTER TABLE calibration_cell ADD COLUMN " COUNT("left_out") " DEFAULT 0",

	"DROP VIEW v_calibration_class",
	"CREATE VIEW v_calibration_class AS SELECT calibration_id, size_class, "
		CLASS_LOW " AS low_bytes, " CLASS_HIGH " AS high_bytes, "
		SUM("files") " AS sampled_files, " SUM("bytes") " AS sampled_bytes, "
		SUM("stream_bytes") " AS stream_bytes, "
		"sum(file_seconds) AS file_seconds, sum(data_seconds) AS data_seconds, "
		SUM("left_out") " AS left_out_files "
		"FROM calibration_cell GROUP BY calibration_id, size_class",
	NULL,
};
// clang-format on
