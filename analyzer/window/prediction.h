/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A predicted xfsdump, as values: how long, from when to when, and who and what causes it. */
#ifndef ANALYZER_WINDOW_PREDICTION_H
#define ANALYZER_WINDOW_PREDICTION_H

#include "analyzer/census/census.h"
#include "analyzer/window/calibration.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum prediction_phase {
	PHASE_INODE_MAP,   /* sync, INUMBERS, bulkstat over everything */
	PHASE_DIRECTORIES, /* directories and their attributes */
	PHASE_FILES,       /* all others: open, map, read, attributes */
	PHASE_SINK,        /* waiting for the sink */
	PREDICTION_PHASES,
};

/* The name of a phase as in JSON: "inode-map", "directories", "files", "sink". */
const char *prediction_phase_name(enum prediction_phase phase);

struct prediction_class {
	uint8_t size_class;
	uint64_t files; /* regular files */
	uint64_t bytes; /* their sizes */
	double seconds; /* of the files phase */
};

struct prediction_user {
	uint32_t uid;
	uint64_t files; /* regular files */
	uint64_t tiny_files;
	double seconds; /* of all phases, shared out by what causes them */
};

struct prediction {
	double seconds;
	double low_seconds; /* 95 % interval */
	double high_seconds;
	uint64_t dump_bytes; /* size of the media file */
	uint64_t files;      /* regular files dumped */
	char bottleneck[16]; /* "contents", "array", "sink", "cpu" */
	double phases[PREDICTION_PHASES];
	size_t class_count;
	struct prediction_class *classes; /* owned, by class, only those with files */
	size_t user_count;
	struct prediction_user *users; /* owned, most seconds first */
};

/*
 * Predicts a level-0 dump to a null sink of what @cube holds. @inode_chunks as in scan_info;
 * @tiny_bytes the edge of tiny. Returns 0; -ENODATA with a message if @calibration has no sample
 * to go by; -EINVAL if it makes no sense; -ENOMEM. The result is the caller's, prediction_fini()
 * frees it.
 */
int prediction_make(const struct cube *cube, const struct calibration *calibration,
	uint64_t inode_chunks, uint64_t tiny_bytes, struct prediction *prediction, struct err *err);
void prediction_fini(struct prediction *prediction);

/*
 * The seconds that prediction_make() would give and nothing else, hence many times faster: for
 * pricing each scan of a long history. Errors as there.
 */
int prediction_seconds(const struct cube *cube, const struct calibration *calibration,
	double *seconds, struct err *err);

#endif
