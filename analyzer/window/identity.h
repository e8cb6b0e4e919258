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

#endif
