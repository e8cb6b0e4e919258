/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of directories, read from the device.
 *
 * While inodes are read, directories are noted. Entries in the inode itself are handed on at once.
 * Those in blocks that were read together with the inode, since XFS puts them beside it while there
 * is room, are handed on by device_dirs_take_near(). Other extents, and extent trees, are kept till
 * device_dirs_read() reads them in the order of the disk. Memory is bounded: once
 * device_dirs_full(), it is time to read.
 *
 * A directory of one block costs 24 bytes till it is read, a larger one 24 bytes an extent, one
 * with an extent tree 40 bytes for each block that the root in its inode names.
 */
#ifndef ANALYZER_SCAN_DEVICE_DIRS_H
#define ANALYZER_SCAN_DEVICE_DIRS_H

#include "analyzer/scan/device_scan.h"

struct device_dirs;

/* For directories of @scan, read by @reader; both must outlive it. Returns 0 or -ENOMEM. */
int device_dirs_new(struct device_dirs **dirs, const struct device_scan *scan,
	struct device_reader *reader, uint64_t gap_bytes);
void device_dirs_free(struct device_dirs *dirs);

/*
 * Notes the directory @inode, which disk_inode_parse() read from @buffer, and which was found in
 * @around. Called by worker @worker of the scan. Returns 0, -ENOMEM or what the sink returns.
 */
int device_dirs_note(struct device_dirs *dirs, const struct xfs_inode *inode, const void *buffer,
	const struct device_surroundings *around, unsigned worker);

/*
 * Hands on the entries of those directories that worker @worker noted and that have their blocks in
 * @around. To be called when all inodes there were taken: joining is cheaper once they are known.
 * Returns as device_dirs_note().
 */
int device_dirs_take_near(
	struct device_dirs *dirs, const struct device_surroundings *around, unsigned worker);

/* Whether enough is kept that it should be read before more is noted. */
bool device_dirs_full(const struct device_dirs *dirs);

/*
 * Reads what is kept, while no worker notes anything. Returns 0, also if parts could not be read
 * (the sink was told) or the scan was cancelled; -ENOMEM; an errno of the reader or the sink.
 */
int device_dirs_read(struct device_dirs *dirs);

/* Bytes read so far, gaps included. */
uint64_t device_dirs_read_bytes(const struct device_dirs *dirs);

#endif
