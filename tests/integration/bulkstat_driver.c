// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bulkstat engine and what lies below it, for scripts: prints numbers, one thing a line.
 *
 *	target PATH                    what target_open() finds
 *	inodes auto|v1|v5 PATH         a line for each inode
 *	single auto|v1|v5 PATH INO...  a line for each inode, read singly
 *	chunks auto|v1|v5 PATH         a line for each chunk
 *	census JOBS auto|v1 PATH [N]   all cells, sorted, failures; stops after about N inodes
 */
#include "analyzer/scan/engine.h"
#include "analyzer/xfs/bulkstat.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct err *err)
{
	fprintf(stderr, "%s\n", err->message);
	return 1;
}

static int fail_errno(const char *what, int rc)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-rc));
	return 1;
}

static enum bulkstat_version version_of(const char *text)
{
	return !strcmp(text, "v1")   ? BULKSTAT_V1
	       : !strcmp(text, "v5") ? BULKSTAT_V5
				     : BULKSTAT_AUTO;
}

static const char *text_or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static int show_target(char **args)
{
	static const char *const kinds[] = {"directory", "device", "image"};
	struct scan_target target;
	struct err err = {0};

	if (target_open(&target, args[0], &err))
		return fail(&err);
	printf("kind=%s\npath=%s\nmount_point=%s\ndevice=%s\nfs_type=%s\nfs_id=%s\n",
		kinds[target.kind], target.path, text_or_dash(target.mount_point),
		text_or_dash(target.device), text_or_dash(target.fs_type),
		text_or_dash(target.fs_id));
	printf("is_xfs=%d\nis_root=%d\nread_only=%d\nblock_bytes=%" PRIu32 "\n", target.is_xfs,
		target.is_root, target_is_read_only(&target), target.block_bytes);
	printf("capacity_bytes=%" PRIu64 "\ninodes=%" PRIu64 "\n", target.capacity_bytes,
		target.inodes);
	target_close(&target);
	return 0;
}

static void print_inode(const struct xfs_inode *inode)
{
	printf("%" PRIu64 " mode=0%o nlink=%" PRIu32 " uid=%" PRIu32 " gid=%" PRIu32
	       " projid=%" PRIu32 " size=%" PRIu64 " blocks=%" PRIu64 " extents=%" PRIu64
	       " aextents=%" PRIu32 " mtime=%" PRId64 " ctime=%" PRId64 " gen=0x%" PRIx32
	       " xflags=0x%" PRIx32 " attr_fork=%d\n",
		inode->ino, inode->mode, inode->nlink, inode->uid, inode->gid, inode->projid,
		inode->size_bytes, inode->blocks, inode->extents, inode->attr_extents,
		inode->mtime_seconds, inode->ctime_seconds, inode->generation, inode->xflags,
		inode->attr_fork);
}

static int print_inodes(struct bulkstat *bulkstat)
{
	const struct xfs_inode *inodes;
	uint64_t next = 0;
	unsigned count;
	int rc;

	do {
		rc = bulkstat_next(bulkstat, &next, &inodes, &count);
		for (unsigned i = 0; !rc && i < count; i++)
			print_inode(&inodes[i]);
	} while (!rc && count);
	return rc;
}

static int print_chunks(struct bulkstat *bulkstat)
{
	const struct xfs_chunk *chunks;
	uint64_t next = 0;
	unsigned count;
	int rc;

	do {
		rc = bulkstat_chunks(bulkstat, &next, &chunks, &count);
		for (unsigned i = 0; !rc && i < count; i++)
			printf("%" PRIu64 " mask=%" PRIx64 " count=%" PRIu32 "\n",
				chunks[i].first_ino, chunks[i].alloc_mask, chunks[i].alloc_count);
	} while (!rc && count);
	return rc;
}

static int print_singles(struct bulkstat *bulkstat, char **numbers)
{
	int rc = 0;

	for (; *numbers && !rc; numbers++) {
		struct xfs_inode inode;

		rc = bulkstat_single(bulkstat, strtoull(*numbers, NULL, 0), &inode);
		if (!rc)
			print_inode(&inode);
		else if (rc == -ENOENT)
			printf("%s not in use\n", *numbers);
		rc = rc == -ENOENT ? 0 : rc;
	}
	return rc;
}

static int show_raw(const char *what, char **args)
{
	struct scan_target target;
	struct bulkstat *bulkstat;
	struct err err = {0};
	int rc;

	if (target_open(&target, args[1], &err))
		return fail(&err);
	rc = bulkstat_new(&bulkstat, target.fd, 100, version_of(args[0]));
	if (rc)
		return fail_errno("bulkstat_new", rc);
	if (!strcmp(what, "inodes"))
		rc = print_inodes(bulkstat);
	else if (!strcmp(what, "chunks"))
		rc = print_chunks(bulkstat);
	else
		rc = print_singles(bulkstat, args + 2);
	bulkstat_free(bulkstat);
	target_close(&target);
	return rc ? fail_errno(what, rc) : 0;
}

