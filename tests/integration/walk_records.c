// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints each inode_record that the walk engine counts, one a line, then the failures: what walk.sh
 * compares with other tools. The linker puts the __wrap_ functions below before the real ones.
 *
 *	walk_records [-bnoqs] [-c COMMAND] PATH JOBS
 *		-o: as on a kernel before file_getattr(2), without a view below mounts
 *		-n: every inode asked for by name
 *		-s: what changed just now counts as settled, so that it may be read in bulk
 *		-c: a shell's COMMAND, run once a directory's entries are read and no inode yet
 *		-q: the number of inodes only    -b: the number of those read in bulk only
 *
 * Columns: inode, mode (octal), links, uid, gid, project, size, allocated bytes, extents, flags,
 * unknown, mtime, ctime.
 */
#include "analyzer/scan/engine.h"
#include "analyzer/scan/walk_bulk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

static bool quiet;
static bool old_kernel;
static bool by_name;
static bool settled;
static _Atomic(const char *) command;
static atomic_ulong in_bulk;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);
int __real_census_add(struct census *census, const struct inode_record *inode);
int __wrap_census_add(struct census *census, const struct inode_record *inode);
int64_t __real_clock_unix_seconds(void);
int64_t __wrap_clock_unix_seconds(void);
size_t __real_walk_bulk_read(struct walk_bulk *bulk, const char *buffer, size_t offset, size_t end);
size_t __wrap_walk_bulk_read(struct walk_bulk *bulk, const char *buffer, size_t offset, size_t end);
const struct xfs_inode *__real_walk_bulk_find(struct walk_bulk *bulk, uint64_t ino);
const struct xfs_inode *__wrap_walk_bulk_find(struct walk_bulk *bulk, uint64_t ino);

int __wrap_census_add(struct census *census, const struct inode_record *inode)
{
	if (!quiet)
		printf("%" PRIu64 " %o %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64
		       " %u %u %" PRId64 " %" PRId64 "\n",
			inode->ino, inode->mode, inode->nlink, inode->uid, inode->gid,
			inode->projid, inode->size_bytes, inode->allocated_bytes, inode->extents,
			inode->flags, inode->unknown, inode->mtime_seconds, inode->ctime_seconds);
	return __real_census_add(census, inode);
}

int64_t __wrap_clock_unix_seconds(void)
{
	return __real_clock_unix_seconds() + (settled ? 60 : 0);
}

size_t __wrap_walk_bulk_read(struct walk_bulk *bulk, const char *buffer, size_t offset, size_t end)
{
	const char *once = atomic_exchange(&command, NULL);

	if (once && system(once))
		exit(EXIT_FAILURE);
	return __real_walk_bulk_read(bulk, buffer, offset, end);
}

const struct xfs_inode *__wrap_walk_bulk_find(struct walk_bulk *bulk, uint64_t ino)
{
	const struct xfs_inode *inode = by_name ? NULL : __real_walk_bulk_find(bulk, ino);

	in_bulk += inode != NULL;
	return inode;
}

/* The only direct system calls of the engine are file_getattr(2) and open_tree(2). */
long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
	if (!old_kernel)
		return __real_syscall(number, a, b, c, d, e);
	errno = ENOSYS;
	return -1;
}

static void print_failures(const struct failures *failures)
{
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		const struct failure_example *example = failures->examples[kind];

		if (!failures->count[kind])
			continue;
		printf("failure %s %" PRIu64 "\n", failure_kind_name((enum failure_kind)kind),
			failures->count[kind]);
		for (int i = 0; i < FAILURE_EXAMPLES && example[i].what; i++)
			printf("example %s %s\n", strerror(-example[i].code), example[i].what);
	}
}

static int walk(char *path, unsigned jobs, bool print)
{
	struct scan_options options = {.engine = ENGINE_WALK, .jobs = jobs};
	struct scan_target target = {.kind = TARGET_DIRECTORY, .path = path};
	struct scan_info info = {0};
	struct scan_job job = {.options = &options, .target = &target, .info = &info};
	struct census sum;
	struct statfs fs;
	struct err err = {0};

	target.fd = open(path, O_RDONLY | O_DIRECTORY);
	if (target.fd < 0 || fstatfs(target.fd, &fs))
		return perror(path), EXIT_FAILURE;
	target.is_xfs = fs.f_type == XFS_SUPER_MAGIC;
	target.block_bytes = (uint32_t)fs.f_bsize;
	census_init(&sum, target.block_bytes, 0);
	job.parts = calloc(jobs, sizeof(*job.parts));
	for (unsigned i = 0; i < jobs; i++)
		census_init(&job.parts[i], target.block_bytes, 0);
	if (engine_walk.run(&job, &err))
		fprintf(stderr, "%s\n", err.message);
	for (unsigned i = 0; i < jobs; i++) {
		census_merge(&sum, &job.parts[i]);
		census_fini(&job.parts[i]);
	}
	if (quiet && print)
		printf("%" PRIu64 "\n", sum.inodes);
	if (print)
		print_failures(&sum.failures);
	census_fini(&sum);
	scan_info_fini(&info);
	free(job.parts);
	close(target.fd);
	return err.code ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	bool only_bulk = false;
	int option;
	int rc;

	while ((option = getopt(argc, argv, "bc:noqs")) != -1) {
		only_bulk |= option == 'b';
		quiet |= option == 'q' || option == 'b';
		by_name |= option == 'n';
		old_kernel |= option == 'o';
		settled |= option == 's';
		if (option == 'c')
			command = optarg;
	}
	if (argc != optind + 2) {
		puts("1..0 # SKIP a tool that walk.sh uses");
		return EXIT_SUCCESS;
	}
	rc = walk(argv[optind], (unsigned)strtoul(argv[optind + 1], NULL, 10), !only_bulk);
	if (only_bulk)
		printf("%lu\n", in_bulk);
	return rc;
}
