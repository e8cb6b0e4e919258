// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/walk_tree.h"

#include "analyzer/census/size_class.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Trees ----------------------------------------------------------------------------------- */

char tree_root[64];
atomic_bool tree_cancelled;
bool tree_is_xfs;
bool tree_is_root;
bool tree_charges;
bool tree_was_whole;
char tree_message[ERR_MESSAGE_BYTES];

int tree_setup(void **state)
{
	(void)state;
	strcpy(tree_root, "/tmp/test_walk.XXXXXX");
	tree_cancelled = 0;
	tree_is_xfs = tree_is_root = tree_charges = false;
	return !mkdtemp(tree_root) || chdir(tree_root);
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

int tree_teardown(void **state)
{
	(void)state;
	return chdir("/") || nftw(tree_root, remove_entry, 64, FTW_DEPTH | FTW_PHYS);
}

void tree_directory(const char *name)
{
	assert_int_equal(mkdir(name, 0755), 0);
}

void tree_file(const char *name, off_t size)
{
	int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

/* Files of many sizes and days in a tree that is bushy here and has one huge directory there. */
void tree_bush(int directories, int files)
{
	char name[64];

	tree_directory("huge");
	for (int d = 0; d < directories; d++) {
		snprintf(name, sizeof(name), "d%d", d);
		tree_directory(name);
		snprintf(name, sizeof(name), "d%d/sub", d);
		tree_directory(name);
		for (int f = 0; f < 5; f++) {
			snprintf(name, sizeof(name), "d%d/sub/f%d", d, f);
			tree_file(name, 1L << (d + f) % 40);
		}
	}
	for (int f = 0; f < files; f++) {
		const struct timespec times[2] = {{.tv_sec = f * 86400L}, {.tv_sec = f * 86400L}};

		snprintf(name, sizeof(name), "huge/file-with-a-longer-name-%d", f);
		tree_file(name, f);
		assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
		if (f % 3 == 0) {
			char other[64];

			snprintf(other, sizeof(other), "d%d/link%d", f % directories, f);
			assert_int_equal(link(name, other), 0);
		}
	}
}

/* A comb: each level has the next one and two teeth beside it. */
void tree_comb(int levels)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < levels; i++) {
		int below;

		assert_int_equal(mkdirat(fd, "a", 0755), 0);
		assert_int_equal(mkdirat(fd, "m", 0755), 0);
		assert_int_equal(mkdirat(fd, "z", 0755), 0);
		below = openat(fd, "m", O_RDONLY | O_DIRECTORY);
		assert_true(below >= 0);
		close(fd);
		fd = below;
	}
	close(fd);
}

/* --- Walks ----------------------------------------------------------------------------------- */

/* Ends the join of a walk that charged directories: root and unresolved row are the census. */
static void end_join(struct directory_join *join, bool is_whole, struct census *census)
{
	const struct directories *directories = &census->directories;
	struct directory_sums sums = {0};
	struct census_totals totals;

	if (join && is_whole) {
		assert_int_equal(
			directory_join_finish(join, &census->directories, &census->failures), 0);
		for (size_t i = 0; i < directories->count; i++)
			if (directories->rows[i].parent == DIRECTORY_NO_PARENT)
				directory_sums_add(&sums, &directories->rows[i].tree);
		census_total(&census->cube, DEFAULT_TINY_BYTES, &totals);
		assert_int_equal(sums.files, totals.regular_files);
		assert_int_equal(sums.bytes, totals.bytes);
		assert_int_equal(sums.allocated_bytes, totals.allocated_bytes);
	}
	directory_join_free(join);
}

int tree_walk(unsigned jobs, struct census *census)
{
	const struct directory_join_options charging = {
		.block_bytes = 4096,
		.tiny_bytes = DEFAULT_TINY_BYTES,
		.workers = jobs,
		.in_use = true,
	};
	struct progress progress;
	struct scan_options options = {.jobs = jobs, .progress = &progress};
	struct scan_target target = {.path = strdup(tree_root),
		.block_bytes = 4096,
		.is_xfs = tree_is_xfs,
		.is_root = tree_is_root};
	struct scan_info info = {.whole_filesystem = true};
	struct scan_job job = {.options = &options, .target = &target, .info = &info};
	struct err err = {0};
	int rc;

	progress_init(&progress);
	progress.cancelled = &tree_cancelled;
	target.fd = open(tree_root, O_RDONLY | O_DIRECTORY);
	job.parts = calloc(jobs, sizeof(*job.parts));
	for (unsigned i = 0; i < jobs; i++)
		census_init(&job.parts[i], 4096, 0);
	census_init(census, 4096, 0);
	if (tree_charges)
		assert_int_equal(directory_join_new(&job.join, &charging), 0);
	rc = engine_walk.run(&job, &err);
	for (unsigned i = 0; i < jobs; i++) {
		assert_int_equal(census_merge(census, &job.parts[i]), 0);
		census_fini(&job.parts[i]);
	}
	census_sort(census);
	end_join(job.join, !rc, census);
	tree_was_whole = info.whole_filesystem;
	strcpy(tree_message, err.message);
	assert_true(tree_is_root || !tree_was_whole);
	assert_int_equal(info.engine_reason != NULL, !tree_is_root);
	scan_info_fini(&info);
	assert_int_equal(rc && rc != -ECANCELED, err.code != 0);
	if (!rc)
		assert_int_equal(progress.done, census->inodes);
	close(target.fd);
	free(target.path);
	free(job.parts);
	return rc;
}

void assert_totals(const struct census *census, uint64_t regular, uint64_t directories,
	uint64_t symlinks, uint64_t others)
{
	struct census_totals totals;

	census_total(&census->cube, DEFAULT_TINY_BYTES, &totals);
	assert_int_equal(totals.regular_files, regular);
	assert_int_equal(totals.directories, directories);
	assert_int_equal(totals.symlinks, symlinks);
	assert_int_equal(totals.others, others);
	assert_int_equal(totals.inodes, census->inodes);
}

/* One failure of @kind in all, of @name in the tree_root. */
void assert_failure(const struct census *census, enum failure_kind kind, int code, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s%s", tree_root, *name ? "/" : "", name);
	assert_int_equal(failures_total(&census->failures), 1);
	assert_int_equal(census->failures.count[kind], 1);
	assert_int_equal(census->failures.examples[kind][0].code, code);
	assert_string_equal(census->failures.examples[kind][0].what, path);
}
