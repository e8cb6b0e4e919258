// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See directory_join.h. Inodes wait in inode_places.h for the directory that names them;
 * directories are nodes of directory_nodes.h. What an engine charges in place goes to the node; a
 * worker adds up what belongs to one owner in one directory before it takes the lock.
 *
 * A node adds up what belongs to its own owner; what others have in it is in a map by node and
 * user, so that it costs memory only where it happens.
 *
 * Locks are taken in the order place, node.
 */
#include "analyzer/census/directory_join.h"

#include "analyzer/census/directory_tree.h"
#include "analyzer/census/inode_places.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHAT_BYTES 128

/* What a worker has added up for one owner in one directory. */
struct charge {
	uint32_t id;
	uint32_t uid;
	struct directory_sums sums;
} __attribute__((aligned(64)));

struct directory_join {
	struct directory_join_options options;
	struct directory_nodes nodes;
	struct inode_places *places;
	struct charge *charges;   /* one for each worker */
	struct hashmap others;    /* see directory_tree.h; under nodes.lock */
	struct failures failures; /* under nodes.lock */
	uint32_t root;
};

int directory_join_new(struct directory_join **join, const struct directory_join_options *options)
{
	struct directory_join *made = calloc(1, sizeof(*made));
	int rc;

	if (!made)
		return -ENOMEM;
	made->options = *options;
	if (!made->options.block_bytes)
		made->options.block_bytes = 1;
	hashmap_init(&made->others, sizeof(struct directory_sums));
	failures_init(&made->failures);
	rc = nodes_init(&made->nodes);
	made->places = places_new(made->options.block_bytes);
	made->charges = aligned_alloc(64, max_u64(options->workers, 1) * sizeof(struct charge));
	if (made->charges)
		memset(made->charges, 0, max_u64(options->workers, 1) * sizeof(struct charge));
	if (rc || !made->places || !made->charges) {
		directory_join_free(made);
		return -ENOMEM;
	}
	*join = made;
	return 0;
}

void directory_join_free(struct directory_join *join)
{
	if (!join)
		return;
	places_free(join->places);
	nodes_fini(&join->nodes);
	hashmap_fini(&join->others);
	failures_fini(&join->failures);
	free(join->charges);
	free(join);
}

void directory_join_root(struct directory_join *join, uint32_t id)
{
	join->root = id;
}

bool directory_join_has_root(const struct directory_join *join)
{
	return join->root != NODE_NONE;
}

size_t directory_join_memory_bytes(const struct directory_join *join)
{
	size_t places = join->places ? places_memory_bytes(join->places) : 0;

	return places + nodes_memory_bytes(&join->nodes) + hashmap_memory_bytes(&join->others);
}

/* --- What makes no sense ---------------------------------------------------------------------- */

/* Tallies something about inode @ino; to be called with the nodes' lock held. */
static void tally(
	struct directory_join *join, enum failure_kind kind, uint64_t ino, const char *what)
{
	char text[WHAT_BYTES];

	snprintf(text, sizeof(text), "inode %" PRIu64 ": %s", ino, what);
	failures_add(&join->failures, kind, 0, 0, text);
}

/* As tally(), once a directory. */
static void tally_odd(struct directory_join *join, struct directory_node *node, const char *what)
{
	if (!node->is_odd)
		tally(join, FAILURE_DIRECTORY, node->ino, what);
	node->is_odd = true;
}

static bool is_good_name(const char *name, size_t bytes)
{
	return bytes && !memchr(name, '/', bytes) && !memchr(name, '\0', bytes) &&
	       !(bytes == 1 && name[0] == '.') && !(bytes == 2 && !memcmp(name, "..", 2));
}

/* --- Charging --------------------------------------------------------------------------------- */

/* To be called with the nodes' lock held. */
static int add_locked(
	struct directory_join *join, uint32_t id, uint32_t uid, const struct directory_sums *sums)
{
	struct directory_node *node = nodes_at(&join->nodes, id);
	struct directory_sums *own = &node->own;

	if (node->uid != uid)
		own = hashmap_upsert(&join->others, directory_others_key(id, uid));
	if (!own)
		return -ENOMEM;
	directory_sums_add(own, sums);
	return 0;
}

/* Brings what @charge holds to its directory and empties it. */
static int flush(struct directory_join *join, struct charge *charge)
{
	int rc = 0;

	if (charge->id != NODE_NONE) {
		pthread_mutex_lock(&join->nodes.lock);
		rc = add_locked(join, charge->id, charge->uid, &charge->sums);
		pthread_mutex_unlock(&join->nodes.lock);
	}
	*charge = (struct charge){0};
	return rc;
}

