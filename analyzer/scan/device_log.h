/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of a filesystem whose device is read. */
#ifndef ANALYZER_SCAN_DEVICE_LOG_H
#define ANALYZER_SCAN_DEVICE_LOG_H

#include "analyzer/scan/device_scan.h"
#include "analyzer/xfs/log/log.h"

/*
 * Where the log lies, for log_collect(): on @source, which is the filesystem's device if the log is
 * internal (super->log_start is not 0), else the log device.
 */
void device_log_describe(
	struct log_source *log, const struct device_source *source, const struct disk_super *super);

/* How the log of a filesystem that is not mounted ends. */
struct device_log_end {
	struct log_position head; /* all zero if nobody knows */
	bool clean;               /* with an unmount: nothing in it is still to be done */
};

/*
 * Looks whether the log of filesystem @super, which is not mounted, holds changes of inodes: only a
 * mount will put them in their place, so the device tells an older state. That, or a log that
 * cannot be read or does not belong there, goes to @sink as a FAILURE_LOG. Fills in @end. Returns 0
 * or -ENOMEM.
 */
int device_log_tell(const struct log_source *log, const struct disk_super *super,
	const struct device_sink *sink, struct device_log_end *end);

/*
 * Tells @sink if the log does not end at @head any more, where device_log_tell() found its end:
 * somebody mounted the filesystem while it was read, and nothing may be what it was. Returns 0 or
 * -ENOMEM.
 */
int device_log_tell_moved(const struct log_source *log, const struct log_position *head,
	const struct device_sink *sink);

#endif
