/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Charging inodes to directories while a scan runs, from any number of threads, in any order.
 *
 * A worker is a number, 0 ≤ worker < options.workers, with which one thread at a time calls: what
 * it hands over is gathered there for a while.
 *
 * Two ways in, which mix:
 *
 *   apart      an engine meets inodes (directory_join_inode()) and the entries of directories
 *              (directory_join_entry()) at different times; they are joined by inode number
 *   in place   an engine that walks knows a file's directory when it meets the file
 *              (directory_join_place(), directory_join_charge())
 *
 * The last step puts both together: trees, sums, folding. What makes no sense (a directory with
 * several parents or none, below itself, with a ".." that lies; names with a slash or a NUL;
 * entries for inodes that are not in use) is tallied; it is never followed, since the tree is
 * built from the root downwards and each directory has one place in it.
 *
 * Of several entries for one directory the one in the directory with the smallest inode number
 * counts, and in there the smallest name. See directories.h for files.
 */
#ifndef ANALYZER_CENSUS_DIRECTORY_JOIN_H
#define ANALYZER_CENSUS_DIRECTORY_JOIN_H

#include "analyzer/census/directories.h"
#include "analyzer/census/failures.h"
#include "analyzer/census/inode_record.h"

struct directory_join;

struct directory_join_options {
	uint32_t block_bytes; /* of the filesystem, what allocated bytes are a multiple of */
	uint64_t tiny_bytes;  /* the edge of tiny */
	unsigned workers;     /* numbers of workers that the functions below are called with */
	size_t max_rows;      /* DIRECTORIES_MAX_ROWS or fewer; 0: nothing is folded */
	int64_t now_seconds;  /* since 1970: what changes are told by, see recency.h */
	bool in_use; /* files come and go meanwhile: an entry without an inode is no failure */
};

/* Returns 0 or -ENOMEM. */
int directory_join_new(struct directory_join **join, const struct directory_join_options *options);
void directory_join_free(struct directory_join *join);

/* --- Apart ------------------------------------------------------------------------------------ */

/*
 * The id of directory @ino, the same at each call. Returns 0 or -ENOMEM. Where the inode is known
 * to be no directory the id is 0: the functions below take nothing in for it.
 */
int directory_join_directory(struct directory_join *join, uint64_t ino, uint32_t *id);

/*
 * Takes an entry of directory @id in: @name (any @bytes, copied), inode number @child, and whether
 * that is a directory. Not for "." and "..". Returns 0 or -ENOMEM.
 */
int directory_join_entry(struct directory_join *join, unsigned worker, uint32_t id, uint64_t child,
	bool is_directory, const char *name, size_t bytes);

/* Notes which inode directory @id calls its parent, to be compared in the end. */
void directory_join_dotdot(struct directory_join *join, uint32_t id, uint64_t parent_ino);

/*
 * Notes what the attributes of directory @ino take in a dump's stream, half a megabyte at most. By
 * whoever takes the inode in. Returns 0 or -ENOMEM.
 */
int directory_join_attrs(struct directory_join *join, uint64_t ino, uint64_t stream_bytes);

/* Takes an inode in, each once. Returns 0 or -ENOMEM. */
int directory_join_inode(
	struct directory_join *join, unsigned worker, const struct inode_record *inode);

/*
 * For an engine whose entries do not say what they lead to: once all inodes were taken in and no
 * worker is at work, directory_join_is_directory() tells of any inode number whether a directory
 * was met there. Any thread may ask, until the end. Both return 0 or -ENOMEM.
 */
int directory_join_hand_on(struct directory_join *join);
int directory_join_is_directory(struct directory_join *join, uint64_t ino, bool *is_directory);

/* --- In place --------------------------------------------------------------------------------- */

/* A directory at its place in directory @parent (0: it is the root), charged to itself. */
int directory_join_place(struct directory_join *join, uint32_t parent, const char *name,
	const struct inode_record *inode, uint32_t *id);

/* Charges an inode, no directory, with one link to directory @id, by worker @worker. */
int directory_join_charge(struct directory_join *join, unsigned worker, uint32_t id,
	const struct inode_record *inode);

/*
 * Notes that something charged in place to directory @id by @worker has a name of @bytes: the
 * functions that are given a name do so themselves.
 */
void directory_join_named(struct directory_join *join, unsigned worker, uint32_t id, size_t bytes);

/* --- The end ---------------------------------------------------------------------------------- */

/* Says which directory is the root. */
void directory_join_root(struct directory_join *join, uint32_t id);

/* Whether that was said: without a root there is no tree to finish. */
bool directory_join_has_root(const struct directory_join *join);

/* Bytes of memory held now. */
size_t directory_join_memory_bytes(const struct directory_join *join);

/*
 * Fills @directories, which is initialised and empty, and adds to @failures what made no sense.
 * To be called once, when all workers are done; only directory_join_free() may follow.
 * Returns 0 or -ENOMEM.
 */
int directory_join_finish(
	struct directory_join *join, struct directories *directories, struct failures *failures);

#endif
