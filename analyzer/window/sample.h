/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of what to read: the filesystem's inodes as runs of consecutive ones, drawn at random
 * without replacement.
 *
 * A run is what a dump reads in one go, so files that lie together are read together. One by one,
 * each file would pay the head's way to it, which in a dump it shares with its neighbours; drawn
 * twice, it would come from memory.
 */
#ifndef ANALYZER_WINDOW_SAMPLE_H
#define ANALYZER_WINDOW_SAMPLE_H

#include "analyzer/window/random.h"
#include "analyzer/xfs/inode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run ends with the inode chunk that brings it to this many inodes in use. */
#define SAMPLE_RUN_INODES 256

struct sample_run {
	uint64_t first_ino; /* number of the first inode that may be in it */
	uint64_t last_ino;  /* and of the last */
	uint32_t inodes;    /* in use */
};

struct sample {
	struct random random;
	struct sample_run *runs; /* owned; those before `drawn` in the order of drawing */
	size_t count;
	size_t capacity;
	size_t drawn;
	uint64_t inodes; /* in use, in all runs */
	bool open;       /* the last run is not full yet */
};

void sample_init(struct sample *sample, uint64_t seed);
void sample_fini(struct sample *sample);

/* Takes an inode chunk in, in the order of inode numbers. Returns 0 or -ENOMEM. */
int sample_add_chunk(struct sample *sample, const struct xfs_chunk *chunk);

/* Draws a run that was not drawn before; NULL when there are none left. */
const struct sample_run *sample_draw(struct sample *sample);

#endif
