/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a dump takes in and what each step costs to how long it takes, part by part.
 *
 * The parts are directories, links and special files, and the size classes of regular files; each
 * has a reading time and, as it fills records at its own pace, a time of waiting for the sink.
 */
#ifndef ANALYZER_WINDOW_DUMP_MODEL_H
#define ANALYZER_WINDOW_DUMP_MODEL_H

#include "analyzer/window/dump_costs.h"
#include "analyzer/window/dump_plan.h"
#include "analyzer/window/sink.h"

enum prediction_phase {
	PHASE_INODE_MAP,   /* sync, INUMBERS, bulkstat over everything */
	PHASE_DIRECTORIES, /* directories and their attributes */
	PHASE_FILES,       /* all others: open, map, read, attributes */
	PHASE_SINK,        /* waiting for the sink */
	PREDICTION_PHASES,
};

/* Indexes of parts, after the classes. */
enum { PART_SPECIALS = SIZE_CLASSES, PART_DIRECTORIES, MODEL_PARTS };

struct model_part {
	double inodes;       /* dumped */
	double size_bytes;   /* their sizes */
	double stream_bytes; /* the measure of load, see dump_stream.h */
	double media_bytes;  /* what they take in the media file */
	double attr_forks;   /* inodes with an attribute fork */
	double seconds;      /* of opening and the like, shared out by inodes */
	double data_seconds; /* of reading data, shared out by stream bytes */
};

struct dump_model {
	const struct dump_costs *costs;
	const struct dump_plan *plan;
	double present;             /* inodes that passes meet */
	double present_directories; /* of them */
	double per_inode;           /* seconds of the files phase for each inode present */
	struct class_load loads[SIZE_CLASSES]; /* what the sample prices, archives left out */
	struct model_part parts[MODEL_PARTS];
};

/* Times of a whole dump, by one stream. */
struct dump_times {
	double phases[PREDICTION_PHASES];
	double wait[MODEL_PARTS]; /* for the sink; adds up to its phase */
	double seconds;           /* all phases */
};

/* @plan and @costs must live as long as the model. */
void dump_model_make(
	const struct dump_plan *plan, const struct dump_costs *costs, struct dump_model *model);

/* Times where all reading takes @scale times as long, to @sink (NULL: null). */
void dump_model_times(const struct dump_model *model, double scale, const struct sink *sink,
	struct dump_times *times);

/* Bytes of all parts in the media file. */
double dump_model_media_bytes(const struct dump_model *model);

/* The part of a plan's cell. */
unsigned dump_model_part_of(const struct cube_key *key);

/* What of @times a cell of the plan causes; over all cells and packs that adds up to all. */
double dump_model_cell_seconds(const struct dump_model *model, const struct dump_times *times,
	const struct plan_cell *cell);
double dump_model_pack_seconds(const struct dump_model *model, const struct dump_times *times,
	const struct plan_pack *pack);

/* Stream bytes of an archive, the class it falls into, and the seconds of reading it. */
double plan_pack_stream_bytes(const struct plan_pack *pack);
unsigned plan_pack_class(const struct plan_pack *pack);
double plan_pack_data_seconds(const struct dump_costs *costs, const struct plan_pack *pack);

#endif
