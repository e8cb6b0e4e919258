// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the log reader says, for log.sh to hold against the truth:
 *
 *   churn DIRECTORY SEED CREATES CHANGES   changes files there
 *   list DEVICE [LOGDEVICE]                the inode numbers in the log of an unmounted image
 *   read DEVICE MOUNT [LOGDEVICE]          reads the log of a mounted filesystem
 *   live DEVICE MOUNT [LOGDEVICE]          and compares every inode as it lies on the disk with
 *                                          what bulkstat says; exit status 1 if one that differs
 *                                          is not in the set
 */
#include "tests/integration/log_churn.h"
#include "tests/integration/raw_device.h"

#include "analyzer/scan/live.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#define BATCH 1024

/* What a comparison counts. */
struct tally {
	uint64_t inodes;
	uint64_t stale;          /* differ on the disk */
	struct inode_set missed; /* of them not in the set */
};

static void must(int rc, const struct err *error)
{
	if (rc)
		errx(2, "%s", error->message);
}

static void print_changes(const struct log_changes *changes)
{
	fprintf(stderr,
		"records %" PRIu64 " bytes %" PRIu64 " transactions %" PRIu64 " items %" PRIu64
		" inode items %" PRIu64 " chunks %" PRIu64 " cancelled %" PRIu64 " splits %" PRIu64
		" orphans %" PRIu64 " inodes %" PRIu64 " ended early %d\n",
		changes->records, changes->bytes, changes->transactions, changes->items,
		changes->inode_items, changes->chunk_items, changes->cancelled_buffers,
		changes->splits, changes->orphans, inode_set_count(&changes->logged),
		changes->ended_early);
}

static int list(const char *device, const char *log_device)
{
	struct log_changes changes;
	struct log_range range;
	struct raw_device raw;
	struct err error = {0};

	raw_open(&raw, device, log_device);
	log_changes_init(&changes);
	must(log_range_find(&raw.log, &range, &error), &error);
	must(log_collect(&raw.log, &range, &changes, &error), &error);
	for (uint64_t ino = 0; inode_set_next(&changes.logged, &ino); ino++)
		printf("%" PRIu64 "\n", ino);
	print_changes(&changes);
	log_changes_fini(&changes);
	raw_close(&raw);
	return 0;
}

static bool same(const struct xfs_inode *a, const struct xfs_inode *b)
{
	return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->nlink == b->nlink &&
	       a->projid == b->projid && a->generation == b->generation &&
	       a->size_bytes == b->size_bytes &&
	       a->blocks * a->block_bytes == b->blocks * b->block_bytes &&
	       a->mtime_seconds == b->mtime_seconds && a->ctime_seconds == b->ctime_seconds;
}

static void compare(const struct raw_device *raw, const struct log_changes *changes,
	const struct xfs_inode *memory, struct tally *tally)
{
	struct xfs_inode disk;

	raw_inode(raw, memory->ino, &disk);
	tally->inodes++;
	if (same(&disk, memory))
		return;
	tally->stale++;
	if (inode_set_contains(&changes->logged, memory->ino))
		return;
	if (inode_set_add(&tally->missed, memory->ino))
		err(2, "set");
	printf("inode %" PRIu64 " differs and is not in the log: disk mode %o size %" PRIu64
	       " links %u blocks %" PRIu64 ", memory %o %" PRIu64 " %u %" PRIu64 "\n",
		memory->ino, disk.mode, disk.size_bytes, disk.nlink, disk.blocks, memory->mode,
		memory->size_bytes, memory->nlink, memory->blocks);
}

static void compare_all(const struct raw_device *raw, int mount_fd,
	const struct log_changes *changes, struct tally *tally)
{
	const struct xfs_inode *inodes;
	struct bulkstat *bulkstat;
	uint64_t next = 0;
	unsigned count;

	if (bulkstat_new(&bulkstat, mount_fd, BATCH, BULKSTAT_AUTO))
		err(2, "bulkstat");
	do {
		if (bulkstat_next(bulkstat, &next, &inodes, &count))
			errx(2, "bulkstat from %" PRIu64, next);
		for (unsigned i = 0; i < count; i++) {
			struct xfs_inode inode = inodes[i];

			if (xfs_inode_lacks_blocks(&inode) &&
				xfs_inode_add_blocks(mount_fd, &inode))
				errx(2, "blocks of inode %" PRIu64, inode.ino);
			compare(raw, changes, &inode, tally);
		}
	} while (count);
	bulkstat_free(bulkstat);
}

static struct log_position head_now(int mount_fd)
{
	struct err error = {0};
	struct log_range range;
	struct stat status;

	if (fstat(mount_fd, &status) || syncfs(mount_fd))
		err(2, "syncfs");
	must(log_range_mounted(status.st_dev, &range, &error), &error);
	return range.head;
}

/*
 * How many of the inodes in @missed were not changed from @since on: the kernel takes preallocated
 * blocks back whenever it likes, also between the reading of the log and the comparison.
 */
static uint64_t count_missed(const struct raw_device *raw, int mount_fd, struct log_position since,
	struct inode_set *missed)
{
	struct log_range range = {since, head_now(mount_fd)};
	struct log_changes later;
	struct err error = {0};
	uint64_t count = 0;

	log_changes_init(&later);
	must(log_collect(&raw->log, &range, &later, &error), &error);
	for (uint64_t ino = 0; inode_set_next(missed, &ino); ino++) {
		bool changed = inode_set_contains(&later.logged, ino);

		printf("inode %" PRIu64 " was %s\n", ino, changed ? "changed since" : "missed");
		count += !changed;
	}
	log_changes_fini(&later);
	return count;
}

static int live(const char *device, const char *mount, const char *log_device, bool comparing)
{
	int mount_fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct log_changes changes;
	struct log_position since;
	struct tally tally = {0};
	struct raw_device raw;
	struct err error = {0};
	uint64_t missed = 0;

	if (mount_fd < 0)
		err(2, "%s", mount);
	raw_open(&raw, device, log_device);
	log_changes_init(&changes);
	inode_set_init(&tally.missed);
	since = head_now(mount_fd);
	must(live_collect(mount_fd, &raw.log, &changes, &error), &error);
	if (comparing)
		compare_all(&raw, mount_fd, &changes, &tally);
	inode_set_seal(&tally.missed);
	if (inode_set_count(&tally.missed))
		missed = count_missed(&raw, mount_fd, since, &tally.missed);
	printf("inodes %" PRIu64 " stale %" PRIu64 " logged %" PRIu64 " splits %" PRIu64
	       " missed %" PRIu64 "\n",
		tally.inodes, tally.stale, inode_set_count(&changes.logged), changes.splits,
		missed);
	print_changes(&changes);
	inode_set_fini(&tally.missed);
	log_changes_fini(&changes);
	raw_close(&raw);
	close(mount_fd);
	return missed != 0;
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc == 6 && strcmp(verb, "churn") == 0) {
		log_churn(argv[2], number(argv[3]), number(argv[4]), number(argv[5]));
		return 0;
	}
	if (argc >= 3 && strcmp(verb, "list") == 0)
		return list(argv[2], argv[3]);
	if (argc >= 4 && strcmp(verb, "live") == 0)
		return live(argv[2], argv[3], argv[4], true);
	if (argc >= 4 && strcmp(verb, "read") == 0)
		return live(argv[2], argv[3], argv[4], false);
	errx(64, "usage: log_probe churn|list|read|live …");
}
