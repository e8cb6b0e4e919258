// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See survey.h.
 *
 * A filesystem too large for a whole pass within its limit is seen up to there, in the order of a
 * dump; the pass is then known by its first part. Directories cannot be sampled one by one: to
 * open one by its handle, the kernel looks its name up in the parent, and in the parent's, until
 * it meets one that it knows. In a dump most of these are known by then. So directories are read
 * in blocks of consecutive ones, and the first few of a block are read before time is taken.
 *
 * Metadata is read ahead, and a throttled device lets metadata through at once and has whoever
 * comes next pay for it. A dump pays once; what is sampled is multiplied, so every pass waits for
 * the array and pays for itself. It does so now and then, lest the debt outgrow the budget.
 */
#include "analyzer/window/survey.h"

#include "analyzer/census/dump_stream.h"
#include "base/checked.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DIRECTORIES   (4U << 20) /* kept of what was seen: 96 MiB */
#define READ_IN_ORDER     8192       /* directories up to here are read from the first on */
#define DIRECTORY_BLOCK   128
#define WARM_UP           32  /* of a block */
#define AGAIN_DIRECTORIES 256 /* listed once more */
#define LOOK_UP_RUNS      16  /* spread over all, whose first inodes are asked for one by one */
#define DRAIN_BATCHES     8   /* of inodes, between two looks at the array */
#define DRAIN_DIRS        256 /* likewise */
#define SECONDS_MAX       1e9 /* a limit beyond that is none; as nanoseconds it fits an int64_t */

void survey_init(struct survey *survey, uint64_t seed, uint32_t block_bytes, uint32_t inode_bytes)
{
	*survey = (struct survey){.block_bytes = block_bytes, .inode_bytes = inode_bytes};
	sample_init(&survey->sample, seed);
	survey->random.state = ~seed;
}

void survey_fini(struct survey *survey)
{
	sample_fini(&survey->sample);
	free(survey->dirs);
	memset(survey, 0, sizeof(*survey));
}

uint64_t survey_disk_bytes(void)
{
	FILE *file = fopen("/proc/self/io", "re");
	unsigned long long bytes = 0;
	char line[80];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "read_bytes: %llu", &bytes) == 1)
			break;
	fclose(file);
	return bytes;
}

struct class_load survey_load(const struct survey *survey, const struct xfs_inode *inode)
{
	const struct inode_record record = {
		.size_bytes = inode->size_bytes,
		.allocated_bytes = sat_mul_u64(inode->blocks, inode->block_bytes),
		.extents = inode->extents,
		.mode = inode->mode,
		.nlink = inode->nlink,
		.flags = inode->attr_fork ? INODE_ATTR_FORK : 0,
	};

	if (inode_kind_of(inode->mode) != KIND_REGULAR || !inode->nlink)
		return (struct class_load){0};
	return (struct class_load){
		.files = 1,
		.stream_bytes = dump_stream_inode_bytes(&record, survey->block_bytes),
	};
}

void survey_add_layout(const struct survey *survey, const struct xfs_inode *inode,
	uint64_t stream_bytes, struct calibration *calibration)
{
	uint64_t told = survey_load(survey, inode).stream_bytes;
	uint64_t attrs = inode->attr_fork ? DUMP_STREAM_EMPTY_ATTRS_BYTES : 0;

	calibration_add_layout(
		calibration, inode->extents, told - min_u64(told, attrs), stream_bytes);
}

void survey_all_loads(const struct survey *survey, struct class_load loads[SIZE_CLASSES])
{
	bool known = survey->whole || !survey->seen;
	double scale = known ? 1 : (double)survey->sample.inodes / (double)survey->seen;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		loads[i] = (struct class_load){
			.files = (uint64_t)((double)survey->loads[i].files * scale + 0.5),
			.stream_bytes = (uint64_t)((double)survey->loads[i].stream_bytes * scale),
		};
}

