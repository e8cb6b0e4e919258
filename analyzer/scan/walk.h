/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the walk engine share; nobody else includes this.
 *
 *   engine_walk.c     the pool, the worker's loop, sharing work
 *   walk_stack.c      the directories a worker is in: their names still to do, their descriptors
 *   walk_directory.c  opening and reading a directory
 *   walk_inode.c      from an entry to an inode_record in the census
 *   walk_bulk.c       the inodes of many entries in one call, where that is possible
 *   walk_names.c      reading names only, for engines that get inodes in another way
 *   walk_node.c       where in the tree a directory is, for the paths in messages
 */
#ifndef ANALYZER_SCAN_WALK_H
#define ANALYZER_SCAN_WALK_H

#include "analyzer/scan/engine.h"
#include "analyzer/scan/file_attributes.h"
#include "analyzer/scan/link_set.h"
#include "analyzer/scan/walk_bulk.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <sys/stat.h>

/* Directory entries come in pieces of this size, some thousands each. */
#define WALK_BUFFER_BYTES (256U << 10)

/* A directory in the tree. Lives while it, or one below it, is in work. */
struct walk_node {
	struct walk_node *parent;          /* NULL for the root; holds a reference */
	const struct walk_node *milestone; /* the ancestor to compare with, see walk_node_loops() */
	atomic_uint references;
	uint32_t depth;     /* 0 for the root */
	uint32_t directory; /* id in the join, 0 without one */
	uint64_t ino;
	char name[]; /* the name in the parent; the path for the root */
};

/* A directory in work: an item of the pool, or one level of a worker's stack. */
struct walk_frame {
	struct walk_node *node; /* holds a reference */
	int fd;                 /* owned; -1 while closed for want of descriptors */
	bool unread;            /* its entries were not read yet */
	bool is_piece;          /* names are entries as getdents64(3) gave them, files too */
	char *names;            /* owned: entries to do, each NUL-terminated, one after the other */
	size_t names_bytes;     /* length of all of them */
	size_t next;            /* offset of the first not done */
	size_t names_capacity;
};

/* What all workers share. */
struct walk {
	struct scan_job *job;
	const char *path; /* of what it begins at, for messages */
	struct pool *pool;
	struct walker *walkers;
	struct walk_gates *gates;     /* NULL: no worker has a reader in bulk */
	unsigned threads;             /* at most job->options->jobs */
	struct link_set *links;       /* inodes with several names, counted already */
	struct link_set *met;         /* directories counted already; NULL: nobody asks */
	dev_t dev;                    /* of the root: no other directory is entered */
	enum file_attributes_way way; /* how to ask XFS for more than stat tells */
	size_t open_max;              /* descriptors that a stack may hold, at least 2 */
	bool is_bare;                 /* nothing is mounted on what it sees */
	bool names_only;              /* entries go to the join, no inode is asked for or counted */
	atomic_bool stopped;          /* a worker failed: the others end too */
	atomic_bool shut_down;        /* it failed because the whole filesystem does */
};

/* A worker; only its own thread touches it. */
struct walker {
	struct walk *walk;
	struct census *part;
	unsigned number;          /* of the worker */
	struct walk_frame *stack; /* each level is a directory below the one before */
	size_t depth;             /* levels in use */
	size_t capacity;
	size_t first_open;      /* levels from here on are open, those below are closed */
	uint64_t uncounted;     /* inodes that progress was not told of yet */
	char *buffer;           /* WALK_BUFFER_BYTES for getdents64(3) */
	struct walk_bulk *bulk; /* NULL: each inode is asked for by name */
};

/* --- walk_node.c ----------------------------------------------------------------------------- */

/* A directory @name in @parent, of which it takes a reference. NULL without memory. */
struct walk_node *walk_node_new(struct walk_node *parent, const char *name, uint64_t ino);

struct walk_node *walk_node_get(struct walk_node *node);
void walk_node_put(struct walk_node *node);

/* Whether the directory lies below itself; a loop is found after going round it twice at most. */
bool walk_node_loops(const struct walk_node *node);

/* The same at once, by looking at all directories above. */
bool walk_node_is_in_itself(const struct walk_node *node);

/* The escaped path of @name in @node ("": of @node itself), to be freed; NULL without memory. */
char *walk_node_path(const struct walk_node *node, const char *name);

/* --- walk_stack.c ---------------------------------------------------------------------------- */

