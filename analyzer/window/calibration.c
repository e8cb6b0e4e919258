// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/window/calibration.h"

#include "analyzer/census/dump_facts.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

double calibration_sampled_seconds(const struct calibration *calibration)
{
	double seconds = 0;

	for (size_t i = 0; i < calibration->cell_count; i++)
		seconds += calibration->cells[i].file_seconds + calibration->cells[i].data_seconds;
	return seconds;
}

/* Cells come one by one; the array doubles whenever their number reaches a power of two. */
struct calibration_cell *calibration_add_cell(
	struct calibration *calibration, uint32_t run, unsigned size_class)
{
	size_t count = calibration->cell_count;
	struct calibration_cell *cell;

	if (!(count & (count - 1))) {
		size_t room = count ? 2 * count : 1;
		struct calibration_cell *cells =
			reallocarray(calibration->cells, room, sizeof(*cells));

		if (!cells)
			return NULL;
		calibration->cells = cells;
	}
	cell = &calibration->cells[calibration->cell_count++];
	*cell = (struct calibration_cell){.run = run, .size_class = (uint8_t)size_class};
	return cell;
}

void calibration_add_layout(struct calibration *calibration, uint64_t extents, uint64_t told_bytes,
	uint64_t stream_bytes)
{
	enum calibration_pass_kind kind =
		extents > DUMP_FEW_EXTENTS ? PASS_MANY_EXTENTS : PASS_FEW_EXTENTS;
	struct calibration_pass *pass = &calibration->passes[kind];

	pass->kind = kind;
	pass->units = sat_add_u64(pass->units, told_bytes);
	pass->bytes = sat_add_u64(pass->bytes, stream_bytes);
}

void calibration_fini(struct calibration *calibration)
{
	free(calibration->device);
	free(calibration->device_identity);
	free(calibration->path);
	free(calibration->cells);
	sink_fini(&calibration->sink);
	memset(calibration, 0, sizeof(*calibration));
}