static int see_directory(struct survey *survey, const struct xfs_inode *inode)
{
	survey->directories_seen++;
	if (survey->dir_count == MAX_DIRECTORIES)
		return 0;
	if (survey->dir_count == survey->dir_capacity) {
		size_t capacity = survey->dir_capacity ? 2 * survey->dir_capacity : 256;
		struct survey_directory *dirs = reallocarray(survey->dirs, capacity, sizeof(*dirs));

		if (!dirs)
			return -ENOMEM;
		survey->dirs = dirs;
		survey->dir_capacity = capacity;
	}
	survey->dirs[survey->dir_count++] = (struct survey_directory){
		.ino = inode->ino,
		.generation = inode->generation,
		.blocks = (uint32_t)min_u64(inode->blocks, UINT32_MAX),
		.attr_fork = inode->attr_fork,
		.attr_blocks = inode->attr_extents > 0,
	};
	return 0;
}

/* Keeps each of the class's files with the same chance (reservoir sampling). */
static void see_big_file(struct survey *survey, const struct xfs_inode *inode, unsigned size_class)
{
	struct survey_pick *picks = survey->picks[size_class - SURVEY_BIG_CLASS];
	uint64_t before = survey->loads[size_class].files;
	uint64_t place = before < SURVEY_PICKS ? before : random_below(&survey->random, before + 1);

	if (place < SURVEY_PICKS)
		picks[place].inode = *inode;
}

/* The run that holds inode @ino, which comes after those seen before; NULL if none does. */
static const struct sample_run *run_of(struct survey *survey, uint64_t ino)
{
	const struct sample *sample = &survey->sample;

	while (survey->seen_run < sample->count && sample->runs[survey->seen_run].last_ino < ino)
		survey->seen_run++;
	return survey->seen_run < sample->count ? &sample->runs[survey->seen_run] : NULL;
}

/* Keeps each of the runs with files of the class with the same chance. */
static void see_small_file(struct survey *survey, uint64_t ino, unsigned size_class)
{
	struct survey_stratum *stratum = &survey->strata[size_class];
	const struct sample_run *run = run_of(survey, ino);
	uint64_t place;

	if (!run || (stratum->count && run->last_ino == stratum->last_ino))
		return;
	stratum->last_ino = run->last_ino;
	place = stratum->count < SURVEY_STRATUM_RUNS
			? stratum->count
			: random_below(&survey->random, stratum->count + 1);
	stratum->count++;
	if (place < SURVEY_STRATUM_RUNS)
		stratum->runs[place] = *run;
}

struct survey_pick *survey_picks(struct survey *survey, unsigned size_class, unsigned *count)
{
	*count = 0;
	if (size_class < SURVEY_BIG_CLASS)
		return NULL;
	*count = (unsigned)min_u64(survey->loads[size_class].files, SURVEY_PICKS);
	return survey->picks[size_class - SURVEY_BIG_CLASS];
}

void survey_met(struct survey *survey, const struct xfs_inode *inode, size_t cell)
{
	unsigned count;
	struct survey_pick *picks = survey_picks(survey, size_class_of(inode->size_bytes), &count);

	for (unsigned i = 0; i < count; i++)
		if (picks[i].inode.ino == inode->ino)
			picks[i].met = cell + 1;
}

static int see_inode(struct survey *survey, const struct xfs_inode *inode)
{
	unsigned size_class = size_class_of(inode->size_bytes);
	struct class_load load = survey_load(survey, inode);

	survey->seen++;
	if (load.files && size_class >= SURVEY_BIG_CLASS)
		see_big_file(survey, inode, size_class);
	else if (load.files)
		see_small_file(survey, inode->ino, size_class);
	survey->loads[size_class].files += load.files;
	survey->loads[size_class].stream_bytes =
		sat_add_u64(survey->loads[size_class].stream_bytes, load.stream_bytes);
	return inode_kind_of(inode->mode) == KIND_DIRECTORY ? see_directory(survey, inode) : 0;
}

/* All inode chunks once; into the sample if @keep. */
static int pass_over_chunks(struct survey *survey, struct bulkstat *bulkstat, bool keep)
{
	const struct xfs_chunk *chunks;
	uint64_t next = 0;
	unsigned count;

	for (;;) {
		int rc = bulkstat_chunks(bulkstat, &next, &chunks, &count);

		survey->failed_ino = next;
		if (rc || !count)
			return rc;
		if (!keep)
			continue;
		survey->chunks += count;
		for (unsigned i = 0; i < count; i++) {
			uint64_t mask = chunks[i].alloc_mask;

			survey->clusters += ((mask & UINT32_MAX) != 0) + ((mask >> 32) != 0);
			if (sample_add_chunk(&survey->sample, &chunks[i]))
				return -ENOMEM;
		}
	}
}