static inline struct walk_frame *walk_top(const struct walker *walker)
{
	return &walker->stack[walker->depth - 1];
}

/* Adds an entry to those to do. Returns 0 or -ENOMEM. */
int walk_frame_add(struct walk_frame *frame, const char *name);

/* Releases what a frame owns. */
void walk_frame_fini(struct walk_frame *frame);

/*
 * Goes down into @frame, which is taken over, also on an error. The oldest descriptor is closed
 * where there are too many. Returns 0 or -ENOMEM.
 */
int walk_push(struct walker *walker, const struct walk_frame *frame);

/* Leaves the top level; opens the one above it again if it was closed. */
void walk_pop(struct walker *walker);

/* Closes all levels but the top one: descriptors ran out. False if none was open. */
bool walk_close_lower(struct walker *walker);

/* --- walk_directory.c ------------------------------------------------------------------------ */

/* Opens directory @name in @fd for reading, without changing its atime if allowed; -errno. */
int walk_open(int fd, const char *name);

/*
 * Opens directory @fd anew, so that nothing mounted on what is below it hides anything, if the
 * kernel allows (root); otherwise as it is. Sets @is_bare to which. Returns the descriptor or
 * -errno.
 */
int walk_open_bare(int fd, bool *is_bare);

/* Reads the top level's directory: counts its files, puts its subdirectories among the names. */
int walk_read(struct walker *walker);

/* Does the entries that the top level, a piece, has for names. */
int walk_piece(struct walker *walker);

/* Does the entry @name of the top level: counts it, or goes down into it. */
int walk_entry(struct walker *walker, const char *name);

/* --- walk_inode.c ---------------------------------------------------------------------------- */

/* statx(2) of @name in @fd, "" for @fd itself, with all that walk_count() needs. */
int walk_stat(int fd, const char *name, struct statx *stat);

/* Whether a stat result belongs to the filesystem of the walk and to no mount on top of it. */
bool walk_is_inside(const struct walk *walk, const struct statx *stat);

/*
 * Whether an error means that the entry went away, which is nobody's fault. ELOOP does not: it is
 * how the kernel refuses an entry that leads from a directory to one above it.
 */
bool walk_is_gone(int code);

/*
 * Counts the inode of @stat, a file @name in the directory @node, open as @fd. Once only, whatever
 * its links. Returns 0 or -ENOMEM.
 */
int walk_count(struct walker *walker, const struct walk_node *node, int fd, const char *name,
	const struct statx *stat);

/* As walk_count(), a file of which all is known. */
int walk_count_known(struct walker *walker, const struct walk_node *node, const char *name,
	const struct xfs_inode *inode);

/*
 * Whether the directory of @stat is met for the first time: 1, or 0 if it was met at another place,
 * from which it was moved during the walk. -ENOMEM.
 */
int walk_is_new(struct walk *walk, const struct statx *stat);

/*
 * Counts the directory of @stat, @name in @fd, and gives @node, which is its own, a place in the
 * join. Returns 0 or -ENOMEM.
 */
int walk_count_directory(struct walker *walker, struct walk_node *node, int fd, const char *name,
	const struct statx *stat);

/*
 * Tallies a failure at @name in @node, which cost @inodes inodes that are known. Stops the walk if
 * it is one of the whole filesystem.
 */
void walk_fail(struct walker *walker, enum failure_kind kind, uint64_t inodes, int code,
	const struct walk_node *node, const char *name);

/* --- walk_names.c ---------------------------------------------------------------------------- */

/* What reading names only does to an entry of the top level, and to a directory opened. */
int walk_names_entry(struct walker *walker, const char *name, uint64_t ino, bool is_directory);
int walk_names_directory(struct walker *walker, struct walk_node *node);

/* --- engine_walk.c --------------------------------------------------------------------------- */

/* 0, or -ECANCELED once the user or a failed worker wants an end. */
int walk_go_on(const struct walk *walk);

/*
 * Walks all that is below the directory that @fd is open on. What @walk says of the job and of how
 * to do it must be set. Returns 0; -ECANCELED; another negative errno with a message.
 */
int walk_from(struct walk *walk, int fd, struct err *err);

/*
 * Gives @bytes of names in the directory of @frame, or of a piece of it, to whoever is out of work.
 * False: nobody took them.
 */
bool walk_offer(struct walker *walker, const struct walk_frame *frame, const char *names,
	size_t bytes, bool is_piece);

#endif