static struct directory_sums sums_of(const struct directory_join *join, bool is_regular,
	uint64_t size_bytes, uint64_t allocated_bytes)
{
	bool is_tiny = is_regular && size_bytes < join->options.tiny_bytes;

	return (struct directory_sums){
		.files = is_regular,
		.tiny_files = is_tiny,
		.bytes = is_regular ? size_bytes : 0,
		.allocated_bytes = allocated_bytes,
	};
}

int directory_join_charge(
	struct directory_join *join, unsigned worker, uint32_t id, const struct inode_record *inode)
{
	struct charge *charge = &join->charges[worker];
	struct directory_sums sums =
		sums_of(join, S_ISREG(inode->mode), inode->size_bytes, inode->allocated_bytes);
	int rc = 0;

	if (charge->id != id || charge->uid != inode->uid)
		rc = flush(join, charge);
	charge->id = id;
	charge->uid = inode->uid;
	directory_sums_add(&charge->sums, &sums);
	return rc;
}

int directory_join_place(struct directory_join *join, uint32_t parent, const char *name,
	const struct inode_record *inode, uint32_t *id)
{
	struct directory_node *node;
	int rc = nodes_add(&join->nodes, inode->ino, id);

	if (rc)
		return rc;
	node = nodes_at(&join->nodes, *id);
	node->uid = inode->uid;
	node->has_record = true;
	node->own.allocated_bytes = inode->allocated_bytes;
	if (parent == NODE_NONE)
		return 0;
	pthread_mutex_lock(&join->nodes.lock);
	rc = nodes_set_name(&join->nodes, node, parent, name, strlen(name));
	pthread_mutex_unlock(&join->nodes.lock);
	return rc;
}

/* --- Joining ---------------------------------------------------------------------------------- */

/* The id of the directory at @place, made if it has none; nothing may be known that it is not. */
static int directory_at(struct directory_join *join, struct place *place, uint32_t *id)
{
	struct place_facts facts;
	int rc;

	place_read(join->places, place, &facts);
	*id = facts.directory;
	if (*id)
		return 0;
	rc = nodes_add(&join->nodes, place->ino, id);
	if (rc)
		return rc;
	place_set_directory(place, *id);
	if (facts.has_record)
		nodes_at(&join->nodes, *id)->uid = facts.uid;
	return 0;
}

/* Whether an inode was met that is no directory. */
static bool is_known_other(const struct directory_join *join, const struct place *place)
{
	struct place_facts facts;

	place_read(join->places, place, &facts);
	return facts.has_record && !facts.is_directory;
}

int directory_join_directory(struct directory_join *join, uint64_t ino, uint32_t *id)
{
	struct place place;
	int rc = places_get(join->places, ino, &place);

	if (rc)
		return rc;
	if (is_known_other(join, &place)) {
		*id = NODE_NONE;
		place_set_mistaken(&place);
	} else {
		rc = directory_at(join, &place, id);
	}
	place_put(&place);
	return rc;
}

/* Puts directory @child where entry @name of @id says, if no better place is known. Locked. */
static int place_directory(
	struct directory_join *join, uint32_t id, uint32_t child, const char *name, size_t bytes)
{
	struct directory_node *node = nodes_at(&join->nodes, child);
	uint64_t new_ino = nodes_at(&join->nodes, id)->ino;
	uint64_t old_ino;
	int order;

	if (node->parent == NODE_NONE)
		return nodes_set_name(&join->nodes, node, id, name, bytes);
	if (!join->options.in_use)
		tally_odd(join, node, "a directory with several entries");
	old_ino = nodes_at(&join->nodes, node->parent)->ino;
	order = new_ino != old_ino
			? (new_ino < old_ino ? -1 : 1)
			: node_compare_names(name, bytes, node->name, node_name_bytes(node));
	return order < 0 ? nodes_set_name(&join->nodes, node, id, name, bytes) : 0;
}

static int directory_entry(struct directory_join *join, uint32_t id, struct place *place,
	const char *name, size_t bytes)
{
	uint32_t child;
	int rc = directory_at(join, place, &child);

	if (rc)
		return rc;
	pthread_mutex_lock(&join->nodes.lock);
	rc = place_directory(join, id, child, name, bytes);
	pthread_mutex_unlock(&join->nodes.lock);
	return rc;
}

static void file_entry(struct directory_join *join, uint32_t id, struct place *place)
{
	struct place_facts facts;
	uint64_t ino = nodes_at(&join->nodes, id)->ino;

	place_read(join->places, place, &facts);
	if (facts.parent == NODE_NONE || ino < nodes_at(&join->nodes, facts.parent)->ino)
		place_set_parent(place, id);
}

