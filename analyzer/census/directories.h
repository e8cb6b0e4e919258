/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories as a scan stores them: what each holds itself and what its whole tree holds.
 *
 * Every inode of the census is charged to one directory: a directory to itself, anything else to
 * the directory that names it; of several names, to the one whose directory has the smallest inode
 * number, so that the place does not depend on timing. What has no name that could be found (open
 * but deleted, orphaned, hidden) is charged to a row of its own, the unresolved one. So root and
 * unresolved row together are the whole census.
 *
 * Small directories are folded away: of a directory whose tree has fewer files than `fold_files`
 * there is no row, nor one of what a user has in a tree if that has fewer. Sums of the rows that
 * are there stay exact: `own` is of the directory alone, `tree` of all below it, folded or not.
 */
#ifndef ANALYZER_CENSUS_DIRECTORIES_H
#define ANALYZER_CENSUS_DIRECTORIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Directories are folded until no more rows than this are left, */
#define DIRECTORIES_MAX_ROWS 10000

/* and so many rows of users, for each of them, not counting those of the root. */
#define DIRECTORY_USERS_A_ROW 10

/* Instead of a parent: the root's, and the unresolved row's. */
#define DIRECTORY_NO_PARENT UINT32_MAX

/* What a set of inodes adds up to; sums stop at 2^64 - 1. */
struct directory_sums {
	uint64_t files;           /* regular files */
	uint64_t tiny_files;      /* of them below the scan's tiny edge */
	uint64_t bytes;           /* Σ size of the regular files */
	uint64_t allocated_bytes; /* Σ allocated of all inodes, directories included */
};

struct directory {
	uint64_t ino;
	uint32_t parent;           /* index of its row, smaller than its own; DIRECTORY_NO_PARENT */
	uint32_t uid;              /* the directory's owner */
	uint32_t name_bytes;       /* 0 for root and unresolved row */
	bool is_shared;            /* the tree holds something of others than the owner */
	size_t name;               /* where in `names` it starts; any bytes, a NUL after them */
	uint64_t subdirectories;   /* directly in it, folded ones too */
	uint64_t tree_directories; /* all below it, itself not counted */
	struct directory_sums own;
	struct directory_sums tree;
};

/*
 * What one user has in a directory and its tree. Only where the directory is shared, and only of
 * users with as many files in the tree as a tree needs for a row; in the root of all users.
 */
struct directory_user {
	uint32_t directory; /* index of the row */
	uint32_t uid;
	struct directory_sums own;
	struct directory_sums tree;
};

/*
 * Directories in whose trees, themselves included, the latest change is of the same time: what a
 * dump of a level above 0 takes if that is not before its base.
 */
struct directory_way {
	int64_t from_seconds; /* since 1970: the change was from here on */
	int64_t to_seconds;   /* and not after this */
	uint64_t directories;
	uint64_t entry_stream_bytes; /* of their names */
	uint64_t attr_stream_bytes;  /* of their attributes; 0 in all of them: not known */
};

struct directories {
	bool present;                 /* false: the scan did not look at names */
	uint64_t fold_files;          /* trees with fewer files have no row; 0: all have */
	uint64_t seen;                /* directories in the tree, with those folded away */
	uint64_t entry_stream_bytes;  /* of all names in a dump's stream, see dump_stream.h */
	struct directory *rows;       /* root first, parents before children, siblings by name */
	size_t count;                 /* rows, the unresolved one included */
	bool has_unresolved;          /* the last row is the unresolved one */
	struct directory_user *users; /* by directory, then uid */
	size_t user_count;
	struct directory_way *ways; /* owned; by time */
	size_t way_count;
	char *names; /* owned, as are rows and users */
	size_t names_bytes;
};

void directories_init(struct directories *directories);
void directories_fini(struct directories *directories);

/* a += b, saturating. */
void directory_sums_add(struct directory_sums *a, const struct directory_sums *b);

/* a -= b, where b is a part of a; what has saturated stays so. */
void directory_sums_subtract(struct directory_sums *a, const struct directory_sums *b);

bool directory_sums_equal(const struct directory_sums *a, const struct directory_sums *b);

/* Whether row @index is the one of what could not be resolved. */
static inline bool directories_is_unresolved(const struct directories *directories, size_t index)
{
	return directories->has_unresolved && index + 1 == directories->count;
}

/* Orders users by directory and uid, as the functions below want it. */
void directories_sort_users(struct directories *directories);

/*
 * What @uid has in row @index: @own and @tree, both zero if it has nothing or too little for a row.
 * Returns whether there is something.
 */
bool directories_user(const struct directories *directories, size_t index, uint32_t uid,
	struct directory_sums *own, struct directory_sums *tree);

/*
 * The escaped path of row @index below @prefix (where the root is mounted; raw bytes, NULL or ""
 * for none), to be freed; NULL without memory. A slash in a name, which only a damaged filesystem
 * has, becomes `\x2f`. The unresolved row is "(unresolved)".
 */
char *directories_path(const struct directories *directories, size_t index, const char *prefix);

/*
 * Finds the row of @path, given with or without @prefix before it. Returns 0 with its @index, or
 * -ENOENT: there is none, or it is folded away.
 */
int directories_find(
	const struct directories *directories, const char *prefix, const char *path, size_t *index);

/*
 * Folds more: leaves out the rows of trees, and of users in a tree, with fewer files than
 * @fold_files, but for the root and the unresolved row. Returns 0 or -ENOMEM, with nothing done.
 */
int directories_fold(struct directories *directories, uint64_t fold_files);

/* The row after the last one of the tree of row @index: a tree is a run of rows. */
size_t directories_tree_end(const struct directories *directories, size_t index);

#endif
