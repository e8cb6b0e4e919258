// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See cold.h. The kernel counts what a thread fetches from storage, so what is missing to the bytes
 * that a pass must read was in memory. Clusters are read one at a time, which is what they cost a
 * single disk; an array of many, where the kernel has several in flight, would be a little faster.
 */
#include "analyzer/window/cold.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/units.h"

#define CLUSTER_INODES \
	(XFS_CHUNK_INODES / 2) /* that the kernel reads at once: 8 KiB of 256 bytes */
#define MISSING_SHARE 0.5      /* up to here, an index that is not read may explain it */
#define PLACE_CHUNKS  64       /* to read in a row */

/* The part of @expected bytes that was in memory, if it is known and worth while; else 0. */
static double missing_share(uint64_t expected, uint64_t read)
{
	double share = expected > read ? 1 - (double)read / (double)expected : 0;

	if (!survey_disk_bytes()) /* by now it has read something: the kernel does not tell */
		return 0;
	return share > MISSING_SHARE ? share : 0;
}

/* What was read of inode clusters. */
struct clusters {
	uint64_t count;
	double seconds;
};

static uint64_t place_of(const struct xfs_geometry *geometry, uint64_t ino)
{
	uint32_t agno = xfs_agno_of_inode(geometry, ino);
	uint64_t in_group = ino - xfs_first_inode_of_ag(geometry, agno);

	return (uint64_t)agno * geometry->agblocks * geometry->block_bytes +
	       in_group * geometry->inode_bytes;
}

/* Reads the clusters of a chunk that hold inodes. */
static bool read_chunk(struct array *array, const struct xfs_geometry *geometry,
	const struct xfs_chunk *chunk, struct clusters *clusters)
{
	uint32_t bytes = (uint32_t)min_u64((uint64_t)CLUSTER_INODES * geometry->inode_bytes, MIB);

	for (unsigned i = 0; i < XFS_CHUNK_INODES; i += CLUSTER_INODES) {
		double seconds;

		if (!(chunk->alloc_mask >> i & UINT32_MAX))
			continue;
		seconds = array_read(array, place_of(geometry, chunk->first_ino + i), bytes);
		if (seconds < 0)
			return false;
		clusters->count++;
		clusters->seconds += seconds;
	}
	return true;
}

/* Reads chunks in a row from @first_ino on; the way to the first of them does not count. */
static int read_place(struct bulkstat *bulkstat, struct array *array,
	const struct xfs_geometry *geometry, uint64_t first_ino, struct clusters *clusters)
{
	struct clusters first = {0};
	const struct xfs_chunk *chunks;
	unsigned count;
	int rc = bulkstat_chunks(bulkstat, &first_ino, &chunks, &count);

	if (rc)
		return rc;
	for (unsigned i = 0; i < count && i < PLACE_CHUNKS; i++)
		if (!read_chunk(array, geometry, &chunks[i], i ? clusters : &first))
			break;
	if (!clusters->count)
		*clusters = first;
	return 0;
}

int cold_inode_map(struct survey *survey, struct bulkstat *bulkstat, struct array *array,
	const struct xfs_geometry *geometry, double seconds, struct calibration_pass *pass)
{
	const struct sample *sample = &survey->sample;
	double part = sample->inodes ? (double)survey->seen / (double)sample->inodes : 0;
	double clusters = (double)survey->clusters * part;
	double share = missing_share(
		(uint64_t)(clusters * CLUSTER_INODES * geometry->inode_bytes), pass->disk_bytes);
	struct clusters read = {0};
	int64_t start_ns = clock_monotonic_ns();

	if (!array || !sample->count || share <= 0)
		return 0;
	do {
		const struct sample_run *run =
			&sample->runs[random_below(&survey->random, sample->count)];
		int rc = read_place(bulkstat, array, geometry, run->first_ino, &read);

		if (rc)
			return rc;
	} while (read.count && clock_seconds_since(start_ns) < seconds);
	if (!read.count)
		return 0;
	pass->assumed_seconds = share * clusters * read.seconds / (double)read.count;
	pass->seconds += pass->assumed_seconds;
	return 0;
}

/* Seconds of a small random read; 0 if unknown. */
static double random_read_seconds(const struct calibration *calibration)
{
	for (unsigned i = 0; i < calibration->reading_count; i++) {
		const struct array_reading *reading = &calibration->readings[i];

		if (!reading->sequential && reading->at_once == 1 && reading->read_bytes == 4 * KIB)
			return reading->seconds / (double)reading->reads;
	}
	return 0;
}

void cold_directories(const struct survey *survey, const struct calibration *calibration,
	struct calibration_pass *pass)
{
	double share = missing_share(
		sat_mul_u64(survey->dir_blocks, survey->block_bytes), pass->disk_bytes);

	pass->assumed_seconds =
		share * (double)survey->block_dirs * random_read_seconds(calibration);
	pass->seconds += pass->assumed_seconds;
}
