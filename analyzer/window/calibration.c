// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/window/calibration.h"

#include <stdlib.h>
#include <string.h>

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

void calibration_fini(struct calibration *calibration)
{
	free(calibration->device);
	free(calibration->device_identity);
	free(calibration->path);
	free(calibration->cells);
	sink_fini(&calibration->sink);
	memset(calibration, 0, sizeof(*calibration));
}
