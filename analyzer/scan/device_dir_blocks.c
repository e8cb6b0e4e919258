// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Directory blocks, in the order of the disk. A directory block of several filesystem blocks may
 * lie in pieces where no room was free for it as a whole: such ones are rare, and put together one
 * by one after the others.
 */
#include "analyzer/scan/device_again.h"
#include "analyzer/scan/device_dir_lists.h"
#include "analyzer/scan/device_sweep.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/pool.h"
#include "base/units.h"

#include <errno.h>
#include <stdlib.h>

#define PIECES_TRIES 2
#define POOL_ITEMS   64

/* A pass over extents, sorted by place. */
struct pass {
	struct device_dirs *dirs;
	const struct dir_extent *extents;
	struct device_sweep sweep;
};

/* A directory block on its way. */
struct block_visit {
	struct device_dirs *dirs;
	struct disk_dir_block block;
	unsigned worker;
	int rc; /* of handing on its entries */
};

static int check_block(const void *data, void *context, struct err *err)
{
	struct block_visit *visit = context;
	struct disk_dir_reader reader;
	int rc = disk_dir_open_block(&reader, visit->dirs->scan->super, &visit->block, data, err);

	if (!rc)
		visit->rc =
			device_dirs_emit(visit->dirs, &reader, visit->block.offset, visit->worker);
	return rc;
}

static struct disk_dir_block block_at(
	const struct device_dirs *dirs, const struct dir_extent *extent, uint64_t at)
{
	return (struct disk_dir_block){
		.ino = extent->ino,
		.offset = ((uint64_t)extent->first << dirs->scan->super->block_log) + at,
		.place = extent->place + at,
	};
}

/* --- Whole blocks --- */

static struct device_range extent_range(uint32_t index, const void *context)
{
	const struct pass *pass = context;
	const struct dir_extent *extent = &pass->extents[index];

	return (struct device_range){
		.start = extent->place,
		.bytes = (uint64_t)extent->count << pass->dirs->scan->super->block_log,
	};
}

static bool next_extents(struct device_read *read, void *context)
{
	struct pass *pass = context;
	bool more = device_sweep_next(&pass->sweep, read);

	pass->dirs->read_bytes += more ? read->bytes : 0;
	return more;
}

static int take_block(struct block_visit *visit, const struct device_surroundings *around)
{
	const struct device_scan *scan = visit->dirs->scan;
	struct device_piece piece = {
		.offset = visit->block.place,
		.bytes = 1U << scan->super->dir_block_log,
		.check = check_block,
		.context = visit,
	};
	struct err err;

	err.code = 0;
	if (device_check(scan, &piece,
		    device_piece_in(&piece, around->read, around->data, around->got), &err) < 0)
		return device_dirs_failed(
			visit->dirs, visit->block.ino, visit->block.offset, &err, visit->worker);
	return visit->rc;
}

/* The directory blocks of @extent from byte @from to byte @to of it. */
static int take_blocks(struct device_dirs *dirs, const struct dir_extent *extent, uint64_t from,
	uint64_t to, const struct device_surroundings *around, unsigned worker)
{
	uint32_t step = 1U << dirs->scan->super->dir_block_log;
	int rc = 0;

	for (uint64_t at = from; at < to && !rc; at += step) {
		struct block_visit visit = {
			.dirs = dirs,
			.block = block_at(dirs, extent, at),
			.worker = worker,
		};

		rc = take_block(&visit, around);
	}
	return rc;
}

int device_dirs_take_extent(struct device_dirs *dirs, const struct dir_extent *extent,
	const struct device_surroundings *around, unsigned worker)
{
	return take_blocks(dirs, extent, 0, (uint64_t)extent->count << dirs->scan->super->block_log,
		around, worker);
}

static int take_extents(const struct device_read *read, const void *data, ssize_t got,
	unsigned worker, void *context)
{
	const struct device_surroundings around = {read, data, got};
	const struct pass *pass = context;
	struct device_share share = device_sweep_share(read);
	int rc = 0;

	for (uint32_t i = share.first; i < share.first + share.count && !rc; i++) {
		uint64_t to = min_u64(share.to, extent_range(i, pass).bytes);

		rc = take_blocks(pass->dirs, &pass->extents[i], share.from, to, &around, worker);
	}
	return rc;
}

static int compare_places(const void *left, const void *right)
{
	const struct dir_extent *a = left, *b = right;

	return (a->place > b->place) - (a->place < b->place);
}

