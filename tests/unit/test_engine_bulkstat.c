// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The engine on a filesystem that is a table in memory: this program defines the functions of
 * analyzer/xfs/bulkstat.h and geometry.h that the engine calls, so that the linker does not take
 * those of the library. The table can be damaged anywhere, as no real filesystem can be.
 */
#include "tests/unit/test.h"

#include "analyzer/scan/engine.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"
#include "base/checked.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AG_BITS    19 /* 65536 blocks of 8 inodes */
#define AGS        4
#define MAX_CHUNKS 2000

static struct {
	struct xfs_chunk chunks[MAX_CHUNKS]; /* in order */
	size_t chunk_count;
	uint64_t bad_inode; /* the first of bad_inodes that fail with bad_code */
	unsigned bad_inodes;
	int bad_code;
	uint64_t bad_chunk;    /* where INUMBERS fails */
	uint64_t lacks_blocks; /* an inode with blocks that BULKSTAT does not tell */
	uint64_t late_inode;   /* in use, but INUMBERS did not see it yet */
	bool late_damage;      /* asked for one chunk only, INUMBERS fails where inodes do */
	bool is_old;           /* only v1 is there: no call keeps to one AG */
	bool shut_down;        /* everything fails with -EIO */
	unsigned seek_us;      /* what INUMBERS takes */
	int refusal;           /* what every call answers */
} fs;

/* Who is where. */
static struct {
	atomic_uint now[AGS]; /* workers in an AG */
	atomic_bool met;      /* two were in one */
	atomic_uint in_all;   /* workers in any */
	atomic_uint most;     /* of them at a time */
	atomic_uint ended;    /* AGs that are read to their end */
	bool held;            /* AG 0 answers once all others are at their end */
} crowd;

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

static int await_others(uint32_t agno);

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

/* @per_ag chunks in each AG; every seventh is empty, every fifth half full. Returns the inodes. */
static uint64_t make_fs(size_t per_ag)
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

static struct scan_info info;
static struct err err;

/* Runs the engine with @jobs workers and merges what they counted into @census. */
static int run(unsigned jobs, struct progress *progress, struct census *census)
{
	struct scan_options options = {.jobs = jobs, .progress = progress};
	struct scan_target target = {.path = (char *)(uintptr_t) "/fs/tree",
		.mount_point = (char *)(uintptr_t) "/fs",
		.fd = -1};
	struct scan_job job = {.options = &options, .target = &target, .info = &info};
	int rc;

	scan_info_fini(&info);
	memset(&err, 0, sizeof(err));
	job.parts = calloc(jobs, sizeof(*job.parts));
	assert_non_null(job.parts);
	census_init(census, 4096, 0);
	for (unsigned i = 0; i < jobs; i++)
		census_init(&job.parts[i], 4096, 0);
	rc = engine_bulkstat.run(&job, &err);
	for (unsigned i = 0; i < jobs; i++) {
		assert_int_equal(census_merge(census, &job.parts[i]), 0);
		census_fini(&job.parts[i]);
	}
	free(job.parts);
	return rc;
}

static void every_inode_is_taken_once(void **state)
{
	static const size_t sizes[] = {1, 2, 31, 32, 33, 64, 97, 500};
	struct census census;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t inodes = make_fs(sizes[i]);

		for (unsigned jobs = 1; jobs <= 10; jobs++) {
			fs.is_old = jobs > 5;
			assert_int_equal(run(jobs, NULL, &census), 0);
			assert_false(crowd.met);
			assert_int_equal(census.inodes, inodes);
			assert_int_equal(info.inode_chunks, fs.chunk_count);
			assert_int_equal(failures_total(&census.failures), 0);
			census_fini(&census);
		}
	}
}

/* The first worker is kept in its AG until the second has read all others. */
static void workers_do_not_wait_for_each_other(void **state)
{
	uint64_t inodes = make_fs(400);
	struct census census;

	(void)state;
	crowd.held = true;
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(census.inodes, inodes);
	assert_false(crowd.met);
	census_fini(&census);
}

static void empty_filesystem_is_no_error(void **state)
{
	struct census census;

	(void)state;
	memset(&fs, 0, sizeof(fs));
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(census.inodes, 0);
	census_fini(&census);
}

static void whole_filesystem_is_said(void **state)
{
	struct census census;

	(void)state;
	make_fs(1);
	assert_int_equal(run(1, NULL, &census), 0);
	assert_true(info.whole_filesystem);
	assert_string_equal(
		info.engine_reason, "counts the whole filesystem at /fs, not only /fs/tree");
	census_fini(&census);
}

/* A created inode shifts all that BULKSTAT returns within the range; none is lost or doubled. */
static void inode_created_meanwhile_is_taken_once(void **state)
{
	uint64_t inodes = make_fs(200);
	struct census census;

	(void)state;
	for (size_t chunk = 4; chunk < 199; chunk += 5) {
		fs.late_inode = fs.chunks[chunk].first_ino + 40;
		if (fs.chunks[chunk].alloc_mask == 0)
			continue;
		assert_int_equal(run(3, NULL, &census), 0);
		assert_int_equal(census.inodes, inodes + 1);
		census_fini(&census);
	}
}

