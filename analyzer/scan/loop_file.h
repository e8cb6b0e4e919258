/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file or device a loop device shows. */
#ifndef ANALYZER_SCAN_LOOP_FILE_H
#define ANALYZER_SCAN_LOOP_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

/*
 * The loop device that shows @file, a regular file or a block device, from its first byte on and
 * that the kernel has mounted as XFS, itself or what lies on it, in whichever mount namespace; 0 if
 * there is none. It may show another loop device, which shows @file. 0 too where /sys does not
 * tell, or names the file by a path that leads nowhere from here.
 */
dev_t loop_mounted_from(const struct stat *file);

#endif