/* Between two pieces of metadata, the @done-th just done. Returns whether to go on. */
static bool go_on(struct survey *survey, struct pace *pace, uint64_t done, unsigned drain_every)
{
	if (pace_is_due(pace) || done % drain_every == 0)
		array_drain(survey->array, pace);
	return pace_go_on(pace);
}

static int pass_over_inodes(struct survey *survey, struct bulkstat *bulkstat, int64_t start_ns,
	double limit_seconds, struct pace *pace)
{
	const struct xfs_inode *inodes;
	uint64_t next = 0, batches = 0;
	unsigned count;

	while (clock_seconds_since(start_ns) < limit_seconds) {
		int rc = bulkstat_next(bulkstat, &next, &inodes, &count);

		survey->failed_ino = next;
		survey->whole = !rc && !count;
		if (rc || !count)
			return rc;
		for (unsigned i = 0; i < count; i++)
			if (see_inode(survey, &inodes[i]))
				return -ENOMEM;
		progress_add(pace->progress, count);
		if (!go_on(survey, pace, ++batches, DRAIN_BATCHES))
			return -ECANCELED;
	}
	return 0;
}

/* Whether all inode chunks are a small part of the memory that could hold them. */
static bool would_fit(uint64_t inode_bytes)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && inode_bytes < (uint64_t)pages * (uint64_t)page_bytes / 4;
}

int survey_inode_map(struct survey *survey, struct bulkstat *bulkstat, double limit_seconds,
	struct pace *pace, struct calibration_pass *pass)
{
	int64_t start_ns = clock_monotonic_ns();
	double start_seconds = pace_seconds(pace);
	uint64_t disk_bytes = survey_disk_bytes();
	int rc = pass_over_chunks(survey, bulkstat, true);

	if (!rc)
		rc = pass_over_chunks(survey, bulkstat, false);
	progress_begin(pace->progress, "inode map", survey->sample.inodes);
	if (!rc)
		rc = pass_over_inodes(survey, bulkstat, start_ns, limit_seconds, pace);
	disk_bytes = survey_disk_bytes() - disk_bytes;
	array_drain(survey->array, pace);
	*pass = (struct calibration_pass){
		.kind = PASS_INODE_MAP,
		.units = survey->seen,
		.disk_bytes = disk_bytes,
		.seconds = pace_seconds(pace) - start_seconds,
	};
	survey->inodes_fit = would_fit(
		sat_mul_u64(survey->chunks, (uint64_t)XFS_CHUNK_INODES * survey->inode_bytes));
	return rc;
}

/* What reading directories needs. */
struct directories_work {
	struct survey *survey;
	struct replay *replay;
	struct pace *pace;
	struct calibration_pass *pass;
	int64_t end_ns;
};

/* One that is gone by now is an error. */
static int list_directory(
	struct replay *replay, const struct survey_directory *dir, uint64_t *bytes, double *seconds)
{
	const struct xfs_inode inode = {.ino = dir->ino,
		.generation = dir->generation,
		.attr_fork = dir->attr_fork,
		.attr_extents = dir->attr_blocks,
		.mode = S_IFDIR};

	return replay_directory(replay, &inode, bytes, seconds);
}

/* A directory; into the pass if it is @counted. One that is gone by now is passed over. */
static void read_directory(
	struct directories_work *work, const struct survey_directory *dir, bool counted)
{
	uint64_t bytes;
	double seconds;

	work->survey->last_dir = (size_t)(dir - work->survey->dirs) + 1;
	if (list_directory(work->replay, dir, &bytes, &seconds) || !counted)
		return;
	work->survey->dir_blocks += dir->blocks;
	work->survey->block_dirs += dir->blocks > 0;
	work->pass->units++;
	work->pass->bytes += bytes;
	work->pass->seconds += seconds;
}

/* Waits for the array, on the account of the pass if it is @counted. */
static void wait_for_array(struct directories_work *work, bool counted)
{
	double start_seconds = pace_seconds(work->pace);

	array_drain(work->survey->array, work->pace);
	if (counted)
		work->pass->seconds += pace_seconds(work->pace) - start_seconds;
}

