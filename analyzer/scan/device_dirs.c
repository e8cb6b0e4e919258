// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_dirs.h. Each worker keeps lists of its own; between runs of the reader they are
 * gathered. Extent trees are followed first, a batch of blocks at a time (device_dir_tree.c), then
 * directory blocks are read (device_dir_blocks.c).
 *
 * A hostile filesystem may let many directories claim the same blocks. All directories together
 * cannot have more blocks than there are: what claims more is refused, so the work is bounded.
 */
#include "analyzer/scan/device_dir_lists.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FULL_ITEMS   (512U << 10) /* 12 MiB of extents, twice that while they are gathered */
#define PIECES_LIMIT (1U << 20)

int dir_list_append(struct dir_list *list, size_t item_bytes, const void *items, size_t count)
{
	if (!count)
		return 0;
	if (list->count + count > list->capacity) {
		size_t capacity = max_u64(list->count + count, list->capacity * 2 + 16);
		void *grown = reallocarray(list->items, capacity, item_bytes);

		if (!grown)
			return -ENOMEM;
		list->items = grown;
		list->capacity = capacity;
	}
	memcpy((char *)list->items + list->count * item_bytes, items, count * item_bytes);
	list->count += count;
	return 0;
}

static void list_free(struct dir_list *list)
{
	free(list->items);
	*list = (struct dir_list){0};
}

/* Appends @from to @to, or just hands it over, and leaves it empty. */
static int list_move(struct dir_list *to, struct dir_list *from, size_t item_bytes)
{
	int rc;

	if (!to->count) {
		list_free(to);
		*to = *from;
		*from = (struct dir_list){0};
		return 0;
	}
	rc = dir_list_append(to, item_bytes, from->items, from->count);
	list_free(from);
	return rc;
}

int device_dirs_gather(struct device_dirs *dirs)
{
	int rc = 0;

	for (unsigned i = 0; i < dirs->scan->workers && !rc; i++) {
		struct dir_lists *part = &dirs->parts[i];

		rc = list_move(&dirs->all.extents, &part->extents, sizeof(struct dir_extent));
		if (!rc)
			rc = list_move(&dirs->all.pieces, &part->pieces, sizeof(struct dir_extent));
		if (!rc)
			rc = list_move(
				&dirs->all.nodes, &part->nodes, sizeof(struct disk_bmbt_node));
	}
	return rc;
}

/* --- To the sink --- */

int device_dirs_failed(struct device_dirs *dirs, uint64_t ino, uint64_t offset,
	const struct err *err, unsigned worker)
{
	const struct device_sink *sink = dirs->scan->sink;
	char what[ERR_MESSAGE_BYTES + 96];

	if (err->code == -ENOMEM)
		return -ENOMEM;
	if (dirs->scan->live && sink->directory_later &&
		!sink->directory_later(ino, worker, sink->context))
		return 0;
	if (offset == DEVICE_DIR_NO_OFFSET)
		snprintf(what, sizeof(what), "directory inode %" PRIu64 ": %s", ino, err->message);
	else
		snprintf(what, sizeof(what), "directory inode %" PRIu64 ", byte %" PRIu64 ": %s",
			ino, offset, err->message);
	sink->failure(FAILURE_READ_DIRECTORY, 0, err->code, what, worker, sink->context);
	return 0;
}

int device_dirs_emit(
	struct device_dirs *dirs, struct disk_dir_reader *reader, uint64_t offset, unsigned worker)
{
	const struct device_sink *sink = dirs->scan->sink;
	struct disk_dir_entry entry;
	struct err err;
	int rc = 0, found;

	err.code = 0;
	while (!rc && (found = disk_dir_next(reader, &entry, &err)) != 0) {
		if (found > 0) {
			rc = sink->entry(&entry, worker, sink->context);
			continue;
		}
		rc = device_dirs_failed(dirs, reader->ino, offset, &err, worker);
		err_clear(&err);
	}
	return rc;
}

/* --- What is kept --- */

/* @count blocks of an extent from its block @skip on. */
static struct dir_extent part_of(const struct device_dirs *dirs, uint64_t ino,
	const struct disk_extent *extent, uint32_t skip, uint32_t count)
{
	return (struct dir_extent){
		.place = disk_super_block_offset(
			dirs->scan->super, extent->agno, extent->agbno + skip),
		.ino = ino,
		.first = (uint32_t)extent->offset + skip,
		.count = count,
	};
}

static int keep(struct device_dirs *dirs, struct dir_list *list, const struct dir_extent *part)
{
	atomic_fetch_add_explicit(&dirs->kept, 1, memory_order_relaxed);
	return dir_list_append(list, sizeof(*part), part, 1);
}

