/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece of metadata that is checked, and read again if it fails. */
#ifndef ANALYZER_SCAN_DEVICE_AGAIN_H
#define ANALYZER_SCAN_DEVICE_AGAIN_H

#include "analyzer/scan/device_scan.h"

/*
 * Checks a piece and takes what it says. Returns 0 or more, or a negative errno with a message:
 * -EBADMSG for a wrong checksum, -EUCLEAN for nonsense.
 */
typedef int (*device_check_fn)(const void *data, void *context, struct err *err);

struct device_piece {
	uint64_t offset;
	uint32_t bytes;
	device_check_fn check;
	void *context;
};

/* Where the piece lies in what @read got; NULL if it was not read whole. */
const void *device_piece_in(const struct device_piece *piece, const struct device_read *read,
	const void *data, ssize_t got);

/*
 * Checks the piece at @data. If that is NULL or fails, reads it again by itself: once, or on a
 * mounted filesystem, which may just be writing it, a few times with growing pauses. Returns what
 * the check did at last, with @err set accordingly, or the errno of reading.
 */
int device_check(const struct device_scan *scan, const struct device_piece *piece, const void *data,
	struct err *err);

#endif
