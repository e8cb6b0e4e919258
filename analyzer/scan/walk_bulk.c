// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk_bulk.h. A file takes two system calls by name, each of which looks the name up. But a
 * directory's files were mostly made one after the other, and then so are their numbers: bulkstat
 * tells all that the two calls would, of a run of numbers in one call.
 *
 * An entry says a number, not a generation. If the file was removed after its entry was read, the
 * number may be another file's by now, which is counted where that one is: so what changed since
 * the walk began is not told, and that a number's new owner surely did. Nor has bulkstat the size
 * and blocks of what is not written back yet; the walk has all of it written before it begins.
 * What is told is therefore as it was all the time, and the tree has it at that name.
 */
#include "analyzer/scan/walk_bulk.h"

#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/geometry.h"
#include "base/checked.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Entries looked at together: many for one call, few enough to stay in the processor's cache. */
#define SLICE_ENTRIES 1024

/* Numbers up to so far apart are read in one call: reading what is between costs less than one. */
#define RUN_STEP 4

/* A run of fewer inodes is not worth a call. */
#define RUN_LEAST 4

/* Gates that groups share, where there are more of them. */
#define GATES 64

struct walk_gates {
	struct xfs_geometry geometry;
	pthread_mutex_t gates[GATES];
};

struct walk_bulk {
	struct walk_gates *gates;
	struct bulkstat *bulkstat;
	int64_t settled_seconds; /* what changed from here on is not told */
	unsigned wanted_count;
	unsigned found_count;
	unsigned next;                         /* of `found`: probably the one asked for next */
	uint64_t wanted[SLICE_ENTRIES];        /* inode numbers, ascending */
	struct xfs_inode found[SLICE_ENTRIES]; /* ascending */
};

int walk_gates_new(struct walk_gates **result, int fd)
{
	struct walk_gates *gates = calloc(1, sizeof(*gates));
	int rc = gates ? xfs_geometry_get(fd, &gates->geometry) : -ENOMEM;

	if (rc) {
		free(gates);
		return rc;
	}
	for (unsigned i = 0; i < GATES; i++)
		pthread_mutex_init(&gates->gates[i], NULL);
	*result = gates;
	return 0;
}

void walk_gates_free(struct walk_gates *gates)
{
	for (unsigned i = 0; gates && i < GATES; i++)
		pthread_mutex_destroy(&gates->gates[i]);
	free(gates);
}

int walk_bulk_new(struct walk_bulk **result, struct walk_gates *gates, int fd, uint64_t root,
	int64_t settled_seconds)
{
	struct walk_bulk *bulk = calloc(1, sizeof(*bulk));
	struct xfs_inode inode;
	int rc;

	if (!bulk)
		return -ENOMEM;
	bulk->gates = gates;
	bulk->settled_seconds = settled_seconds;
	rc = bulkstat_new(&bulk->bulkstat, fd, SLICE_ENTRIES, BULKSTAT_V5);
	if (!rc)
		rc = bulkstat_single(bulk->bulkstat, root, &inode);
	if (rc) {
		walk_bulk_free(bulk);
		return rc;
	}
	*result = bulk;
	return 0;
}

void walk_bulk_free(struct walk_bulk *bulk)
{
	if (!bulk)
		return;
	bulkstat_free(bulk->bulkstat);
	free(bulk);
}

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Notes the numbers of up to SLICE_ENTRIES entries. Returns where the next ones begin. */
static size_t want(struct walk_bulk *bulk, const char *buffer, size_t offset, size_t end)
{
	bool ascends = true;
	unsigned count = 0;

	while (offset < end && count < SLICE_ENTRIES) {
		const struct dirent64 *entry = (const void *)(buffer + offset);

		offset += entry->d_reclen;
		if (entry->d_type == DT_DIR)
			continue;
		ascends = ascends && (!count || bulk->wanted[count - 1] < entry->d_ino);
		bulk->wanted[count++] = entry->d_ino;
	}
	if (!ascends)
		qsort(bulk->wanted, count, sizeof(*bulk->wanted), compare_numbers);
	bulk->wanted_count = count;
	return offset;
}

static bool may_be_told(const struct walk_bulk *bulk, const struct xfs_inode *inode)
{
	return inode->nlink && inode->ctime_seconds < bulk->settled_seconds &&
	       !S_ISDIR(inode->mode) && !xfs_inode_lacks_blocks(inode);
}

/* Keeps those of @count inodes that are wanted. Returns the first number wanted beyond them. */
static unsigned keep(
	struct walk_bulk *bulk, unsigned wanted, const struct xfs_inode *inodes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		while (wanted < bulk->wanted_count && bulk->wanted[wanted] < inodes[i].ino)
			wanted++;
		if (wanted < bulk->wanted_count && bulk->wanted[wanted] == inodes[i].ino &&
			may_be_told(bulk, &inodes[i]))
			bulk->found[bulk->found_count++] = inodes[i];
	}
	return wanted;
}

/*
 * The next inodes from @next on, none of another group, when nobody else is in theirs. A call that
 * is not held to the group would go on to the next one, past its gate, for want of inodes.
 */
static int read_gated(
	struct walk_bulk *bulk, uint64_t *next, const struct xfs_inode **inodes, unsigned *count)
{
	struct walk_gates *gates = bulk->gates;
	uint32_t agno = xfs_agno_of_inode(&gates->geometry, *next);
	pthread_mutex_t *gate = &gates->gates[agno % GATES];
	int rc;

	pthread_mutex_lock(gate);
	rc = bulkstat_next_in_ag(bulk->bulkstat, agno, next, inodes, count);
	pthread_mutex_unlock(gate);
	return rc;
}

/* Reads from number @first of those wanted to @last. What fails is left to be asked by name. */
static void read_run(struct walk_bulk *bulk, unsigned first, unsigned last)
{
	uint64_t next = bulk->wanted[first];
	unsigned count = 1;

	while (count && next <= bulk->wanted[last]) {
		uint64_t span = bulk->wanted[last] - next + 1;
		const struct xfs_inode *inodes;

		bulkstat_set_batch(bulk->bulkstat, (unsigned)min_u64(span, SLICE_ENTRIES));
		if (read_gated(bulk, &next, &inodes, &count))
			return;
		first = keep(bulk, first, inodes, count);
	}
}

size_t walk_bulk_read(struct walk_bulk *bulk, const char *buffer, size_t offset, size_t end)
{
	unsigned first = 0;

	offset = want(bulk, buffer, offset, end);
	bulk->found_count = bulk->next = 0;
	for (unsigned last = 0; last < bulk->wanted_count; last++) {
		if (last + 1 < bulk->wanted_count &&
			bulk->wanted[last + 1] - bulk->wanted[last] <= RUN_STEP)
			continue;
		if (last - first + 1 >= RUN_LEAST)
			read_run(bulk, first, last);
		first = last + 1;
	}
	return offset;
}

static int compare_inode(const void *key, const void *element)
{
	const struct xfs_inode *inode = element;

	return compare_numbers(key, &inode->ino);
}

const struct xfs_inode *walk_bulk_find(struct walk_bulk *bulk, uint64_t ino)
{
	const struct xfs_inode *found = &bulk->found[bulk->next];

	if (bulk->next == bulk->found_count || found->ino != ino)
		found = bsearch(
			&ino, bulk->found, bulk->found_count, sizeof(*found), compare_inode);
	if (found)
		bulk->next = (unsigned)(found - bulk->found) + 1;
	return found;
}
