// SPDX-License-Identifier: GPL-2.0-or-later
/* See fake_bulkstat.h. */
#include "tests/unit/fake_bulkstat.h"

#include "tests/unit/test.h"

#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_fs fs;
struct fake_crowd crowd;

struct bulkstat {
	unsigned batch;
	struct xfs_inode inodes[BULKSTAT_MAX_BATCH];
	struct xfs_chunk chunks[BULKSTAT_MAX_BATCH];
};

int bulkstat_new(struct bulkstat **bulkstat, int fd, unsigned batch, enum bulkstat_version version)
{
	(void)fd;
	(void)version;
	*bulkstat = calloc(1, sizeof(**bulkstat));
	assert_non_null(*bulkstat);
	(*bulkstat)->batch = batch;
	return 0;
}

void bulkstat_free(struct bulkstat *bulkstat)
{
	free(bulkstat);
}

void bulkstat_set_batch(struct bulkstat *bulkstat, unsigned batch)
{
	bulkstat->batch = batch;
}

enum bulkstat_version bulkstat_version_used(const struct bulkstat *bulkstat)
{
	(void)bulkstat;
	return fs.is_old ? BULKSTAT_V1 : BULKSTAT_V5;
}

static int answer_for(uint64_t ino)
{
	if (fs.bad_inodes && ino >= fs.bad_inode && ino < fs.bad_inode + fs.bad_inodes)
		return fs.bad_code;
	return 0;
}

static bool in_use(const struct xfs_chunk *chunk, unsigned bit)
{
	return chunk->alloc_mask >> bit & 1 || chunk->first_ino + bit == fs.late_inode;
}

static int refuse(void)
{
	return fs.shut_down ? -EIO : fs.refusal;
}

/* As BULKSTAT does: the inodes from *@next on, up to @end. */
static int inodes_before(struct bulkstat *bulkstat, uint64_t end, uint64_t *next,
	const struct xfs_inode **inodes, unsigned *count)
{
	*inodes = bulkstat->inodes;
	*count = 0;
	if (refuse())
		return refuse();
	for (size_t c = 0; c < fs.chunk_count && fs.chunks[c].first_ino < end; c++) {
		const struct xfs_chunk *chunk = &fs.chunks[c];

		if (chunk->first_ino == fs.bad_chunk && *next <= fs.bad_chunk)
			return *count ? 0 : -EUCLEAN;
		for (unsigned i = 0; i < XFS_CHUNK_INODES; i++) {
			uint64_t ino = chunk->first_ino + i;

			if (ino < *next || !in_use(chunk, i))
				continue;
			if (*count == bulkstat->batch)
				return 0;
			if (answer_for(ino))
				return *count ? 0 : answer_for(ino);
			bulkstat->inodes[(*count)++] = (struct xfs_inode){.ino = ino,
				.mode = S_IFREG,
				.nlink = 1,
				.block_bytes = 4096,
				.attr_extents = ino == fs.lacks_blocks};
			*next = ino + 1;
		}
	}
	return 0;
}

int bulkstat_next(
	struct bulkstat *bulkstat, uint64_t *next, const struct xfs_inode **inodes, unsigned *count)
{
	return inodes_before(bulkstat, UINT64_MAX, next, inodes, count);
}

/* Where a call that is for AG @agno ends. */
static uint64_t end_of_call(uint64_t next, uint32_t agno)
{
	assert_int_equal(next >> AG_BITS, agno);
	return fs.is_old ? UINT64_MAX : (agno + 1ULL) << AG_BITS;
}

/* Where AG 0 is held: waits, not for ever, until the others are read. */
static int await_others(uint32_t agno)
{
	for (int i = 0; crowd.held && !agno && atomic_load(&crowd.ended) < AGS - 1; i++) {
		if (i == 5000)
			return -EDEADLK;
		usleep(1000);
	}
	return 0;
}