static void damaged_inode_costs_itself_only(void **state)
{
	static const size_t chunks[] = {0, 1, 31, 32, 100, 199, 200, 799};
	struct census census;

	(void)state;
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		uint64_t inodes = make_fs(200);
		char place[64];

		fs.bad_inode = fs.chunks[chunks[i]].first_ino + 5;
		fs.bad_inodes = 1;
		fs.bad_code = -EUCLEAN;
		if (!fs.chunks[chunks[i]].alloc_mask)
			continue;
		assert_int_equal(run(2, NULL, &census), 0);
		assert_int_equal(census.inodes, inodes - 1);
		assert_int_equal(census.failures.count[FAILURE_INODE], 1);
		assert_int_equal(census.failures.inodes[FAILURE_INODE], 1);
		snprintf(place, sizeof(place), "AG %zu, inode %llu", chunks[i] / 200,
			(unsigned long long)fs.bad_inode);
		assert_string_equal(census.failures.examples[FAILURE_INODE][0].what, place);
		assert_int_equal(census.failures.examples[FAILURE_INODE][0].code, -EUCLEAN);
		census_fini(&census);
	}
}

static void damaged_cluster_is_one_failure(void **state)
{
	uint64_t inodes = make_fs(50);
	struct census census;

	(void)state;
	fs.bad_inode = fs.chunks[7].first_ino;
	fs.bad_inodes = 32;
	fs.bad_code = -EIO;
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(census.inodes, inodes - 32);
	assert_int_equal(census.failures.count[FAILURE_INODE_CHUNK], 1);
	assert_int_equal(census.failures.inodes[FAILURE_INODE_CHUNK], 32);
	assert_string_equal(
		census.failures.examples[FAILURE_INODE_CHUNK][0].what, "AG 0, inodes 1024 to 1055");
	census_fini(&census);
}

static void damaged_tree_costs_the_rest_of_its_ag(void **state)
{
	struct census census;
	uint64_t kept = 0;

	(void)state;
	make_fs(100);
	fs.bad_chunk = fs.chunks[150].first_ino;
	for (size_t i = 0; i < fs.chunk_count; i++)
		kept += i < 150 || i >= 200 ? fs.chunks[i].alloc_count : 0;
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(census.inodes, kept);
	assert_int_equal(census.failures.count[FAILURE_AG], 1);
	assert_int_equal(
		strncmp(census.failures.examples[FAILURE_AG][0].what, "AG 1, inode chunks", 18), 0);
	census_fini(&census);
}

/* A call at the end of an AG meets the damage of the next one; that one is to blame. */
static void damaged_tree_is_blamed_on_its_own_ag(void **state)
{
	struct census census;
	uint64_t kept;

	(void)state;
	for (unsigned agno = 0; agno < AGS; agno++) {
		char place[64];

		kept = make_fs(1500 / AGS);
		fs.bad_chunk = fs.chunks[agno * 1500 / AGS].first_ino;
		for (size_t i = agno * 1500 / AGS; i < (agno + 1) * 1500 / AGS; i++)
			kept -= fs.chunks[i].alloc_count;
		assert_int_equal(run(3, NULL, &census), 0);
		assert_int_equal(census.inodes, kept);
		assert_int_equal(failures_total(&census.failures), 1);
		assert_int_equal(census.failures.count[FAILURE_AG], 1);
		snprintf(place, sizeof(place), "AG %u, inode chunks", agno);
		assert_int_equal(
			strncmp(census.failures.examples[FAILURE_AG][0].what, place, strlen(place)),
			0);
		assert_non_null(strstr(info.engine_reason, "--engine=walk"));
		census_fini(&census);
	}
}

/* v1 meets the damage of the next AG as well, and cannot tell; what it counts is the same. */
static void old_ioctl_does_not_know_which_tree_is_damaged(void **state)
{
	struct census census;
	uint64_t kept = make_fs(100);

	(void)state;
	fs.is_old = true;
	fs.bad_chunk = fs.chunks[150].first_ino;
	for (size_t i = 150; i < 200; i++)
		kept -= fs.chunks[i].alloc_count;
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(census.inodes, kept);
	assert_int_equal(census.failures.count[FAILURE_AG], 1);
	assert_non_null(strstr(census.failures.examples[FAILURE_AG][0].what,
		"AG 1 or the next in use, inode chunks"));
	assert_non_null(strstr(info.engine_reason, "v1"));
	census_fini(&census);
}

/* What can still be counted of a damaged tree is counted, but its damage only once. */
static void damage_is_told_once(void **state)
{
	uint64_t inodes = make_fs(100);
	struct census census;

	(void)state;
	fs.bad_inode = fs.chunks[350].first_ino;
	fs.bad_inodes = 50 * 128;
	fs.bad_code = -EUCLEAN;
	fs.late_damage = true;
	for (size_t i = 350; i < 400; i++)
		inodes -= fs.chunks[i].alloc_count;
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(census.inodes, inodes);
	assert_int_equal(info.inode_chunks, 400);
	assert_int_equal(failures_total(&census.failures), 1);
	assert_int_equal(census.failures.count[FAILURE_AG], 1);
	census_fini(&census);
}

