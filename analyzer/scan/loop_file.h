/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file a loop device shows. */
#ifndef ANALYZER_SCAN_LOOP_FILE_H
#define ANALYZER_SCAN_LOOP_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Whether @device is a loop device that shows @file from its first byte on. False too where /sys
 * does not tell, or names the file by a path that leads nowhere from here.
 */
bool loop_shows_file(dev_t device, const struct stat *file);

#endif
