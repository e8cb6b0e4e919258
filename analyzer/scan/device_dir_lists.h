/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files device_dir*.c share: lists of what is to be read, and how entries go out. */
#ifndef ANALYZER_SCAN_DEVICE_DIR_LISTS_H
#define ANALYZER_SCAN_DEVICE_DIR_LISTS_H

#include "analyzer/scan/device_dirs.h"
#include "analyzer/xfs/disk/dir.h"

#include <stdatomic.h>

#define DEVICE_DIR_NO_OFFSET UINT64_MAX

/* Filesystem blocks of one directory that lie one after the other. */
struct dir_extent {
	uint64_t place; /* byte on the device */
	uint64_t ino;
	uint32_t first; /* block in the directory */
	uint32_t count;
};

struct dir_list {
	void *items;
	size_t count;
	size_t capacity;
};

/* What is still to be read. */
struct dir_lists {
	struct dir_list extents; /* dir_extent: whole directory blocks */
	struct dir_list pieces;  /* dir_extent: parts of a directory block that lies in several */
	struct dir_list nodes;   /* disk_bmbt_node */
	struct dir_list near;    /* dir_extent: whole directory blocks in the read at hand */
};

struct device_dirs {
	const struct device_scan *scan;
	struct device_reader *reader;
	uint64_t gap_bytes;
	uint64_t read_bytes;
	uint32_t blocks_per_dir_block;
	uint64_t end_block;        /* of the file offsets where names are */
	struct dir_lists *parts;   /* one for each worker */
	struct dir_lists all;      /* gathered from them */
	atomic_size_t kept;        /* items in all parts */
	atomic_size_t pieces_kept; /* pieces of them */
	atomic_llong blocks_left;  /* that directories can have, by the size of the filesystem */
};

/* Appends @count items of @item_bytes. Returns 0 or -ENOMEM. */
int dir_list_append(struct dir_list *list, size_t item_bytes, const void *items, size_t count);

/* Moves what workers kept to dirs->all. Returns 0 or -ENOMEM. */
int device_dirs_gather(struct device_dirs *dirs);

/*
 * Keeps an extent, or the part of it where names are, for later or, if it lies in @around (may be
 * NULL), for device_dirs_take_near(). Returns 0 or -ENOMEM; the sink is told.
 */
int device_dirs_keep_extent(struct device_dirs *dirs, uint64_t ino,
	const struct disk_extent *extent, const struct device_surroundings *around,
	unsigned worker);

/* Keeps the children or the extents of an opened part of directory @ino's tree. */
int device_dirs_keep_tree(struct device_dirs *dirs, const struct disk_bmbt *tree, unsigned worker);

/* Hands all entries of an opened directory or block to the sink. Returns 0 or what it returns. */
int device_dirs_emit(
	struct device_dirs *dirs, struct disk_dir_reader *reader, uint64_t offset, unsigned worker);

/*
 * Tells that directory @ino could not be read, at byte @offset or, with DEVICE_DIR_NO_OFFSET, in
 * an unknown place. Returns 0, or -ENOMEM if that was the reason.
 */
int device_dirs_failed(struct device_dirs *dirs, uint64_t ino, uint64_t offset,
	const struct err *err, unsigned worker);

/* Replaces a part of dirs->all.nodes by what is below it, in dirs->all. Returns as the reader. */
int device_dirs_expand(struct device_dirs *dirs);

/* Hands on the entries of the whole directory blocks of @extent, which @around has. As the sink. */
int device_dirs_take_extent(struct device_dirs *dirs, const struct dir_extent *extent,
	const struct device_surroundings *around, unsigned worker);

/* Reads dirs->all.extents or dirs->all.pieces and empties them. */
int device_dirs_read_extents(struct device_dirs *dirs);
int device_dirs_read_pieces(struct device_dirs *dirs);

#endif
