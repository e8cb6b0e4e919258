// SPDX-License-Identifier: GPL-2.0-or-later
/* See sample.h. Drawing is a Fisher-Yates shuffle that stops wherever the caller stops. */
#include "analyzer/window/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void sample_init(struct sample *sample, uint64_t seed)
{
	memset(sample, 0, sizeof(*sample));
	sample->random.state = seed;
}

void sample_fini(struct sample *sample)
{
	free(sample->runs);
	memset(sample, 0, sizeof(*sample));
}

static int begin_run(struct sample *sample, uint64_t first_ino)
{
	if (sample->count == sample->capacity) {
		size_t capacity = sample->capacity ? 2 * sample->capacity : 64;
		struct sample_run *runs = reallocarray(sample->runs, capacity, sizeof(*runs));

		if (!runs)
			return -ENOMEM;
		sample->runs = runs;
		sample->capacity = capacity;
	}
	sample->runs[sample->count++] = (struct sample_run){.first_ino = first_ino};
	sample->open = true;
	return 0;
}

int sample_add_chunk(struct sample *sample, const struct xfs_chunk *chunk)
{
	struct sample_run *run;

	if (!chunk->alloc_count)
		return 0;
	if (!sample->open && begin_run(sample, chunk->first_ino))
		return -ENOMEM;
	run = &sample->runs[sample->count - 1];
	run->last_ino = chunk->first_ino + XFS_CHUNK_INODES - 1;
	run->inodes += chunk->alloc_count;
	sample->inodes += chunk->alloc_count;
	sample->open = run->inodes < SAMPLE_RUN_INODES;
	return 0;
}

const struct sample_run *sample_draw(struct sample *sample)
{
	size_t left = sample->count - sample->drawn;
	struct sample_run *here = sample->runs + sample->drawn;
	struct sample_run *there, drawn;

	if (!left)
		return NULL;
	there = here + random_below(&sample->random, left);
	drawn = *there;
	*there = *here;
	*here = drawn;
	sample->drawn++;
	return here;
}
