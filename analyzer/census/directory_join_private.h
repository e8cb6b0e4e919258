/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What directory_join.c, directory_charge.c and directory_settle.c share. */
#ifndef ANALYZER_CENSUS_DIRECTORY_JOIN_PRIVATE_H
#define ANALYZER_CENSUS_DIRECTORY_JOIN_PRIVATE_H

#include "analyzer/census/directory_join.h"
#include "analyzer/census/directory_nodes.h"
#include "analyzer/census/inode_places.h"
#include "analyzer/census/recency.h"
#include "base/hashmap.h"

/* What has been added up for one owner in one directory. */
struct directory_charge {
	uint32_t id;
	uint32_t uid;
	unsigned recency; /* of the latest change, see recency.h */
	struct directory_sums sums;
};

/* One more name of an inode that another directory names. */
struct directory_link {
	uint64_t ino;
	uint32_t id; /* of the directory */
};

/* Above so many in all, links but the first of each inode are forgotten: 64 MiB. */
#define DIRECTORY_LINKS_MAX (1U << 22)

/* What a worker has not yet handed on, and the names that it met. */
struct join_worker {
	struct directory_charge charge;
	uint64_t entry_stream_bytes; /* of the names it met, see directories.h */
	uint32_t named_id;           /* directory that has not got the following yet */
	uint32_t named_units;        /* see directory_nodes.h */
	struct name_arena names;
	struct directory_link *links; /* owned */
	size_t link_count;            /* DIRECTORY_LINKS_MAX + 1: too many */
	size_t link_room;

	/* Inodes of one chunk, by bit. */
	uint64_t inodes_chunk;
	uint64_t inodes;
	struct place_record records[PLACE_CHUNK_INODES];

	/* Entries of one directory that lead to inodes, no directories, of one chunk, by bit. */
	uint32_t entries_id;
	uint64_t entries_chunk;
	uint64_t entries;
} __attribute__((aligned(64)));

/* One of a few, so that threads rarely meet. */
struct join_lock {
	pthread_mutex_t lock;
} __attribute__((aligned(64)));

#define JOIN_LOCKS 64

struct directory_join {
	struct join_lock locks[JOIN_LOCKS]; /* of a node's own sums, by id */
	struct directory_join_options options;
	struct directory_nodes nodes;
	struct inode_places *places;
	struct join_worker *workers;
	pthread_mutex_t lock;  /* of what follows */
	struct hashmap others; /* see directory_tree.h */
	struct failures failures;
	struct name_arena names;      /* met without a worker */
	uint64_t placed_stream_bytes; /* of the names of directories in place */
	uint32_t root;
};

/* Tallies something about inode @ino; to be called with the join's lock held. */
void directory_join_tally(
	struct directory_join *join, enum failure_kind kind, uint64_t ino, const char *what);

/* Tallies something about a directory, once for each; with the lock held as well. */
void directory_join_tally_odd(
	struct directory_join *join, struct directory_node *node, const char *what);

/* Adds @charge to its directory and empties it. Returns 0 or -ENOMEM. */
int directory_join_flush_charge(struct directory_join *join, struct directory_charge *charge);

/*
 * Adds an inode of @inode's directory, owner and recency to @charge, which is handed on first if it
 * is of another directory or owner.
 */
int directory_join_add(struct directory_join *join, struct directory_charge *charge,
	const struct directory_charge *inode);

/* How recently @inode changed, see recency.h. */
static inline unsigned directory_join_recency(
	const struct directory_join *join, const struct inode_record *inode)
{
	return recency_of(inode_change_seconds(inode), join->options.now_seconds);
}

/* Notes that something in directory @id changed as recently as that. */
void directory_join_note(struct directory_join *join, uint32_t id, unsigned recency);

/* What one inode adds. */
struct directory_sums directory_join_sums(const struct directory_join *join, bool is_regular,
	uint64_t size_bytes, uint64_t allocated_bytes);

/* Hands on all that @worker holds. Returns 0 or -ENOMEM. */
int directory_join_flush(struct directory_join *join, struct join_worker *worker);

#endif
