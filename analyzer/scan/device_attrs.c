// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_attrs.h. What is read for an inode is block 0 of its fork, which nearly always is the
 * only leaf. Where it is a node, or an extent tree has to tell where it lies, the worker that finds
 * so reads the rest by itself (device_attr_tree.c).
 */
#include "analyzer/scan/device_attrs.h"

#include "analyzer/scan/device_again.h"
#include "analyzer/scan/device_attr_tree.h"
#include "analyzer/scan/device_sweep.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FULL_INODES (32U << 10)

/* An inode that is held back. */
struct held {
	struct held *next; /* in the list of the worker that noted it */
	struct xfs_inode inode;
	struct dump_measure measure;
	struct disk_fork fork; /* of the copy below */
	uint64_t place;        /* byte on the device of block 0, or of what leads to it */
	char copy[];           /* the fork as it lies in the inode */
};

struct device_attrs {
	const struct device_scan *scan;
	struct device_reader *reader;
	uint64_t gap_bytes;
	uint64_t read_bytes;
	struct held **noted; /* a list for each worker */
	struct held **all;   /* of the sweep at hand, by place; NULL: handed over */
	size_t count;
	struct device_sweep sweep;
	atomic_size_t kept;       /* in all lists */
	atomic_llong blocks_left; /* that attributes can have, by the size of the filesystem */
};

bool device_attrs_sampled(uint64_t ino, uint64_t inodes)
{
	uint64_t mixed = ino;

	if (inodes <= DEVICE_ATTRS_INODES)
		return true;
	/* the finalizer of splitmix64, as numbers of inodes lie in rows */
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
	return (mixed ^ mixed >> 31) <= UINT64_MAX / inodes * DEVICE_ATTRS_INODES;
}

/* --- To the sink ------------------------------------------------------------------------------ */

/* Hands over an inode whose attributes take @bytes besides an empty fork. */
static int hand_over(
	const struct device_attrs *attrs, struct held *held, uint64_t bytes, unsigned worker)
{
	const struct device_sink *sink = attrs->scan->sink;
	int rc;

	held->measure.attrs = DUMP_ATTRS_SEEN;
	held->measure.attr_bytes = DUMP_STREAM_EMPTY_ATTRS_BYTES + bytes;
	rc = sink->inode(&held->inode, &held->measure, worker, sink->context);
	free(held);
	return rc;
}

/*
 * Hands over an inode whose attributes cannot be read: how many bytes they take is not known. On a
 * mounted filesystem they may have been changed since; so it is asked for the inode, as for one
 * that is being written.
 */
static int fail(const struct device_attrs *attrs, const struct xfs_inode *inode,
	const struct dump_measure *measure, const struct err *err, unsigned worker)
{
	const struct device_sink *sink = attrs->scan->sink;
	char what[ERR_MESSAGE_BYTES + 64];

	if (err->code == -ENOMEM)
		return -ENOMEM;
	if (attrs->scan->live && sink->ask && !sink->ask(inode->ino, worker, sink->context))
		return 0;
	snprintf(what, sizeof(what), "attributes of inode %" PRIu64 ": %s", inode->ino,
		err->message);
	sink->failure(FAILURE_ATTRIBUTES, 0, err->code, what, worker, sink->context);
	return sink->inode(inode, measure, worker, sink->context);
}

/* --- Block 0 ---------------------------------------------------------------------------------- */

struct visit {
	const struct device_attrs *attrs;
	const struct held *held;
	bool is_leaf;
	uint64_t bytes;
};

/* Sums up a leaf. What is none is looked at again, by its level. */
static int check_root(const void *data, void *context, struct err *err)
{
	struct visit *visit = context;
	const struct disk_attr_block where = {visit->held->inode.ino, visit->held->place};
	struct disk_attr_leaf leaf;
	int rc = disk_attr_leaf_open(&leaf, visit->attrs->scan->super, &where, data, err);

	if (rc <= 0)
		return rc;
	visit->is_leaf = true;
	return device_attr_leaf_sum(&leaf, &visit->bytes, err);
}

static int sum_tree(struct device_attrs *attrs, struct visit *visit, struct err *err)
{
	const struct device_attr_fork from = {
		.scan = attrs->scan,
		.fork = &visit->held->fork,
		.gap_bytes = attrs->gap_bytes,
		.blocks_left = &attrs->blocks_left,
	};

	return device_attr_tree_sum(&from, &visit->bytes, err);
}

