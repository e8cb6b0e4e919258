/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inodes of a directory's entries, many in a call, for a walk by root on XFS. What is not found
 * here is asked for by name; the census is the same.
 *
 * The kernel looks inode after inode up in the B+tree of its allocation group, whose lock two calls
 * in the same group hand to each other: together they take longer than one after the other. So a
 * gate lets one reader into a group at a time.
 */
#ifndef ANALYZER_SCAN_WALK_BULK_H
#define ANALYZER_SCAN_WALK_BULK_H

#include "analyzer/xfs/inode.h"

#include <stddef.h>

/* A reader: one for each worker. */
struct walk_bulk;

/* The gates of a filesystem's allocation groups, for all readers. */
struct walk_gates;

/* Gates of the filesystem that @fd is open on. Returns 0, -ENOMEM, or -ENOTTY if it is not XFS. */
int walk_gates_new(struct walk_gates **gates, int fd);
void walk_gates_free(struct walk_gates *gates);

/*
 * A reader on the filesystem that @fd is open on, @gates are of, and @root is an inode of; the
 * gates must outlive it. Only what last changed before @settled_seconds, since 1970, is told; all
 * of that must have been written back. Returns 0; -ENOMEM; another negative errno where this
 * process may not ask so, or the kernel cannot answer.
 */
int walk_bulk_new(struct walk_bulk **bulk, struct walk_gates *gates, int fd, uint64_t root,
	int64_t settled_seconds);
void walk_bulk_free(struct walk_bulk *bulk);

/*
 * Reads the inodes of the entries, no directories, from @offset on in @buffer, which getdents64(3)
 * filled up to @end, and forgets those it read before. Returns how far it came, beyond @offset.
 */
size_t walk_bulk_read(struct walk_bulk *bulk, const char *buffer, size_t offset, size_t end);

/* Inode @ino, valid until the next reading, or NULL if it is to be asked for by name. */
const struct xfs_inode *walk_bulk_find(struct walk_bulk *bulk, uint64_t ino);

#endif
