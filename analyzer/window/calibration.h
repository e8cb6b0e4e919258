/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calibration measured, as values: how long xfsdump's reads take here, by size class.
 *
 * The unit of sampling is a run of consecutive inodes, read as xfsdump reads them. Every run keeps
 * its own sums by class, so that a prediction can resample runs for its interval. What the runs met
 * too seldom is picked: runs that hold files of a rare class, of which only these count, and big
 * files by themselves. Each is as a run of its own, with one cell.
 */
#ifndef ANALYZER_WINDOW_CALIBRATION_H
#define ANALYZER_WINDOW_CALIBRATION_H

#include "analyzer/census/scan_info.h"
#include "analyzer/window/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs and what was picked in a calibration, at most: more than anybody's patience is good for. */
#define CALIBRATION_MAX_RUNS (1U << 20)

/* What a run spent on the regular files of a class. */
struct calibration_cell {
	uint32_t run; /* 0, 1, … in the order of sampling; picked runs, then picked files, follow */
	uint8_t size_class;
	uint64_t files;        /* files opened */
	uint64_t bytes;        /* bytes read; less than their sizes where big files are cut */
	uint64_t stream_bytes; /* of what was read, as dump_stream.h puts it: the measure of load */
	double file_seconds;   /* opening, extent map, attributes, closing */
	double data_seconds;   /* reading, and copying to the stream */
	uint64_t left_out;     /* files that do not count, as they, or too many of the run's, were
				  in the page cache: not among `files` */
};

/* A pass over metadata, measured or extrapolated from a part of it. */
enum calibration_pass_kind {
	PASS_INODE_MAP,    /* first pass over the inodes, with both passes over the inode chunks */
	PASS_DIRECTORIES,  /* opening, reading and closing directories, attributes included */
	PASS_INODES,       /* a later pass over the inodes, which the first has left in memory */
	PASS_LOOK_UPS,     /* inodes asked for one by one, as a level above 0 does */
	PASS_LISTED_AGAIN, /* directories opened and listed once more, soon after */
	PASS_ATTRS,        /* attributes in the inode, of what was sampled; in its cost as well */
	PASS_ATTR_BLOCKS,  /* attributes in blocks of their own, likewise */
	PASS_FEW_EXTENTS,  /* what sampled files take in a stream, against what was told of them */
	PASS_MANY_EXTENTS, /* likewise, of those with more than DUMP_FEW_EXTENTS */
	CALIBRATION_PASSES
};

struct calibration_pass {
	enum calibration_pass_kind kind;
	uint64_t units;      /* inodes, or directories, that the measured part took in; of extents,
				bytes that dump_stream.h tells */
	uint64_t bytes;      /* bytes of directory entries read; of attributes, as they take in a
				stream; 0 for others */
	uint64_t disk_bytes; /* bytes that came from the device meanwhile; few: it was in memory */
	double seconds;      /* what that part took, and the following */
	double assumed_seconds; /* of these not measured but put at what the device takes: for what
				   was in memory, and will not be at the time of a dump */
};

/*
 * What the array does as such, read with O_DIRECT from the block device, nothing of XFS in between:
 * what dd (sequential) and fio (random, as many at a time as its iodepth) would say of it.
 */
struct array_reading {
	bool sequential;
	uint32_t read_bytes; /* of each read */
	uint64_t reads;
	double seconds;   /* for all of them */
	unsigned at_once; /* reads under way at a time, at least 1 */
};

#define CALIBRATION_MAX_READINGS 8

struct calibration {
	int64_t calibration_id;  /* in the database; 0 until stored */
	char fs_id[FS_ID_BYTES]; /* of which filesystem */
	char *device;            /* the device it lay on, owned */
	char *device_identity;   /* model, serial or the like where known, owned, or NULL */
	char *path;              /* PATH as given, owned */
	int64_t started_seconds; /* since 1970-01-01 UTC */
	double seconds;          /* what calibrating took in all */
	double budget_seconds;
	double cpu_seconds;         /* processor time that sampling the files took */
	uint64_t seed;              /* of the choice of runs: the same seed draws the same runs */
	uint64_t inodes;            /* in use in the filesystem, by its inode chunks */
	uint32_t runs;              /* runs sampled */
	uint32_t runs_in_all;       /* runs that the filesystem's inodes make */
	uint32_t picked_runs;       /* runs picked for a rare class */
	uint32_t picked_files;      /* big files picked by themselves */
	uint64_t cached_files;      /* files left out because they were in the page cache */
	uint64_t skipped_files;     /* files left out because they could not be opened or read */
	bool nice;                  /* with pauses, others' reads first */
	double interval_share;      /* half of the files' 95 % interval at the end, of their time */
	double drift;               /* of the array's speed meanwhile, see estimate_drift() */
	uint64_t read_bytes;        /* read from storage by the calibration */
	uint64_t others_read_bytes; /* read from the same disk by others meanwhile */
	uint64_t others_written_bytes; /* written to it meanwhile */
	size_t cell_count;
	struct calibration_cell *cells;                     /* owned, by run */
	struct calibration_pass passes[CALIBRATION_PASSES]; /* units 0: not measured */
	unsigned reading_count;                             /* 0: the device could not be read */
	struct array_reading readings[CALIBRATION_MAX_READINGS];
	struct sink sink; /* measured with it; spec NULL if none was asked for */
};

/* What reading the files of all cells took. */
double calibration_sampled_seconds(const struct calibration *calibration);

/* Appends an empty cell; NULL without memory. Valid until the next one is added. */
struct calibration_cell *calibration_add_cell(
	struct calibration *calibration, uint32_t run, unsigned size_class);

/*
 * Adds what a sampled file takes in a stream, without attributes, against the @told_bytes of
 * dump_stream.h.
 */
void calibration_add_layout(struct calibration *calibration, uint64_t extents, uint64_t told_bytes,
	uint64_t stream_bytes);

/* Frees what is owned and forgets everything. */
void calibration_fini(struct calibration *calibration);

#endif
