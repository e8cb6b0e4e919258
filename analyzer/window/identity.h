/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which device a filesystem lies on, so that a calibration of another array is noticed. */
#ifndef ANALYZER_WINDOW_IDENTITY_H
#define ANALYZER_WINDOW_IDENTITY_H

#include <sys/types.h>

/* The path of block device @device as the kernel names it ("/dev/sda1"), to be freed, or NULL. */
char *device_path(dev_t device);

/*
 * What is known of the device itself, in one line, to be freed, or NULL: model and serial of a
 * disk, name and UUID of a device-mapper or md device, the file behind a loop device; and its size.
 */
char *device_identity(dev_t device);

/* How what is known of two devices, or of one at two times, compares. */
enum identity_match {
	IDENTITY_UNKNOWN, /* nothing is known of one of them */
	IDENTITY_SAME,
	IDENTITY_RESIZED, /* the same but for the size: a volume that was grown */
	IDENTITY_OTHER,
};

/*
 * Compares two texts of device_identity(), either may be NULL: that of a calibration with the one
 * of the device that the filesystem lies on now tells whether it still speaks of the same array.
 */
enum identity_match identity_compare(const char *before, const char *now);

#endif