/* Where a seek takes long, workers would make each other wait. */
static void slow_seeks_leave_one_worker(void **state)
{
	uint64_t inodes = make_fs(100);
	struct census census;

	(void)state;
	fs.seek_us = 5000;
	assert_int_equal(run(3, NULL, &census), 0);
	assert_int_equal(census.inodes, inodes);
	assert_int_equal(crowd.most, 1);
	assert_non_null(strstr(info.engine_reason, "by one thread, since seeks are slow"));
	census_fini(&census);
}

static void shut_down_filesystem_ends_the_scan(void **state)
{
	struct census census;

	(void)state;
	make_fs(100);
	fs.shut_down = true;
	assert_int_equal(run(2, NULL, &census), -EIO);
	assert_non_null(strstr(err.message, "shut down"));
	census_fini(&census);
}

static void other_errors_end_the_scan(void **state)
{
	struct census census;

	(void)state;
	make_fs(100);
	fs.bad_inode = fs.chunks[50].first_ino;
	fs.bad_inodes = 1;
	fs.bad_code = -ENOMEM;
	assert_int_equal(run(2, NULL, &census), -ENOMEM);
	census_fini(&census);
	make_fs(100);
	fs.refusal = -EPERM;
	assert_int_equal(run(2, NULL, &census), -EPERM);
	census_fini(&census);
}

static void cancelled_scan_ends(void **state)
{
	atomic_bool cancelled = 1;
	struct progress progress;
	struct census census;

	(void)state;
	make_fs(100);
	progress_init(&progress);
	progress.cancelled = &cancelled;
	assert_int_equal(run(2, &progress, &census), -ECANCELED);
	census_fini(&census);
}

static void blocks_that_bulkstat_left_out_are_added(void **state)
{
	struct cube_key key;
	struct census census;

	(void)state;
	make_fs(3);
	fs.lacks_blocks = fs.chunks[1].first_ino;
	assert_int_equal(run(2, NULL, &census), 0);
	assert_int_equal(cube_count(&census.cube), 1);
	assert_int_equal(cube_at(&census.cube, 0, &key)->allocated_bytes, 7 * 4096);
	census_fini(&census);
}

static int usable(const struct scan_target *target)
{
	struct scan_options options = {.jobs = 1};

	memset(&err, 0, sizeof(err));
	return engine_bulkstat.usable(&options, target, &err);
}

static void what_cannot_be_read_is_refused_with_the_reason(void **state)
{
	struct scan_target target = {.kind = TARGET_IMAGE, .is_xfs = true};

	(void)state;
	make_fs(1);
	assert_int_equal(usable(&target), -EOPNOTSUPP);
	assert_string_equal(err.message, "the filesystem is not mounted");
	target.kind = TARGET_DEVICE;
	assert_int_equal(usable(&target), -EOPNOTSUPP);
	target = (struct scan_target){.kind = TARGET_DIRECTORY, .fs_type = "ext4"};
	assert_int_equal(usable(&target), -ENOTTY);
	assert_string_equal(err.message, "the filesystem is ext4, not XFS");
	target.is_xfs = true;
	assert_int_equal(usable(&target), 0);
	fs.refusal = -EPERM;
	assert_int_equal(usable(&target), -EPERM);
	assert_string_equal(err.message, "needs root (CAP_SYS_ADMIN)");
	fs.refusal = -EOPNOTSUPP;
	assert_int_equal(usable(&target), -EOPNOTSUPP);
	assert_string_equal(err.message, "the kernel does not offer it");
}

static int forget(void **state)
{
	(void)state;
	scan_info_fini(&info);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_inode_is_taken_once),
		cmocka_unit_test(workers_do_not_wait_for_each_other),
		cmocka_unit_test(empty_filesystem_is_no_error),
		cmocka_unit_test(whole_filesystem_is_said),
		cmocka_unit_test(inode_created_meanwhile_is_taken_once),
		cmocka_unit_test(damaged_inode_costs_itself_only),
		cmocka_unit_test(damaged_cluster_is_one_failure),
		cmocka_unit_test(damaged_tree_costs_the_rest_of_its_ag),
		cmocka_unit_test(damaged_tree_is_blamed_on_its_own_ag),
		cmocka_unit_test(old_ioctl_does_not_know_which_tree_is_damaged),
		cmocka_unit_test(damage_is_told_once),
		cmocka_unit_test(slow_seeks_leave_one_worker),
		cmocka_unit_test(shut_down_filesystem_ends_the_scan),
		cmocka_unit_test(other_errors_end_the_scan),
		cmocka_unit_test(cancelled_scan_ends),
		cmocka_unit_test(blocks_that_bulkstat_left_out_are_added),
		cmocka_unit_test(what_cannot_be_read_is_refused_with_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
