/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The superblock of a device, and what in it is not to be believed. */
#ifndef ANALYZER_SCAN_DEVICE_SUPER_H
#define ANALYZER_SCAN_DEVICE_SUPER_H

#include "analyzer/scan/device_scan.h"

/*
 * Reads and checks the superblock. Where it is damaged and nobody has the filesystem mounted
 * (@at_rest), a copy takes its place if there is one; super->copy_agno tells. Errors as of
 * disk_super_parse(), and of reading.
 */
int device_super_read(struct disk_super *super, const struct device_source *source, bool at_rest,
	struct err *err);

/*
 * Inodes that the superblock calls those of quota are left out of a census, so a number that is
 * wrong would hide somebody's. Takes it out of super->internal_inos where the inode is none of
 * quota, and tells @sink. Not for what is mounted: the kernel has made up its mind, and on the
 * device the inode may not be what it is. Returns 0 or -ENOMEM.
 */
int device_super_check_quota(struct disk_super *super, const struct device_source *source,
	const struct device_sink *sink);

/*
 * Takes the number of AGs and the size of the mounted filesystem that @fd is open on from the
 * kernel: once it has grown, the device lags, and the log may name what lies in new AGs. Whether
 * anything differed. Not while others read @super.
 */
bool device_super_follow(struct disk_super *super, int fd);

/* Tells the sink of a superblock that is a copy, and of first inodes that make no sense. */
void device_super_tell(const struct device_scan *scan);

#endif