/* Keeps a part of a directory block; most are whole, so many of them are no honest filesystem. */
static int keep_piece(struct device_dirs *dirs, uint64_t ino, const struct disk_extent *extent,
	uint32_t skip, uint32_t count, unsigned worker)
{
	struct dir_extent part;
	struct err err;

	if (!count)
		return 0;
	part = part_of(dirs, ino, extent, skip, count);
	if (atomic_fetch_add(&dirs->pieces_kept, 1) < PIECES_LIMIT)
		return keep(dirs, &dirs->parts[worker].pieces, &part);
	err.code = 0;
	err_set(&err, -EUCLEAN, "too many directory blocks lie in pieces");
	return device_dirs_failed(
		dirs, ino, (extent->offset + skip) << dirs->scan->super->block_log, &err, worker);
}

static bool is_in(const struct device_surroundings *around, uint64_t place, uint64_t bytes)
{
	return around && around->got > 0 && place >= around->read->offset &&
	       place + bytes <= around->read->offset + (uint64_t)around->got;
}

/* Keeps whole directory blocks, those at hand apart from others. */
static int keep_whole(struct device_dirs *dirs, const struct dir_extent *part,
	const struct device_surroundings *around, unsigned worker)
{
	struct dir_lists *lists = &dirs->parts[worker];

	if (!part->count)
		return 0;
	if (is_in(around, part->place, (uint64_t)part->count << dirs->scan->super->block_log))
		return dir_list_append(&lists->near, sizeof(*part), part, 1);
	return keep(dirs, &lists->extents, part);
}

/* Whether an extent can be read, and directories may have that many blocks. */
static int check_extent(struct device_dirs *dirs, const struct disk_extent *extent, struct err *err)
{
	const struct disk_super *super = dirs->scan->super;
	uint64_t end = disk_super_block_offset(super, extent->agno, extent->agbno) +
		       ((uint64_t)extent->count << super->block_log);

	if (end > dirs->scan->source->size_bytes)
		return err_set(err, -ENODATA, "the device ends at byte %llu, before it",
			(unsigned long long)dirs->scan->source->size_bytes);
	if (atomic_fetch_sub(&dirs->blocks_left, extent->count) < extent->count)
		return err_set(err, -EUCLEAN,
			"all directories together have more blocks than the filesystem");
	return 0;
}

int device_dirs_keep_extent(struct device_dirs *dirs, uint64_t ino, const struct disk_extent *whole,
	const struct device_surroundings *around, unsigned worker)
{
	uint32_t per = dirs->blocks_per_dir_block;
	struct disk_extent extent = *whole;
	struct dir_extent part;
	struct err err;
	uint32_t head, middle;
	int rc;

	if (extent.offset >= dirs->end_block)
		return 0;
	extent.count = (uint32_t)min_u64(extent.count, dirs->end_block - extent.offset);
	err.code = 0;
	if (check_extent(dirs, &extent, &err))
		return device_dirs_failed(
			dirs, ino, extent.offset << dirs->scan->super->block_log, &err, worker);
	head = (uint32_t)min_u64((per - extent.offset % per) % per, extent.count);
	middle = (extent.count - head) / per * per;
	part = part_of(dirs, ino, &extent, head, middle);
	rc = keep_piece(dirs, ino, &extent, 0, head, worker);
	if (!rc)
		rc = keep_whole(dirs, &part, around, worker);
	if (!rc)
		rc = keep_piece(
			dirs, ino, &extent, head + middle, extent.count - head - middle, worker);
	return rc;
}

