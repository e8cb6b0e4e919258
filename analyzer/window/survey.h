/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes over metadata that a dump begins with, measured, and what they tell on the way: the
 * runs to draw from, the directories, and what there is of each class.
 */
#ifndef ANALYZER_WINDOW_SURVEY_H
#define ANALYZER_WINDOW_SURVEY_H

#include "analyzer/window/array.h"
#include "analyzer/window/calibration.h"
#include "analyzer/window/estimate.h"
#include "analyzer/window/replay.h"
#include "analyzer/window/sample.h"
#include "analyzer/xfs/bulkstat.h"

#include <stdbool.h>

/* Inodes that xfsdump asks for with a call. */
#define SURVEY_BATCH 4096

struct survey_directory {
	uint64_t ino;
	uint32_t generation;
	uint32_t blocks;
	bool attr_fork;
	bool attr_blocks; /* attributes in blocks of their own */
};

/* Files from SURVEY_BIG_CLASS (1 MiB) on are big; so many of each class are kept to pick from. */
#define SURVEY_BIG_CLASS 21
#define SURVEY_PICKS     8

struct survey_pick {
	struct xfs_inode inode;
	size_t met; /* 1 + the calibration's cell that it is in already; 0: it was not sampled */
};

/* Runs that hold files of a class, so many of them at random: where to find what is rare. */
#define SURVEY_STRATUM_RUNS 16

struct survey_stratum {
	uint64_t count;    /* runs that hold such files */
	uint64_t last_ino; /* of the last of them */
	struct sample_run runs[SURVEY_STRATUM_RUNS];
};

struct survey {
	struct sample sample;
	struct array *array;           /* to wait for; may be NULL, not owned */
	uint64_t chunks;               /* inode chunks */
	uint64_t clusters;             /* halves of them with an inode in use, as they are read */
	uint64_t seen;                 /* inodes that the first pass took in */
	bool whole;                    /* it came to its end */
	uint64_t directories_seen;     /* directories among them */
	struct survey_directory *dirs; /* owned; the first of them */
	size_t dir_count;
	size_t dir_capacity;
	size_t last_dir;                       /* one more than the last that was read */
	uint64_t dir_blocks;                   /* of the directories that the pass counted */
	uint64_t block_dirs;                   /* those of them that have blocks */
	struct class_load loads[SIZE_CLASSES]; /* regular files; of what was seen */
	struct random random;                  /* of the choice of picks */
	struct survey_pick picks[SIZE_CLASSES - SURVEY_BIG_CLASS][SURVEY_PICKS]; /* at random */
	struct survey_stratum strata[SURVEY_BIG_CLASS];
	size_t seen_run;     /* the run that the last inode seen was in */
	uint64_t failed_ino; /* after an error: it is in the first inode or chunk from here on */
	uint32_t block_bytes;
	uint32_t inode_bytes;
	bool inodes_fit; /* the inode chunks are likely to stay in memory between passes */
};

void survey_init(struct survey *survey, uint64_t seed, uint32_t block_bytes, uint32_t inode_bytes);
void survey_fini(struct survey *survey);

/*
 * The inode map: twice over the inode chunks, once over the inodes, for @limit_seconds at most, and
 * until the array is done with it. Returns 0; -ECANCELED; -ENOMEM; an errno of bulkstat.
 */
int survey_inode_map(struct survey *survey, struct bulkstat *bulkstat, double limit_seconds,
	struct pace *pace, struct calibration_pass *pass);

/*
 * Asks for some inodes one by one, as a level above 0 does for each once it has passed over them.
 * Returns 0 or -ECANCELED.
 */
int survey_look_ups(struct survey *survey, struct bulkstat *bulkstat, struct pace *pace,
	struct calibration_pass *pass);

/*
 * Opens and lists some of the directories that were read last once more. Returns 0 or -ECANCELED.
 */
int survey_list_again(struct survey *survey, struct replay *replay, struct pace *pace,
	struct calibration_pass *pass);

/* The directories: all in order if they are few, otherwise blocks of them at random. Likewise. */
int survey_directories(struct survey *survey, struct replay *replay, double limit_seconds,
	struct pace *pace, struct calibration_pass *pass);

/*
 * The big regular files of @size_class to pick from, in no order; sets @count to their
 * number, 0 for classes that are not big.
 */
struct survey_pick *survey_picks(struct survey *survey, unsigned size_class, unsigned *count);

/* Takes down that @inode has been sampled into cell @cell. */
void survey_met(struct survey *survey, const struct xfs_inode *inode, size_t cell);

/* The load that a regular file is; all zero for what is no regular file or has no link. */
struct class_load survey_load(const struct survey *survey, const struct xfs_inode *inode);

/* Adds what @stream_bytes of a regular file that was replayed say, see calibration_add_layout(). */
void survey_add_layout(const struct survey *survey, const struct xfs_inode *inode,
	uint64_t stream_bytes, struct calibration *calibration);

/* The loads of the whole filesystem, from what was seen of it; none if nothing was. */
void survey_all_loads(const struct survey *survey, struct class_load loads[SIZE_CLASSES]);

/*
 * Bytes that this process, all of its threads, has fetched from storage so far; 0 where the kernel
 * does not tell.
 */
uint64_t survey_disk_bytes(void);

#endif