int device_dirs_read_extents(struct device_dirs *dirs)
{
	struct dir_list *list = &dirs->all.extents;
	struct pass pass = {.dirs = dirs, .extents = list->items};
	int rc = 0;

	pass.sweep = (struct device_sweep){
		.scan = dirs->scan,
		.gap_bytes = dirs->gap_bytes,
		.range = extent_range,
		.context = &pass,
		.count = (uint32_t)list->count,
	};
	if (!list->count)
		return 0;
	qsort(list->items, list->count, sizeof(struct dir_extent), compare_places);
	rc = device_reader_run(dirs->reader, next_extents, take_extents, &pass);
	list->count = 0;
	return rc;
}

/* --- Blocks in pieces --- */

/* The pieces of one directory block, in order. */
struct puzzle {
	const struct dir_extent *pieces;
	size_t count;
};

static int compare_offsets(const void *left, const void *right)
{
	const struct dir_extent *a = left, *b = right;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* The pieces from @start on that belong to one directory block. */
static size_t puzzle_count(
	const struct device_dirs *dirs, const struct dir_list *list, size_t start)
{
	const struct dir_extent *pieces = list->items;
	uint32_t per = dirs->blocks_per_dir_block;
	size_t count = 1;

	while (start + count < list->count && pieces[start + count].ino == pieces[start].ino &&
		pieces[start + count].first / per == pieces[start].first / per)
		count++;
	return count;
}

/* Reads the pieces into @buffer, one after the other; they must make a whole. */
static int assemble(
	const struct device_dirs *dirs, const struct puzzle *puzzle, char *buffer, struct err *err)
{
	uint8_t block_log = dirs->scan->super->block_log;
	uint32_t per = dirs->blocks_per_dir_block;
	uint32_t have = 0;

	for (size_t i = 0; i < puzzle->count; i++) {
		const struct dir_extent *piece = &puzzle->pieces[i];
		int rc;

		if (piece->first % per != have)
			break;
		rc = device_source_read(dirs->scan->source, piece->place,
			(size_t)piece->count << block_log, buffer + ((size_t)have << block_log));
		if (rc)
			return err_set_errno(err, rc, "reading %u block%s at byte %llu",
				piece->count, unit_plural(piece->count),
				(unsigned long long)piece->place);
		have += piece->count;
	}
	return have == per ? 0 : err_set(err, -EUCLEAN, "a part of the block is missing");
}

static int take_puzzle(void *item, unsigned worker, void *context)
{
	const struct puzzle *puzzle = item;
	struct device_dirs *dirs = context;
	struct block_visit visit = {
		.dirs = dirs, .block = block_at(dirs, puzzle->pieces, 0), .worker = worker};
	autofree char *buffer = malloc(1U << dirs->scan->super->dir_block_log);
	struct err err = {0};
	int rc = -EIO;

	if (!buffer)
		return -ENOMEM;
	for (unsigned i = 0; i < PIECES_TRIES && rc; i++) {
		err_clear(&err);
		rc = assemble(dirs, puzzle, buffer, &err);
		if (!rc)
			rc = check_block(buffer, &visit, &err);
	}
	return rc ? device_dirs_failed(dirs, visit.block.ino, visit.block.offset, &err, worker)
		  : visit.rc;
}

int device_dirs_read_pieces(struct device_dirs *dirs)
{
	const struct pool_options options = {
		.threads = dirs->scan->workers,
		.item_bytes = sizeof(struct puzzle),
		.capacity = POOL_ITEMS,
		.work = take_puzzle,
		.context = dirs,
	};
	struct dir_list *list = &dirs->all.pieces;
	struct puzzle puzzle;
	struct pool *pool;
	int rc;

	if (!list->count)
		return 0;
	qsort(list->items, list->count, sizeof(struct dir_extent), compare_offsets);
	rc = pool_new(&pool, &options);
	if (rc)
		return rc;
	for (size_t i = 0; i < list->count; i += puzzle.count) {
		puzzle = (struct puzzle){
			.pieces = (const struct dir_extent *)list->items + i,
			.count = puzzle_count(dirs, list, i),
		};
		if (progress_cancelled(dirs->scan->progress) || pool_push(pool, &puzzle))
			break;
	}
	rc = pool_join(pool);
	list->count = 0;
	return rc;
}
