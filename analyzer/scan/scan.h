/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a census: chooses an engine, runs it, merges what its workers counted. */
#ifndef ANALYZER_SCAN_SCAN_H
#define ANALYZER_SCAN_SCAN_H

#include "analyzer/census/census.h"
#include "analyzer/census/scan_info.h"
#include "analyzer/scan/device_scan.h"
#include "analyzer/scan/target.h"
#include "base/err.h"
#include "base/progress.h"

#include <stdbool.h>
#include <stdint.h>

enum scan_engine_choice { ENGINE_AUTO, ENGINE_DEVICE, ENGINE_BULKSTAT, ENGINE_WALK };

struct scan_options {
	enum scan_engine_choice engine;
	unsigned jobs;                /* workers, at least 1 */
	uint64_t tiny_bytes;          /* edge of tiny, a power of two */
	bool directories;             /* charge every inode to its directory */
	size_t directory_rows;        /* fold small ones until so many are left; 0: never */
	bool bulkstat_v1;             /* use the old ioctl even where the new one is there */
	double fresh_seconds;         /* device: to wait at most where a log cannot be read */
	bool freeze;                  /* the filesystem while it is scanned */
	unsigned freeze_seconds;      /* but not for longer than this */
	struct device_options device; /* of the device engine; all zero is the default */
	struct progress *progress;    /* may be NULL */
};

/*
 * Waiting for changes to reach their place: the kernel takes up to half a minute to write them if
 * nothing else happens.
 */
#define SCAN_FRESH_SECONDS 60

/* Writers that wait longer than this do more harm than a scan is worth. */
#define SCAN_FREEZE_SECONDS 300

/* The above, DEFAULT_TINY_BYTES, automatic engine, directories, a worker for each processor. */
void scan_options_init(struct scan_options *options);

/*
 * Takes the census of @target. Fills @info (strings owned by it; scan_info_fini()) and @census
 * (initialised here; census_fini()), sorted, also when it returns an error.
 *
 * With options->freeze, the filesystem is thawed when it returns, whatever happens, and at the end
 * of the process at the latest; nobody must write to it from the calling process meanwhile.
 *
 * Returns 0, with failures in census->failures if parts could not be read; -ECANCELED if the user
 * stopped it; -EPERM, -EOPNOTSUPP, … with a message if no engine can do it or the engine asked for
 * cannot.
 */
int scan_run(const struct scan_options *options, const struct scan_target *target,
	struct scan_info *info, struct census *census, struct err *err);

#endif
