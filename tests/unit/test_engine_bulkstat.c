// SPDX-License-Identifier: GPL-2.0-or-later
/* The engine on the filesystem of fake_bulkstat.h. */
#include "tests/unit/test.h"

#include "analyzer/scan/engine.h"
#include "tests/unit/fake_bulkstat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scan_info info;
static bool shows_root = true; /* the mount of the target */
static struct err err;

/* Runs the engine with @jobs workers and merges what they counted into @census. */
static int run(unsigned jobs, struct progress *progress, struct census *census)
{
	struct scan_options options = {.jobs = jobs, .progress = progress};
	struct scan_target target = {.path = (char *)(uintptr_t) "/fs/tree",
		.mount_point = (char *)(uintptr_t) "/fs",
		.shows_root = shows_root,
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
	struct census census;
	uint64_t inodes = 0;
	int rc = -EDEADLK;

	(void)state;
	/* on a busy machine it may take all seeks for slow, and one worker only */
	for (int i = 0; i < 5 && rc == -EDEADLK; i++) {
		if (i)
			census_fini(&census);
		inodes = make_fs(400);
		crowd.held = true;
		rc = run(2, NULL, &census);
	}
	assert_int_equal(rc, 0);
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
	shows_root = false;
	assert_int_equal(run(1, NULL, &census), 0);
	shows_root = true;
	assert_non_null(strstr(info.engine_reason, "/fs/tree shows a part"));
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
