// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drives analyzer/scan/live.h for live.sh. Inodes are printed one a line, all that a census counts.
 *
 *   bulk MOUNT                      all inodes, as bulkstat tells them
 *   merge DEVICE MOUNT              the same from the device, those in the log asked for
 *   device DEVICE MOUNT             the same from the device alone
 *   ask MOUNT BATCH FIRST END STEP  every STEP-th number from FIRST on, in three parts
 *   wait MOUNT SECONDS              live_wait()
 *   freeze MOUNT SECONDS HOLD       freezes, says so, thaws after HOLD milliseconds or SIGUSR1
 *   twice MOUNT                     freezes what it has frozen
 */
#include "tests/integration/raw_device.h"

#include "analyzer/scan/answer.h"
#include "analyzer/scan/live.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH 1024

static void must(int rc, const struct err *error)
{
	if (rc)
		errx(2, "%s", error && error->code ? error->message : strerror(-rc));
}

static int open_mount(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static void print(const struct xfs_inode *inode)
{
	printf("%" PRIu64 " %o %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n",
		inode->ino, inode->mode, inode->uid, inode->gid, inode->projid, inode->nlink,
		inode->size_bytes, inode->blocks * inode->block_bytes, inode->mtime_seconds,
		inode->ctime_seconds);
}

/* An inode as bulkstat gave it; @context is the filesystem's descriptor. */
static int print_answer(const struct xfs_inode *given, void *context)
{
	struct xfs_inode inode = *given;
	char what[ANSWER_TEXT_BYTES];
	int rc = answer_complete(*(int *)context, &inode, what);

	if (rc)
		errx(2, "%s: %s", what, strerror(-rc));
	print(&inode);
	return 0;
}

static int fail(uint64_t ino, int code, void *context)
{
	(void)context;
	errx(2, "inode %" PRIu64 ": %s", ino, strerror(-code));
}

static int bulk(const char *mount)
{
	int fd = open_mount(mount);
	const struct xfs_inode *inodes;
	struct bulkstat *bulkstat;
	uint64_t next = 0;
	unsigned count;

	must(bulkstat_new(&bulkstat, fd, BATCH, BULKSTAT_AUTO), NULL);
	do {
		must(bulkstat_next(bulkstat, &next, &inodes, &count), NULL);
		for (unsigned i = 0; i < count; i++)
			print_answer(&inodes[i], &fd);
	} while (count);
	bulkstat_free(bulkstat);
	close(fd);
	return 0;
}

/* The numbers of all inodes in use. */
static void all_inodes(struct bulkstat *bulkstat, struct inode_set *used)
{
	const struct xfs_chunk *chunks;
	uint64_t next = 0;
	unsigned count;

	do {
		must(bulkstat_chunks(bulkstat, &next, &chunks, &count), NULL);
		for (unsigned i = 0; i < count * XFS_CHUNK_INODES; i++) {
			const struct xfs_chunk *chunk = &chunks[i / XFS_CHUNK_INODES];
			unsigned bit = i % XFS_CHUNK_INODES;

			if (chunk->alloc_mask >> bit & 1)
				must(inode_set_add(used, chunk->first_ino + bit), NULL);
		}
	} while (count);
	inode_set_seal(used);
}

/* Inodes of the realtime section and the quota: few, and known to bulkstat by not being told. */
static bool is_internal(struct bulkstat *bulkstat, uint64_t ino)
{
	struct xfs_inode inode;

	return ino < 256 && bulkstat_single(bulkstat, ino, &inode);
}

static int from_device(const char *device, const char *mount, bool merging)
{
	int fd = open_mount(mount);
	const struct live_sink sink = {print_answer, fail, &fd};
	struct log_changes changes;
	struct bulkstat *bulkstat;
	struct inode_set used;
	struct raw_device raw;
	struct err error = {0};

	raw_open(&raw, device, NULL);
	inode_set_init(&used);
	log_changes_init(&changes);
	must(bulkstat_new(&bulkstat, fd, BATCH, BULKSTAT_AUTO), NULL);
	all_inodes(bulkstat, &used);
	if (merging)
		must(live_collect(fd, &raw.log, &changes, &error), &error);
	for (uint64_t ino = 0; inode_set_next(&used, &ino); ino++) {
		struct xfs_inode inode;

		if (inode_set_contains(&changes.logged, ino) || is_internal(bulkstat, ino))
			continue;
		raw_inode(&raw, ino, &inode);
		print(&inode);
	}
	must(live_ask(bulkstat, BATCH, &changes.logged, 0, UINT64_MAX, &sink), NULL);
	fprintf(stderr, "%" PRIu64 " asked for\n", inode_set_count(&changes.logged));
	bulkstat_free(bulkstat);
	log_changes_fini(&changes);
	inode_set_fini(&used);
	raw_close(&raw);
	close(fd);
	return 0;
}

static int ask(const char *mount, unsigned batch, uint64_t first, uint64_t end, uint64_t step)
{
	const uint64_t third = (end - first) / 3;
	int fd = open_mount(mount);
	const struct live_sink sink = {print_answer, fail, &fd};
	struct bulkstat *bulkstat;
	struct inode_set set;

	inode_set_init(&set);
	for (uint64_t ino = first; ino < end; ino += step)
		must(inode_set_add(&set, ino), NULL);
	inode_set_seal(&set);
	must(bulkstat_new(&bulkstat, fd, batch, BULKSTAT_AUTO), NULL);
	must(live_ask(bulkstat, batch, &set, 0, first + third, &sink), NULL);
	must(live_ask(bulkstat, batch, &set, first + third, end - third, &sink), NULL);
	must(live_ask(bulkstat, batch, &set, end - third, UINT64_MAX, &sink), NULL);
	bulkstat_free(bulkstat);
	inode_set_fini(&set);
	close(fd);
	return 0;
}

static int wait_for(const char *mount, double seconds)
{
	int fd = open_mount(mount);
	struct err error = {0};
	int rc = live_wait(fd, seconds, NULL, &error);

	puts(rc ? error.message : "in its place");
	close(fd);
	return rc != 0;
}

static void wake(int number)
{
	(void)number;
}

static int freeze(const char *mount, unsigned seconds, unsigned hold_ms)
{
	int fd = open_mount(mount);
	const struct timespec hold = {hold_ms / 1000, hold_ms % 1000 * 1000000L};
	struct live_freeze *frozen;
	struct err error = {0};
	int rc;

	signal(SIGUSR1, wake);
	must(live_freeze(&frozen, fd, seconds, &error), &error);
	puts("frozen");
	fflush(stdout);
	nanosleep(&hold, NULL);
	rc = live_thaw(frozen, &error);
	puts(rc ? error.message : "thawed");
	close(fd);
	return rc != 0;
}

static int twice(const char *mount)
{
	int fd = open_mount(mount);
	struct live_freeze *first, *second;
	struct err error = {0};

	must(live_freeze(&first, fd, 60, &error), &error);
	live_freeze(&second, fd, 60, &error);
	puts(error.message);
	return live_thaw(second, NULL) || live_thaw(first, NULL);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc == 3 && strcmp(verb, "bulk") == 0)
		return bulk(argv[2]);
	if (argc == 4 && strcmp(verb, "merge") == 0)
		return from_device(argv[2], argv[3], true);
	if (argc == 4 && strcmp(verb, "device") == 0)
		return from_device(argv[2], argv[3], false);
	if (argc == 7 && strcmp(verb, "ask") == 0)
		return ask(argv[2], (unsigned)number(argv[3]), number(argv[4]), number(argv[5]),
			number(argv[6]));
	if (argc == 4 && strcmp(verb, "wait") == 0)
		return wait_for(argv[2], (double)number(argv[3]));
	if (argc == 5 && strcmp(verb, "freeze") == 0)
		return freeze(argv[2], (unsigned)number(argv[3]), (unsigned)number(argv[4]));
	if (argc == 3 && strcmp(verb, "twice") == 0)
		return twice(argv[2]);
	errx(64, "usage: live_driver bulk|merge|device|ask|wait|freeze|twice …");
}
