/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A predicted xfsdump, as values: how long, from when to when, and who and what causes it. */
#ifndef ANALYZER_WINDOW_PREDICTION_H
#define ANALYZER_WINDOW_PREDICTION_H

#include "analyzer/window/dump_model.h"
#include "analyzer/window/dump_streams.h"
#include "analyzer/window/prediction_request.h"
#include "analyzer/window/verdict.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

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
	double seconds;      /* of all phases, shared out by what causes them */
	double tiny_seconds; /* of them, what the tiny files cause */
};

/* The dump as it would be otherwise. */
struct prediction_variant {
	char *label;    /* owned: "as is", a what-if's label, "all together" */
	double seconds; /* NAN where the sample does not tell */
	double low_seconds;
	double high_seconds;
	uint64_t dump_bytes;
	uint64_t files;
	enum verdict_cause cause;
	uint64_t left_out_pack_bytes; /* an archive too large for the dump's size limit; 0: none */
};

struct prediction {
	double seconds;
	double low_seconds; /* 95 % interval */
	double high_seconds;
	uint64_t dump_bytes;             /* size of the media file, of several the sum */
	uint64_t xfsdump_estimate_bytes; /* what xfsdump itself would say */
	uint64_t files;                  /* regular files dumped */
	char bottleneck[16];             /* the name of verdict.cause */
	struct verdict verdict;
	double phases[PREDICTION_PHASES];
	double phases_low[PREDICTION_PHASES]; /* of low_seconds and high_seconds */
	double phases_high[PREDICTION_PHASES];
	size_t class_count;
	struct prediction_class *classes; /* owned, by class, only those with files */
	size_t user_count;
	struct prediction_user *users; /* owned, most seconds first */
	unsigned stream_count;         /* 0: a single one */
	struct dump_stream streams[DUMP_STREAMS_MAX];
	size_t variant_count;                /* 0: nothing was asked for */
	struct prediction_variant *variants; /* owned: as is, each, and all together */
};

/*
 * Predicts the dump that @request asks for. Returns 0; -ENODATA with a message if the calibration
 * has no sample to go by, or the scan does not know what an option asks for; -EINVAL if the
 * calibration makes no sense or a sink is not measured; -ENOMEM. The result is the caller's,
 * prediction_fini() frees it.
 */
int prediction_make(
	const struct prediction_request *request, struct prediction *prediction, struct err *err);
void prediction_fini(struct prediction *prediction);

/*
 * The seconds that prediction_make() would give and nothing else, hence many times faster: for
 * pricing each scan of a long history. Errors as there.
 */
int prediction_seconds(const struct cube *cube, const struct calibration *calibration,
	double *seconds, struct err *err);

#endif