static void print_cube(const struct cube *cube)
{
	struct cube_key key;

	for (size_t i = 0; i < cube_count(cube); i++) {
		const struct cube_sums *sums = cube_at(cube, i, &key);

		printf("cell %" PRIu32 " %" PRIu32 " %" PRIu32 " %u %u inodes=%" PRIu64
		       " size=%" PRIu64 " allocated=%" PRIu64 " extents=%" PRIu64 " stream=%" PRIu64
		       "\n",
			key.uid, key.gid, key.projid, key.kind, key.size_class, sums->inodes,
			sums->size_bytes, sums->allocated_bytes, sums->extents, sums->stream_bytes);
	}
}

static void print_ages(const struct ages *ages)
{
	struct ages_key key;

	for (size_t i = 0; i < ages_count(ages); i++) {
		const struct ages_sums *sums = ages_at(ages, i, &key);

		printf("age %" PRIu32 " %" PRId32 " %u %u inodes=%" PRIu64 "\n", key.uid, key.day,
			key.kind, key.size_class, sums->inodes);
	}
}

static void print_failures(const struct failures *failures)
{
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		if (!failures->count[kind])
			continue;
		printf("failures %s count=%" PRIu64 " inodes=%" PRIu64 "\n",
			failure_kind_name(kind), failures->count[kind], failures->inodes[kind]);
		for (int i = 0; i < FAILURE_EXAMPLES && failures->examples[kind][i].what; i++)
			printf("failure %s: %s\n", failures->examples[kind][i].what,
				strerror(-failures->examples[kind][i].code));
	}
}

/* When `show` has seen as many inodes as are wanted, it sets the flag that a signal would set. */
struct stop_after {
	uint64_t inodes;
	atomic_bool *flag;
};

static void stop_when_seen(const struct progress *progress, void *context)
{
	const struct stop_after *stop = context;

	if (atomic_load(&progress->done) >= stop->inodes)
		*stop->flag = 1;
}

static int run_census(const struct scan_options *options, const struct scan_target *target,
	struct census *census, struct err *err)
{
	struct scan_info info = {0};
	struct scan_job job = {.options = options, .target = target, .info = &info};
	int rc = engine_bulkstat.usable(options, target, err);

	if (rc)
		return rc;
	job.parts = calloc(options->jobs, sizeof(*job.parts));
	for (unsigned i = 0; i < options->jobs; i++)
		census_init(&job.parts[i], target->block_bytes, 0);
	rc = engine_bulkstat.run(&job, err);
	for (unsigned i = 0; i < options->jobs; i++) {
		if (!rc)
			rc = census_merge(census, &job.parts[i]);
		census_fini(&job.parts[i]);
	}
	free(job.parts);
	if (!rc)
		printf("inodes %" PRIu64 "\nchunks %" PRIu64 "\nunlinked %" PRIu64
		       "\nwhole %d\nnote %s\n",
			census->inodes, info.inode_chunks, census->unlinked, info.whole_filesystem,
			text_or_dash(info.engine_reason));
	scan_info_fini(&info);
	return rc;
}

static int show_census(char **args)
{
	atomic_bool cancelled = 0;
	struct stop_after stop = {.flag = &cancelled};
	struct progress progress;
	struct scan_options options = {.jobs = (unsigned)strtoul(args[0], NULL, 10),
		.bulkstat_v1 = version_of(args[1]) == BULKSTAT_V1,
		.progress = &progress};
	struct scan_target target;
	struct census census;
	struct err err = {0};
	int rc;

	progress_init(&progress);
	progress.cancelled = &cancelled;
	if (args[3]) {
		stop.inodes = strtoull(args[3], NULL, 10);
		progress.show = stop_when_seen;
		progress.context = &stop;
		progress.next_ns = 0;
	}
	if (target_open(&target, args[2], &err))
		return fail(&err);
	census_init(&census, target.block_bytes, 0);
	rc = run_census(&options, &target, &census, &err);
	if (!rc) {
		census_sort(&census);
		print_cube(&census.cube);
		print_ages(&census.ages);
		print_failures(&census.failures);
	}
	census_fini(&census);
	target_close(&target);
	return rc ? fail(&err) : 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "target"))
		return show_target(argv + 2);
	if (argc >= 5 && !strcmp(argv[1], "census"))
		return show_census(argv + 2);
	if (argc >= 4)
		return show_raw(argv[1], argv + 2);
	puts("1..0 # SKIP a tool that bulkstat.sh uses");
	return 0;
}