static int sum_root(struct device_attrs *attrs, struct visit *visit,
	const struct device_surroundings *around, struct err *err)
{
	const struct device_piece piece = {
		.offset = visit->held->place,
		.bytes = attrs->scan->super->block_bytes,
		.check = check_root,
		.context = visit,
	};

	return device_check(attrs->scan, &piece,
		device_piece_in(&piece, around->read, around->data, around->got), err);
}

/* Reads the attributes of @held, whose block 0 should be in @around, and hands it over. */
static int take(struct device_attrs *attrs, struct held *held,
	const struct device_surroundings *around, unsigned worker)
{
	struct visit visit = {.attrs = attrs, .held = held};
	struct err err;
	int rc = 0;

	err.code = 0;
	if (held->fork.form == DISK_FORK_EXTENTS)
		rc = sum_root(attrs, &visit, around, &err);
	if (!rc && !visit.is_leaf)
		rc = sum_tree(attrs, &visit, &err);
	if (!rc)
		return hand_over(attrs, held, visit.bytes, worker);
	rc = fail(attrs, &held->inode, &held->measure, &err, worker);
	free(held);
	return rc;
}

/* --- Inodes ----------------------------------------------------------------------------------- */

/* Finds where to read for @held. Returns 0 or -EUCLEAN. */
static int find_place(const struct device_attrs *attrs, struct held *held, struct err *err)
{
	const struct disk_super *super = attrs->scan->super;
	struct disk_bmbt_node node;
	struct disk_extent extent;
	struct disk_bmbt root;
	int rc;

	if (held->fork.form == DISK_FORK_EXTENTS) {
		rc = disk_fork_extent(&extent, super, &held->fork, 0, 0, err);
		if (!rc)
			held->place = disk_super_block_offset(super, extent.agno, extent.agbno);
		if (!rc && extent.offset)
			rc = err_set(err, -EUCLEAN, "block 0 lies nowhere");
		return rc;
	}
	rc = disk_bmbt_open_root(&root, &held->fork, err);
	if (!rc)
		rc = disk_bmbt_child(&node, super, &root, 0, err);
	if (!rc)
		held->place = disk_super_block_offset(super, node.agno, node.agbno);
	return rc;
}

/* Bytes of a fork that say where its blocks are. */
static size_t used_bytes(const struct disk_fork *fork)
{
	return fork->form == DISK_FORK_EXTENTS ? (size_t)fork->extents * DISK_FORK_EXTENT_BYTES
					       : fork->bytes;
}

static struct held *held_new(const struct disk_fork *fork, const struct xfs_inode *inode,
	const struct dump_measure *measure)
{
	size_t bytes = used_bytes(fork);
	struct held *held = malloc(sizeof(*held) + bytes);

	if (!held)
		return NULL;
	*held = (struct held){.inode = *inode, .measure = *measure, .fork = *fork};
	memcpy(held->copy, fork->data, bytes);
	held->fork.data = held->copy;
	return held;
}

/* Whether block 0 is in @around, and a leaf: a tree waits for its turn. */
static bool is_leaf_in(const struct device_attrs *attrs, const struct held *held,
	const struct device_surroundings *around)
{
	const struct device_piece piece = {
		.offset = held->place, .bytes = attrs->scan->super->block_bytes};
	const void *data;

	if (held->fork.form != DISK_FORK_EXTENTS || held->place < around->read->offset)
		return false;
	data = device_piece_in(&piece, around->read, around->data, around->got);
	return data && disk_attr_is_leaf(attrs->scan->super, data);
}

int device_attrs_note(struct device_attrs *attrs, const struct xfs_inode *inode,
	const struct dump_measure *measure, const void *buffer,
	const struct device_surroundings *around, unsigned worker)
{
	struct disk_fork fork;
	struct held *held;
	struct err err;
	int rc;

	err.code = 0;
	if (disk_fork_attr(&fork, attrs->scan->super, inode, buffer, &err))
		return fail(attrs, inode, measure, &err, worker);
	held = held_new(&fork, inode, measure);
	if (!held)
		return -ENOMEM;
	if (find_place(attrs, held, &err)) {
		rc = fail(attrs, inode, measure, &err, worker);
		free(held);
		return rc;
	}
	if (is_leaf_in(attrs, held, around))
		return take(attrs, held, around, worker);
	held->next = attrs->noted[worker];
	attrs->noted[worker] = held;
	atomic_fetch_add_explicit(&attrs->kept, 1, memory_order_relaxed);
	return 0;
}

