/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that the device engine finds, on their way to the join of directories.
 *
 * Entries come from directory blocks on the device, in the order of the disk. Directories that the
 * device may be wrong about (they are in the log, or were met half written) are noted by their
 * inode number and read through the mount in the end.
 *
 * Old filesystems have names that do not tell what they lead to (no ftype). Then the join must have
 * all inodes before the first entry comes, and is asked.
 */
#ifndef ANALYZER_SCAN_DEVICE_NAMES_H
#define ANALYZER_SCAN_DEVICE_NAMES_H

#include "analyzer/scan/engine.h"
#include "analyzer/xfs/disk/dir.h"
#include "analyzer/xfs/disk/super.h"

struct device_names;

/* Prepares to hand names to job->join, whose root becomes that of @super. Returns 0 or -ENOMEM. */
int device_names_new(
	struct device_names **names, struct scan_job *job, const struct disk_super *super);
void device_names_free(struct device_names *names);

/* Takes an entry: device_sink.entry. Returns 0 or -ENOMEM. */
int device_names_entry(
	struct device_names *names, const struct disk_dir_entry *entry, unsigned worker);

/* Notes directory @ino for later: device_sink.directory_later. Returns 0 or -ENOMEM. */
int device_names_later(struct device_names *names, uint64_t ino, unsigned worker);

/*
 * Reads what was noted through the mounted filesystem of the job, each once. What cannot be read is
 * tallied in the job's first part; what is gone is not. Returns 0; -ECANCELED; -ENOMEM.
 */
int device_names_finish(struct device_names *names);

#endif
