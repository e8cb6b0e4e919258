/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a scan engine is. scan.c has the table of them and the choice.
 *
 * An engine reads all inodes of the target and gives each as an inode_record to the census of the
 * worker that read it. It is told how many workers it may use and finds a census for each.
 */
#ifndef ANALYZER_SCAN_ENGINE_H
#define ANALYZER_SCAN_ENGINE_H

#include "analyzer/census/directory_join.h"
#include "analyzer/scan/scan.h"

#include <errno.h>

/* What an engine returns that has begun and finds that it cannot be exact: another one may. */
#define ENGINE_GIVES_WAY (-ETIMEDOUT)

struct scan_job {
	const struct scan_options *options;
	const struct scan_target *target;
	struct directory_join *join; /* where directories are charged; NULL: not wanted */
	struct census *parts;        /* one for each of options->jobs workers, initialised */
	struct scan_info *info;      /* the engine may fill in what it learns (inode_chunks, …) */
};

struct scan_engine {
	const char *name;

	/*
	 * Whether the engine can read @target here and now: 0, or a negative errno with the reason
	 * in @err, worded to stand after "not device: ".
	 */
	int (*usable)(const struct scan_options *options, const struct scan_target *target,
		struct err *err);

	/*
	 * Reads everything. What cannot be read is put into the failures of a part and does not end
	 * the scan. Returns 0; -ECANCELED if progress_cancelled(); ENGINE_GIVES_WAY with a message
	 * worded as that of usable(); another negative errno with a message if the scan as a whole
	 * is impossible. After an error the parts are thrown away.
	 */
	int (*run)(struct scan_job *job, struct err *err);
};

extern const struct scan_engine engine_device;
extern const struct scan_engine engine_bulkstat;
extern const struct scan_engine engine_walk;

#endif