/* Directories [@first, @end), the first @warm_up of them uncounted. Returns whether to go on. */
static bool read_block(struct directories_work *work, size_t first, size_t end, size_t warm_up)
{
	for (size_t i = first; i < end; i++) {
		size_t done = i + 1 - first;

		read_directory(work, &work->survey->dirs[i], done > warm_up);
		progress_add(work->pace->progress, 1);
		if (done % DRAIN_DIRS == 0 || done == warm_up || pace_is_due(work->pace))
			wait_for_array(work, done > warm_up);
		if (!pace_go_on(work->pace) || clock_monotonic_ns() >= work->end_ns)
			return false;
	}
	return true;
}

/* Blocks of directories in a random order. */
static int read_blocks(struct directories_work *work)
{
	const struct survey *survey = work->survey;
	struct random random = {.state = survey->sample.random.state ^ survey->dir_count};
	size_t left = survey->dir_count / DIRECTORY_BLOCK;
	size_t *blocks = calloc(left, sizeof(*blocks));
	bool go_on = true;

	if (!blocks)
		return -ENOMEM;
	for (size_t i = 0; i < left; i++)
		blocks[i] = i;
	while (left && go_on) {
		size_t drawn = random_below(&random, left);
		size_t first = blocks[drawn] * DIRECTORY_BLOCK;

		blocks[drawn] = blocks[--left];
		go_on = read_block(work, first, first + DIRECTORY_BLOCK, WARM_UP);
		wait_for_array(work, true); /* the next block's place is another */
	}
	free(blocks);
	return 0;
}

int survey_directories(struct survey *survey, struct replay *replay, double limit_seconds,
	struct pace *pace, struct calibration_pass *pass)
{
	double limit = fmin(limit_seconds, SECONDS_MAX);
	struct directories_work work = {
		.survey = survey,
		.replay = replay,
		.pace = pace,
		.pass = pass,
		.end_ns = clock_monotonic_ns() + (int64_t)(limit * NS_PER_SECOND),
	};
	uint64_t disk_bytes = survey_disk_bytes();
	int rc = 0;

	*pass = (struct calibration_pass){.kind = PASS_DIRECTORIES};
	progress_begin(pace->progress, "directories", survey->dir_count);
	if (survey->dir_count <= READ_IN_ORDER)
		read_block(&work, 0, survey->dir_count, 0);
	else
		rc = read_blocks(&work);
	pass->disk_bytes = survey_disk_bytes() - disk_bytes;
	wait_for_array(&work, true);
	return progress_cancelled(pace->progress) ? -ECANCELED : rc;
}

int survey_list_again(struct survey *survey, struct replay *replay, struct pace *pace,
	struct calibration_pass *pass)
{
	size_t count = min_u64(survey->last_dir, AGAIN_DIRECTORIES);

	*pass = (struct calibration_pass){.kind = PASS_LISTED_AGAIN};
	for (size_t i = survey->last_dir - count; i < survey->last_dir; i++) {
		uint64_t bytes;
		double seconds;

		if (!pace_go_on(pace))
			return -ECANCELED;
		if (list_directory(replay, &survey->dirs[i], &bytes, &seconds))
			continue;
		pass->units++;
		pass->bytes += bytes;
		pass->seconds += seconds;
	}
	return 0;
}

/* The inodes of the first chunk of a run. */
static void look_up(
	struct bulkstat *bulkstat, const struct sample_run *run, struct calibration_pass *pass)
{
	uint64_t end = min_u64(run->last_ino + 1, run->first_ino + XFS_CHUNK_INODES);

	for (uint64_t ino = run->first_ino; ino < end; ino++) {
		int64_t start_ns = clock_monotonic_ns();
		struct xfs_inode inode;

		if (bulkstat_single(bulkstat, ino, &inode))
			continue;
		pass->units++;
		pass->seconds += clock_seconds_since(start_ns);
	}
}

int survey_look_ups(struct survey *survey, struct bulkstat *bulkstat, struct pace *pace,
	struct calibration_pass *pass)
{
	const struct sample *sample = &survey->sample;
	size_t runs = min_u64(sample->count, LOOK_UP_RUNS);

	*pass = (struct calibration_pass){.kind = PASS_LOOK_UPS};
	for (size_t i = 0; i < runs; i++) {
		if (!pace_go_on(pace))
			return -ECANCELED;
		look_up(bulkstat, &sample->runs[i * sample->count / runs], pass);
	}
	return 0;
}