bool device_attrs_full(const struct device_attrs *attrs)
{
	return atomic_load_explicit(&attrs->kept, memory_order_relaxed) >= FULL_INODES;
}

/* --- The sweep ------------------------------------------------------------------------------- */

static struct device_range held_range(uint32_t index, const void *context)
{
	const struct device_attrs *attrs = context;

	return (struct device_range){
		.start = attrs->all[index]->place,
		.bytes = attrs->scan->super->block_bytes,
	};
}

static bool next_blocks(struct device_read *read, void *context)
{
	struct device_attrs *attrs = context;
	bool more = device_sweep_next(&attrs->sweep, read);

	attrs->read_bytes += more ? read->bytes : 0;
	return more;
}

static int take_blocks(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context)
{
	const struct device_surroundings around = {read, data, got};
	struct device_attrs *attrs = context;
	struct device_share share = device_sweep_share(read);
	int rc = 0;

	for (uint32_t i = share.first; i < share.first + share.count && !rc; i++) {
		struct held *held = attrs->all[i];

		attrs->all[i] = NULL;
		rc = take(attrs, held, &around, worker);
	}
	return rc;
}

static int compare_places(const void *left, const void *right)
{
	const struct held *a = *(struct held *const *)left, *b = *(struct held *const *)right;

	return (a->place > b->place) - (a->place < b->place);
}

/* Moves what workers noted to one array. */
static int gather(struct device_attrs *attrs)
{
	size_t count = atomic_load(&attrs->kept);

	attrs->all = calloc(count, sizeof(*attrs->all));
	if (!attrs->all)
		return -ENOMEM;
	for (unsigned i = 0; i < attrs->scan->workers; i++)
		while (attrs->noted[i]) {
			attrs->all[attrs->count++] = attrs->noted[i];
			attrs->noted[i] = attrs->noted[i]->next;
		}
	atomic_store(&attrs->kept, 0);
	qsort(attrs->all, count, sizeof(*attrs->all), compare_places);
	return 0;
}

static void forget_all(struct device_attrs *attrs)
{
	for (size_t i = 0; i < attrs->count; i++)
		free(attrs->all[i]);
	free(attrs->all);
	attrs->all = NULL;
	attrs->count = 0;
}

int device_attrs_read(struct device_attrs *attrs)
{
	int rc;

	if (!atomic_load(&attrs->kept))
		return 0;
	rc = gather(attrs);
	if (rc)
		return rc;
	attrs->sweep = (struct device_sweep){
		.scan = attrs->scan,
		.gap_bytes = attrs->gap_bytes,
		.range = held_range,
		.context = attrs,
		.count = (uint32_t)attrs->count,
	};
	rc = device_reader_run(attrs->reader, next_blocks, take_blocks, attrs);
	forget_all(attrs);
	return rc;
}

uint64_t device_attrs_read_bytes(const struct device_attrs *attrs)
{
	return attrs->read_bytes;
}

int device_attrs_new(struct device_attrs **result, const struct device_scan *scan,
	struct device_reader *reader, uint64_t gap_bytes)
{
	struct device_attrs *attrs = calloc(1, sizeof(*attrs));

	*result = NULL;
	if (!attrs)
		return -ENOMEM;
	attrs->scan = scan;
	attrs->reader = reader;
	attrs->gap_bytes = gap_bytes;
	atomic_init(&attrs->blocks_left, (long long)scan->super->data_blocks);
	attrs->noted = calloc(scan->workers, sizeof(*attrs->noted));
	if (!attrs->noted) {
		free(attrs);
		return -ENOMEM;
	}
	*result = attrs;
	return 0;
}

void device_attrs_free(struct device_attrs *attrs)
{
	if (!attrs)
		return;
	for (unsigned i = 0; i < attrs->scan->workers; i++)
		while (attrs->noted[i]) {
			struct held *held = attrs->noted[i];

			attrs->noted[i] = held->next;
			free(held);
		}
	free(attrs->noted);
	free(attrs);
}
