/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan that a reading command acts on, and what goes with it. */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include "analyzer/census/census.h"
#include "analyzer/window/learn.h"
#include "analyzer/window/prediction.h"
#include "cli/options.h"
#include "storage/store.h"

/* The arguments by which a command lets its user choose. */
struct selection_args {
	uint64_t scan;         /* --scan=ID; 0: not given */
	const char *fs;        /* --fs=MOUNT|UUID, or a tree that was scanned alone */
	uint64_t calibration;  /* --calibration=ID; 0: not given */
	bool whole_filesystem; /* without --scan, leave out scans of a tree alone */
	bool ages;             /* load them too */
	bool predict_later;    /* the command calls selection_predict() itself */
};

/* Entries for a command's option table; @args is its struct, @member its selection_args. */
// clang-format off
#define SELECTION_OPTIONS(args, member)                                                            \
	{.name = "scan",                                                                           \
		.type = OPTION_COUNT,                                                              \
		.offset = offsetof(args, member.scan),                                             \
		.value = "ID",                                                                     \
		.min = 1,                                                                          \
		.max = INT64_MAX,                                                                  \
		.help = "act on that scan; by default on the newest of a "                         \
			"whole filesystem"},                                                       \
	{.name = "fs",                                                                             \
		.type = OPTION_TEXT,                                                               \
		.offset = offsetof(args, member.fs),                                               \
		.value = "MOUNT|UUID",                                                             \
		.help = "act on the newest scan of that filesystem, or of a tree that "            \
			"was scanned alone"},                                                      \
	{.name = "calibration",                                                                    \
		.type = OPTION_COUNT,                                                              \
		.offset = offsetof(args, member.calibration),                                      \
		.value = "ID",                                                                     \
		.min = 1,                                                                          \
		.max = INT64_MAX,                                                                  \
		.help = "predict by that calibration; by default by the newest"}
// clang-format on

/* What was found. */
struct selection {
	struct scan_info scan;
	struct cube cube;
	struct ages ages; /* empty unless asked for */
	struct dump_facts facts;
	bool has_calibration;
	struct calibration calibration; /* that chosen, or the newest of that filesystem */
	struct dump_history history;    /* past dumps of the kind that is predicted */
	bool has_prediction;
	struct prediction prediction; /* if the calibration allows one; corrected by the history */
	struct uncorrected uncorrected; /* what it was before */
	struct err no_prediction;       /* else, if there is a calibration, why not */
};

/*
 * Loads the scan that @args name, its cube, the calibration of its filesystem and what follows
 * from it for a level-0 dump. Returns 0 or a negative errno with a message; then there is nothing
 * to release.
 */
int selection_load(struct store *store, const struct selection_args *args,
	struct selection *selection, struct err *err);

/*
 * Loads what was learned of dumps such as @dump, to correct the prediction by. To be called before
 * selection_predict(), by who calls that. Returns 0 or a negative errno with a message.
 */
int selection_load_history(struct store *store, struct selection *selection,
	const struct dump_options *dump, struct err *err);

/*
 * Predicts the dump and the what-ifs that @wish asks for, the rest of which is filled in here.
 * Where the sample or the scan do not tell, selection->no_prediction says so. Returns 0, or what
 * else went wrong with a message.
 */
int selection_predict(
	struct selection *selection, const struct prediction_request *wish, struct err *err);

void selection_fini(struct selection *selection);

#endif