int directory_join_entry(struct directory_join *join, uint32_t id, uint64_t child,
	bool is_directory, const char *name, size_t bytes)
{
	struct place place;
	int rc;

	if (id == NODE_NONE)
		return 0;
	if (!is_good_name(name, bytes)) {
		pthread_mutex_lock(&join->nodes.lock);
		tally(join, FAILURE_ENTRY, child, "an impossible name");
		pthread_mutex_unlock(&join->nodes.lock);
	}
	rc = places_get(join->places, child, &place);
	if (rc)
		return rc;
	if (is_directory && !is_known_other(join, &place)) {
		rc = directory_entry(join, id, &place, name, bytes);
	} else {
		file_entry(join, id, &place);
		if (is_directory)
			place_set_mistaken(&place);
	}
	place_put(&place);
	return rc;
}

/* A check sum of an inode number, never 0. */
static uint32_t check_sum(uint64_t ino)
{
	return (uint32_t)(ino * 0x9e3779b97f4a7c15ULL >> 32) | 1;
}

void directory_join_dotdot(struct directory_join *join, uint32_t id, uint64_t parent_ino)
{
	if (id != NODE_NONE)
		nodes_at(&join->nodes, id)->dotdot = check_sum(parent_ino);
}

/* The inode is no directory, but an entry said so: it is a file that this entry names. */
static void demote(struct directory_join *join, struct place *place, uint32_t id)
{
	struct directory_node *node = nodes_at(&join->nodes, id);

	pthread_mutex_lock(&join->nodes.lock);
	if (node->parent != NODE_NONE)
		file_entry(join, node->parent, place);
	node->parent = NODE_NONE;
	pthread_mutex_unlock(&join->nodes.lock);
	place_set_mistaken(place);
}

int directory_join_inode(struct directory_join *join, const struct inode_record *inode)
{
	struct place_facts facts;
	struct place place;
	int rc = places_get(join->places, inode->ino, &place);

	if (rc)
		return rc;
	place_read(join->places, &place, &facts);
	if (facts.directory && !S_ISDIR(inode->mode))
		demote(join, &place, facts.directory);
	else if (facts.directory)
		nodes_at(&join->nodes, facts.directory)->uid = inode->uid;
	rc = place_set_record(join->places, &place, inode);
	place_put(&place);
	return rc;
}

/* --- The end ---------------------------------------------------------------------------------- */

/* Charges one inode to where its entry was; called once all owners are known. */
static int settle(uint64_t ino, const struct place_facts *facts, void *context)
{
	struct directory_join *join = context;
	struct directory_sums sums =
		sums_of(join, facts->is_regular, facts->size_bytes, facts->allocated_bytes);
	uint32_t id = facts->is_directory ? facts->directory : facts->parent;

	if (!facts->has_record) {
		if (!facts->is_directory && !join->options.in_use)
			tally(join, FAILURE_ENTRY, ino,
				"an entry leads to it, but it is not in use");
		return 0;
	}
	if (facts->is_directory && id)
		nodes_at(&join->nodes, id)->has_record = true;
	if (facts->is_mistaken && !join->options.in_use)
		tally(join, FAILURE_ENTRY, ino, "taken for a directory, but it is none");
	return add_locked(join, id ? id : NODE_UNRESOLVED, facts->uid, &sums);
}

/* Whether the parents that directories name are those where they are. */
static void check_dotdots(struct directory_join *join)
{
	for (uint32_t id = NODE_UNRESOLVED + 1; id < join->nodes.count; id++) {
		struct directory_node *node = nodes_at(&join->nodes, id);
		uint64_t ino = node->ino; /* of the root, ".." is itself */

		if (node->dotdot && (node->parent != NODE_NONE || id == join->root)) {
			if (id != join->root)
				ino = nodes_at(&join->nodes, node->parent)->ino;
			if (node->dotdot != check_sum(ino))
				tally_odd(join, node, "its \"..\" is not where it is");
		}
	}
}

int directory_join_finish(
	struct directory_join *join, struct directories *directories, struct failures *failures)
{
	const struct directory_tree_input input = {
		.nodes = &join->nodes,
		.others = &join->others,
		.root = join->root,
		.max_rows = join->options.max_rows,
	};
	int rc = 0;

	for (unsigned i = 0; i < join->options.workers && !rc; i++)
		rc = flush(join, &join->charges[i]);
	if (!rc)
		rc = places_each(join->places, settle, join);
	places_free(join->places);
	join->places = NULL;
	if (!rc && !join->options.in_use)
		check_dotdots(join);
	failures_merge(failures, &join->failures);
	return rc ? rc : directory_tree_make(&input, directories, failures);
}
