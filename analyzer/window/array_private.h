/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind array.h share. */
#ifndef ANALYZER_WINDOW_ARRAY_PRIVATE_H
#define ANALYZER_WINDOW_ARRAY_PRIVATE_H

#include "analyzer/window/array.h"
#include "analyzer/window/random.h"
#include "base/units.h"

#define ARRAY_READ_MAX_BYTES ((uint32_t)MIB)
#define ARRAY_ALIGN_BYTES    4096
#define ARRAY_CREDIT_SHARE   0.25 /* of a pattern's time, before reads count */

struct array {
	int fd;
	uint64_t bytes; /* of the device, that are the filesystem's */
	struct random random;
	void *buffer; /* owned, ARRAY_READ_MAX_BYTES */
};

/*
 * Random reads of reading->read_bytes, reading->at_once of them under way at a time, for @seconds.
 * Fills in the rest of @reading. Returns whether there is anything to tell: not after an error, or
 * where no read was done in time.
 */
bool array_read_at_once(struct array *array, double seconds, struct array_reading *reading);

#endif
