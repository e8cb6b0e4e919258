/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directories of a scan while it runs: a node for each, found by its id.
 *
 * Ids are given out one after the other by any thread; a node never moves. Which of several
 * threads gets which id is chance, so that nothing that is shown may depend on ids.
 */
#ifndef ANALYZER_CENSUS_DIRECTORY_NODES_H
#define ANALYZER_CENSUS_DIRECTORY_NODES_H

#include "analyzer/census/directories.h"

#include <pthread.h>

/* Ids that stand for no directory on disk. */
#define NODE_NONE       0
#define NODE_UNRESOLVED 1

struct directory_node {
	uint64_t ino;
	const char *name;          /* in an arena, behind its length in two bytes; NULL: no name */
	struct directory_sums own; /* of the owner's; what is of others is kept elsewhere */
	uint32_t parent;           /* id, NODE_NONE: no entry was met */
	uint32_t uid;
	uint32_t dotdot;      /* node_check_sum() of the inode that ".." names, 0: not known */
	uint32_t entry_units; /* of 8 bytes: what its names take in a dump, see dump_stream.h */
	uint16_t recency;     /* of the last change of anything in it, its tree in the end */
	bool has_record;      /* its inode was met */
	bool has_several;     /* entries, where there should be one */
	bool is_odd;          /* told already that its place makes no sense */
	uint16_t attr_units;  /* as entry_units, of its attributes; 65535 at most */
};

/* Names lie here one after the other. Whoever has one uses it alone. */
struct name_arena {
	struct name_block *blocks; /* the one in use first */
	size_t bytes;              /* of memory */
};

#define NODE_SEGMENT_NODES 4096
#define NODE_SEGMENTS      (1U << 20)

struct directory_nodes {
	pthread_mutex_t lock;             /* for making segments */
	struct directory_node **segments; /* NODE_SEGMENTS pointers, most of them untouched */
	uint32_t count;                   /* ids given out, NODE_NONE among them */
};

/* Holds NODE_NONE and NODE_UNRESOLVED from the start. Returns 0 or -ENOMEM. */
int nodes_init(struct directory_nodes *nodes);
void nodes_fini(struct directory_nodes *nodes);

/* Makes a node. Returns 0; -ENOMEM; -EOVERFLOW after 2^32 - 1 of them. Any thread. */
int nodes_add(struct directory_nodes *nodes, uint64_t ino, uint32_t *id);

/* The node of an id that was given out. */
static inline struct directory_node *nodes_at(const struct directory_nodes *nodes, uint32_t id)
{
	struct directory_node *segment =
		__atomic_load_n(&nodes->segments[id / NODE_SEGMENT_NODES], __ATOMIC_ACQUIRE);

	return &segment[id % NODE_SEGMENT_NODES];
}

/* Gives a node its place: a parent, and a name that is copied into @arena. Returns 0 or -ENOMEM. */
int node_set_name(struct directory_node *node, struct name_arena *arena, uint32_t parent,
	const char *name, size_t bytes);

/* Frees an arena that was zeroed at first, with all names in it. */
void name_arena_fini(struct name_arena *arena);

/* A check sum of an inode number, never 0. */
static inline uint32_t node_check_sum(uint64_t ino)
{
	return (uint32_t)(ino * 0x9e3779b97f4a7c15ULL >> 32) | 1;
}

/* The length of a node's name. */
size_t node_name_bytes(const struct directory_node *node);

/* As memcmp(), a shorter name before the one that it starts. */
int node_compare_names(const char *left, size_t left_bytes, const char *right, size_t right_bytes);

/* Bytes of memory held. */
size_t nodes_memory_bytes(const struct directory_nodes *nodes);

#endif