int bulkstat_next_in_ag(struct bulkstat *bulkstat, uint32_t agno, uint64_t *next,
	const struct xfs_inode **inodes, unsigned *count)
{
	unsigned in_all = atomic_fetch_add(&crowd.in_all, 1) + 1;
	int rc;

	if (atomic_fetch_add(&crowd.now[agno], 1))
		atomic_store(&crowd.met, true);
	if (in_all > atomic_load(&crowd.most))
		atomic_store(&crowd.most, in_all);
	rc = await_others(agno);
	if (!rc)
		rc = inodes_before(bulkstat, end_of_call(*next, agno), next, inodes, count);
	if (!rc && (!*count || *next >> AG_BITS != agno))
		atomic_fetch_add(&crowd.ended, 1);
	atomic_fetch_sub(&crowd.now[agno], 1);
	atomic_fetch_sub(&crowd.in_all, 1);
	return rc;
}

int bulkstat_single(struct bulkstat *bulkstat, uint64_t ino, struct xfs_inode *inode)
{
	(void)bulkstat;
	*inode = (struct xfs_inode){.ino = ino, .mode = S_IFREG, .nlink = 1, .block_bytes = 4096};
	return answer_for(ino);
}

/* As INUMBERS does: the chunks from *@next on, up to @end. */
static int chunks_before(struct bulkstat *bulkstat, uint64_t end, uint64_t *next,
	const struct xfs_chunk **chunks, unsigned *count)
{
	*chunks = bulkstat->chunks;
	*count = 0;
	if (refuse())
		return refuse();
	for (size_t c = 0; c < fs.chunk_count && *count < bulkstat->batch; c++) {
		const struct xfs_chunk *chunk = &fs.chunks[c];

		if (chunk->first_ino + XFS_CHUNK_INODES <= *next)
			continue;
		if (chunk->first_ino >= end)
			return 0;
		if (chunk->first_ino == fs.bad_chunk || (fs.late_damage && bulkstat->batch == 1 &&
								chunk->first_ino >= fs.bad_inode))
			return *count ? 0 : -EUCLEAN;
		bulkstat->chunks[(*count)++] = *chunk;
		*next = chunk->first_ino + XFS_CHUNK_INODES;
	}
	return 0;
}

int bulkstat_chunks(
	struct bulkstat *bulkstat, uint64_t *next, const struct xfs_chunk **chunks, unsigned *count)
{
	return chunks_before(bulkstat, UINT64_MAX, next, chunks, count);
}

int bulkstat_chunks_in_ag(struct bulkstat *bulkstat, uint32_t agno, uint64_t *next,
	const struct xfs_chunk **chunks, unsigned *count)
{
	if (fs.seek_us)
		usleep(fs.seek_us);
	return chunks_before(bulkstat, end_of_call(*next, agno), next, chunks, count);
}

int xfs_inode_add_blocks(int fd, struct xfs_inode *inode)
{
	(void)fd;
	inode->blocks = 7;
	return 0;
}

int xfs_geometry_get(int fd, struct xfs_geometry *geometry)
{
	(void)fd;
	*geometry = (struct xfs_geometry){.agcount = AGS};
	return 0;
}

uint32_t xfs_agno_of_inode(const struct xfs_geometry *geometry, uint64_t ino)
{
	(void)geometry;
	return (uint32_t)(ino >> AG_BITS);
}

uint64_t xfs_first_inode_of_ag(const struct xfs_geometry *geometry, uint32_t agno)
{
	(void)geometry;
	return (uint64_t)agno << AG_BITS;
}

uint64_t make_fs(size_t per_ag)
{
	uint64_t inodes = 0;

	memset(&fs, 0, sizeof(fs));
	memset(&crowd, 0, sizeof(crowd));
	for (uint64_t agno = 0; agno < AGS; agno++) {
		for (uint64_t i = 0; i < per_ag; i++) {
			struct xfs_chunk *chunk = &fs.chunks[fs.chunk_count++];

			chunk->first_ino = (agno << AG_BITS) + 128 + i * 128;
			chunk->alloc_mask = i % 7 == 6 ? 0 : i % 5 == 4 ? 0xffffffff : UINT64_MAX;
			chunk->alloc_count = (uint32_t)__builtin_popcountll(chunk->alloc_mask);
			inodes += chunk->alloc_count;
		}
	}
	return inodes;
}