/* Keeps a block of an extent tree, which counts as a block of the directory. */
static int keep_node(struct device_dirs *dirs, const struct disk_bmbt_node *node, unsigned worker)
{
	struct err err = {0};

	if (atomic_fetch_sub(&dirs->blocks_left, 1) < 1) {
		err_set(&err, -EUCLEAN,
			"all directories together have more blocks than the filesystem");
		return device_dirs_failed(dirs, node->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
	}
	atomic_fetch_add_explicit(&dirs->kept, 1, memory_order_relaxed);
	return dir_list_append(&dirs->parts[worker].nodes, sizeof(*node), node, 1);
}

int device_dirs_keep_tree(struct device_dirs *dirs, const struct disk_bmbt *tree, unsigned worker)
{
	const struct disk_super *super = dirs->scan->super;
	int rc = 0;

	for (unsigned i = 0; i < tree->count && !rc; i++) {
		struct disk_bmbt_node child = {0};
		struct disk_extent extent;
		struct err err;

		err.code = 0;
		if (tree->level ? disk_bmbt_child(&child, super, tree, i, &err)
				: disk_bmbt_extent(&extent, super, tree, i, &err))
			rc = device_dirs_failed(
				dirs, tree->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
		else if (!tree->level)
			rc = device_dirs_keep_extent(dirs, tree->ino, &extent, NULL, worker);
		else if (child.low < dirs->end_block)
			rc = keep_node(dirs, &child, worker);
	}
	return rc;
}

/* --- From inodes --- */

static int note_local(struct device_dirs *dirs, const struct disk_fork *fork, unsigned worker)
{
	struct disk_dir_reader reader;
	struct err err;

	err.code = 0;
	if (disk_dir_open_local(&reader, dirs->scan->super, fork, &err))
		return device_dirs_failed(dirs, fork->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
	return device_dirs_emit(dirs, &reader, DEVICE_DIR_NO_OFFSET, worker);
}

static int note_extents(struct device_dirs *dirs, const struct disk_fork *fork,
	const struct device_surroundings *around, unsigned worker)
{
	uint64_t least = 0;
	int rc = 0;

	for (uint64_t i = 0; i < fork->extents && !rc; i++) {
		struct disk_extent extent;
		struct err err;

		err.code = 0;
		if (disk_fork_extent(&extent, dirs->scan->super, fork, i, least, &err))
			return device_dirs_failed(
				dirs, fork->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
		rc = device_dirs_keep_extent(dirs, fork->ino, &extent, around, worker);
		least = extent.offset + extent.count;
	}
	return rc;
}

static int note_tree(struct device_dirs *dirs, const struct disk_fork *fork, unsigned worker)
{
	struct disk_bmbt tree;
	struct err err;

	err.code = 0;
	if (disk_bmbt_open_root(&tree, fork, &err))
		return device_dirs_failed(dirs, fork->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
	return device_dirs_keep_tree(dirs, &tree, worker);
}

int device_dirs_note(struct device_dirs *dirs, const struct xfs_inode *inode, const void *buffer,
	const struct device_surroundings *around, unsigned worker)
{
	struct disk_fork fork;
	struct err err;

	err.code = 0;
	if (disk_fork_data(&fork, dirs->scan->super, inode, buffer, &err))
		return device_dirs_failed(dirs, inode->ino, DEVICE_DIR_NO_OFFSET, &err, worker);
	switch (fork.form) {
	case DISK_FORK_LOCAL:
		return note_local(dirs, &fork, worker);
	case DISK_FORK_EXTENTS:
		return note_extents(dirs, &fork, around, worker);
	default:
		return note_tree(dirs, &fork, worker);
	}
}

int device_dirs_take_near(
	struct device_dirs *dirs, const struct device_surroundings *around, unsigned worker)
{
	struct dir_list *near = &dirs->parts[worker].near;
	const struct dir_extent *extents = near->items;
	int rc = 0;

	for (size_t i = 0; i < near->count && !rc; i++)
		rc = device_dirs_take_extent(dirs, &extents[i], around, worker);
	near->count = 0;
	return rc;
}

/* --- The pass --- */

bool device_dirs_full(const struct device_dirs *dirs)
{
	return atomic_load_explicit(&dirs->kept, memory_order_relaxed) >= FULL_ITEMS;
}

int device_dirs_read(struct device_dirs *dirs)
{
	int rc = device_dirs_gather(dirs);

	do {
		while (!rc && dirs->all.nodes.count && dirs->all.extents.count < FULL_ITEMS)
			rc = device_dirs_expand(dirs);
		if (!rc)
			rc = device_dirs_read_extents(dirs);
	} while (!rc && dirs->all.nodes.count && !progress_cancelled(dirs->scan->progress));
	if (!rc)
		rc = device_dirs_read_pieces(dirs);
	atomic_store(&dirs->kept, 0);
	atomic_store(&dirs->pieces_kept, 0);
	return rc;
}

uint64_t device_dirs_read_bytes(const struct device_dirs *dirs)
{
	return dirs->read_bytes;
}

int device_dirs_new(struct device_dirs **result, const struct device_scan *scan,
	struct device_reader *reader, uint64_t gap_bytes)
{
	const struct disk_super *super = scan->super;
	struct device_dirs *dirs = calloc(1, sizeof(*dirs));

	*result = NULL;
	if (!dirs)
		return -ENOMEM;
	dirs->scan = scan;
	dirs->reader = reader;
	dirs->gap_bytes = gap_bytes;
	dirs->blocks_per_dir_block = 1U << (super->dir_block_log - super->block_log);
	dirs->end_block = DISK_DIR_SPACE_BYTES >> super->block_log;
	atomic_init(&dirs->blocks_left, (long long)super->data_blocks);
	dirs->parts = calloc(scan->workers, sizeof(*dirs->parts));
	if (!dirs->parts) {
		free(dirs);
		return -ENOMEM;
	}
	*result = dirs;
	return 0;
}

static void lists_free(struct dir_lists *lists)
{
	list_free(&lists->extents);
	list_free(&lists->pieces);
	list_free(&lists->nodes);
	list_free(&lists->near);
}

void device_dirs_free(struct device_dirs *dirs)
{
	if (!dirs)
		return;
	for (unsigned i = 0; i < dirs->scan->workers; i++)
		lists_free(&dirs->parts[i]);
	lists_free(&dirs->all);
	free(dirs->parts);
	free(dirs);
}
