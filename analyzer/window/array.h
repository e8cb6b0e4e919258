/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The array as such: its block device, read past the page cache, nothing of XFS in between.
 *
 * Reads are one at a time, as those of a stream of xfsdump's are: what `dd iflag=direct` and `fio
 * --iodepth=1 --rw=randread` would measure; and several at a time, as several streams do it.
 * Nothing but reading is done to the device.
 */
#ifndef ANALYZER_WINDOW_ARRAY_H
#define ANALYZER_WINDOW_ARRAY_H

#include "analyzer/window/calibration.h"
#include "analyzer/window/pace.h"

#include <stdint.h>
#include <sys/types.h>

struct array;

/*
 * Opens the device (or image file) at @path, of which the first @limit_bytes are the filesystem's;
 * @seed starts the choice of places. Returns 0, -ENOMEM, or the errno of open(2), to which -EINVAL
 * is added for what cannot be read past the page cache or is smaller than a read.
 */
int array_open(struct array **array, const char *path, uint64_t limit_bytes, uint64_t seed);
void array_close(struct array *array);

/* Reads @bytes (at most 1 MiB) at @offset, both whole sectors. Returns the seconds, or -1. */
double array_read(struct array *array, uint64_t offset, uint32_t bytes);

/*
 * Waits until what was asked of the device before has been done, or paid for where it is throttled:
 * reads until reading takes as long as it just did, a few times at most. The waiting counts as work
 * of @pace, what the reads take by themselves does not. Nothing for a NULL @array.
 */
void array_drain(struct array *array, struct pace *pace);

/*
 * Measures sequential reads of 1 MiB and random ones of 4 KiB, 64 KiB and 1 MiB, for @seconds in
 * all; each gets a read at least. Then random ones of 4 KiB and 1 MiB, two and eight at a time,
 * where there was time for any and @pace is not nice to others. Fills @readings and returns their
 * number, 0 if the device cannot be read or @pace's user wants an end.
 */
unsigned array_measure(struct array *array, double seconds, struct pace *pace,
	struct array_reading readings[CALIBRATION_MAX_READINGS]);

/* What a device has done since the system was started, whoever asked for it. */
struct array_traffic {
	uint64_t read_bytes;
	uint64_t written_bytes;
};

/*
 * Of @device, or the whole disk that it is a partition of. Returns 0 or -ENOENT where the kernel
 * does not tell.
 */
int array_traffic(dev_t device, struct array_traffic *traffic);

#endif
