// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See directory_join.h. Inodes wait in inode_places.h for the directory that names them;
 * directories are nodes of directory_nodes.h. What an engine charges in place goes to the node.
 * directory_settle.c puts all of it together.
 *
 * Engines meet inodes in the order of their numbers, and names mostly so. Hence a worker gathers
 * what belongs to one chunk of inodes, and what belongs to one owner in one directory, before it
 * takes a lock.
 *
 * A node adds up what belongs to its own owner; what others have in it is in a map by node and
 * user, so that it costs memory only where it happens.
 *
 * A place's lock guards the parent and the name of the directory that is there as well. It is taken
 * before others; no two others are held at a time.
 */
#include "analyzer/census/directory_join_private.h"
#include "analyzer/census/directory_tree.h"
#include "analyzer/census/dump_stream.h"
#include "base/bytes.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WHAT_BYTES 128

int directory_join_new(struct directory_join **join, const struct directory_join_options *options)
{
	struct directory_join *made = aligned_alloc(64, sizeof(*made));
	size_t workers = max_u64(options->workers, 1);
	int rc;

	if (!made)
		return -ENOMEM;
	memset(made, 0, sizeof(*made));
	pthread_mutex_init(&made->lock, NULL);
	for (size_t i = 0; i < JOIN_LOCKS; i++)
		pthread_mutex_init(&made->locks[i].lock, NULL);
	made->options = *options;
	made->options.workers = (unsigned)workers;
	if (!made->options.block_bytes)
		made->options.block_bytes = 1;
	hashmap_init(&made->others, sizeof(struct directory_sums));
	failures_init(&made->failures);
	rc = nodes_init(&made->nodes);
	made->places = places_new(made->options.block_bytes);
	made->workers = aligned_alloc(64, workers * sizeof(struct join_worker));
	if (made->workers)
		memset(made->workers, 0, workers * sizeof(struct join_worker));
	if (rc || !made->places || !made->workers) {
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
	name_arena_fini(&join->names);
	for (unsigned i = 0; join->workers && i < join->options.workers; i++)
		name_arena_fini(&join->workers[i].names);
	for (size_t i = 0; i < JOIN_LOCKS; i++)
		pthread_mutex_destroy(&join->locks[i].lock);
	pthread_mutex_destroy(&join->lock);
	free(join->workers);
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
	size_t bytes = join->places ? places_memory_bytes(join->places) : 0;

	bytes += nodes_memory_bytes(&join->nodes) + hashmap_memory_bytes(&join->others);
	for (unsigned i = 0; i < join->options.workers; i++)
		bytes += join->workers[i].names.bytes;
	return bytes + join->names.bytes;
}

void directory_join_tally(
	struct directory_join *join, enum failure_kind kind, uint64_t ino, const char *what)
{
	char text[WHAT_BYTES];

	snprintf(text, sizeof(text), "inode %" PRIu64 ": %s", ino, what);
	failures_add(&join->failures, kind, 0, 0, text);
}

static bool is_good_name(const char *name, size_t bytes)
{
	bool is_dots = bytes && bytes <= 2 && name[0] == '.' && name[bytes - 1] == '.';

	return !is_dots && bytes_are_name(name, bytes);
}

/* --- Charging --------------------------------------------------------------------------------- */

static void charge_owner(struct directory_join *join, const struct directory_charge *charge)
{
	pthread_mutex_t *lock = &join->locks[charge->id % JOIN_LOCKS].lock;

	pthread_mutex_lock(lock);
	directory_sums_add(&nodes_at(&join->nodes, charge->id)->own, &charge->sums);
	pthread_mutex_unlock(lock);
}

static int charge_other(struct directory_join *join, const struct directory_charge *charge)
{
	struct directory_sums *own;

	pthread_mutex_lock(&join->lock);
	own = hashmap_upsert(&join->others, directory_others_key(charge->id, charge->uid));
	if (own)
		directory_sums_add(own, &charge->sums);
	pthread_mutex_unlock(&join->lock);
	return own ? 0 : -ENOMEM;
}

int directory_join_flush_charge(struct directory_join *join, struct directory_charge *charge)
{
	int rc = 0;

	if (charge->id == NODE_NONE)
		return 0;
	if (nodes_at(&join->nodes, charge->id)->uid == charge->uid)
		charge_owner(join, charge);
	else
		rc = charge_other(join, charge);
	*charge = (struct directory_charge){0};
	return rc;
}

int directory_join_add(struct directory_join *join, struct directory_charge *charge, uint32_t id,
	uint32_t uid, const struct directory_sums *sums)
{
	int rc = 0;

	if (charge->id != id || charge->uid != uid)
		rc = directory_join_flush_charge(join, charge);
	charge->id = id;
	charge->uid = uid;
	directory_sums_add(&charge->sums, sums);
	return rc;
}

struct directory_sums directory_join_sums(const struct directory_join *join, bool is_regular,
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
	struct directory_sums sums = directory_join_sums(
		join, S_ISREG(inode->mode), inode->size_bytes, inode->allocated_bytes);

	return directory_join_add(join, &join->workers[worker].charge, id, inode->uid, &sums);
}

void directory_join_named(struct directory_join *join, unsigned worker, size_t bytes)
{
	join->workers[worker].entry_stream_bytes += dump_stream_entry_bytes(bytes);
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
	pthread_mutex_lock(&join->lock);
	join->placed_stream_bytes += dump_stream_entry_bytes(strlen(name));
	rc = node_set_name(node, &join->names, parent, name, strlen(name));
	pthread_mutex_unlock(&join->lock);
	return rc;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* The id of the directory at @place, made if it has none; nothing may be known that it is not. */
static int directory_at(struct directory_join *join, struct place *place, uint32_t *id)
{
	struct place_facts facts;
	int rc;

	place_read(place, &facts);
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
static bool is_known_other(const struct place *place)
{
	struct place_facts facts;

	place_read(place, &facts);
	return facts.has_record && !facts.is_directory;
}

int directory_join_directory(struct directory_join *join, uint64_t ino, uint32_t *id)
{
	struct place place;
	int rc = places_get(join->places, ino, &place);

	if (rc)
		return rc;
	if (is_known_other(&place)) {
		*id = NODE_NONE;
		place_set_mistaken(&place);
	} else {
		rc = directory_at(join, &place, id);
	}
	places_close(&place);
	return rc;
}

/* A name in a directory. */
struct join_entry {
	uint32_t id; /* of the directory */
	const char *name;
	size_t bytes;
};

/*
 * Puts directory @child where an entry says, if no better place is known. To be called with the
 * child's place locked.
 */
static int place_directory(struct directory_join *join, struct name_arena *names,
	const struct join_entry *entry, uint32_t child)
{
	struct directory_node *node = nodes_at(&join->nodes, child);
	uint64_t new_ino = nodes_at(&join->nodes, entry->id)->ino;
	uint64_t old_ino;
	int order;

	if (node->parent == NODE_NONE)
		return node_set_name(node, names, entry->id, entry->name, entry->bytes);
	node->has_several = true;
	old_ino = nodes_at(&join->nodes, node->parent)->ino;
	order = new_ino != old_ino ? (new_ino < old_ino ? -1 : 1)
				   : node_compare_names(entry->name, entry->bytes, node->name,
					     node_name_bytes(node));
	return order < 0 ? node_set_name(node, names, entry->id, entry->name, entry->bytes) : 0;
}

static void file_entry(struct directory_join *join, uint32_t id, struct place *place)
{
	uint32_t parent = place_parent(place);

	if (parent == NODE_NONE ||
		nodes_at(&join->nodes, id)->ino < nodes_at(&join->nodes, parent)->ino)
		place_set_parent(place, id);
}

static int flush_entries(struct directory_join *join, struct join_worker *worker)
{
	uint64_t entries = worker->entries;
	struct place place;

	worker->entries = 0;
	if (!entries)
		return 0;
	if (places_open(join->places, worker->entries_chunk, entries, &place))
		return -ENOMEM;
	while (place_next(&place, entries))
		file_entry(join, worker->entries_id, &place);
	places_close(&place);
	return 0;
}

static int keep_entry(
	struct directory_join *join, struct join_worker *worker, uint32_t id, uint64_t child)
{
	uint64_t chunk = child / PLACE_CHUNK_INODES;
	int rc = 0;

	if (worker->entries && (worker->entries_id != id || worker->entries_chunk != chunk))
		rc = flush_entries(join, worker);
	worker->entries_id = id;
	worker->entries_chunk = chunk;
	worker->entries |= 1ULL << child % PLACE_CHUNK_INODES;
	return rc;
}

/* An entry that says that it leads to a directory. */
static int take_directory(struct directory_join *join, struct join_worker *worker,
	const struct join_entry *entry, uint64_t child_ino)
{
	struct place place;
	uint32_t child;
	int rc = places_get(join->places, child_ino, &place);

	if (rc)
		return rc;
	if (is_known_other(&place)) {
		file_entry(join, entry->id, &place);
		place_set_mistaken(&place);
	} else {
		rc = directory_at(join, &place, &child);
		if (!rc)
			rc = place_directory(join, &worker->names, entry, child);
	}
	places_close(&place);
	return rc;
}

int directory_join_entry(struct directory_join *join, unsigned number, uint32_t id, uint64_t child,
	bool is_directory, const char *name, size_t bytes)
{
	const struct join_entry entry = {.id = id, .name = name, .bytes = bytes};
	struct join_worker *worker = &join->workers[number];

	if (id == NODE_NONE)
		return 0;
	if (!is_good_name(name, bytes)) {
		pthread_mutex_lock(&join->lock);
		directory_join_tally(join, FAILURE_ENTRY, child, "an impossible name");
		pthread_mutex_unlock(&join->lock);
	}
	directory_join_named(join, number, bytes);
	return is_directory ? take_directory(join, worker, &entry, child)
			    : keep_entry(join, worker, id, child);
}

void directory_join_dotdot(struct directory_join *join, uint32_t id, uint64_t parent_ino)
{
	if (id != NODE_NONE)
		nodes_at(&join->nodes, id)->dotdot = node_check_sum(parent_ino);
}

/* --- Inodes ----------------------------------------------------------------------------------- */

/* The inode is no directory, but an entry said so: it is a file that this entry names. */
static void demote(struct directory_join *join, struct place *place, uint32_t id)
{
	struct directory_node *node = nodes_at(&join->nodes, id);

	if (node->parent != NODE_NONE)
		file_entry(join, node->parent, place);
	node->parent = NODE_NONE;
	node->has_several = false;
	node->dotdot = 0;
	place_set_mistaken(place);
}

static int take_record(
	struct directory_join *join, struct place *place, const struct place_record *record)
{
	uint32_t id = place_directory_id(place);

	if (id && !S_ISDIR(record->mode))
		demote(join, place, id);
	else if (id)
		nodes_at(&join->nodes, id)->uid = record->uid;
	return place_set_record(place, record);
}

static int flush_inodes(struct directory_join *join, struct join_worker *worker)
{
	uint64_t inodes = worker->inodes;
	struct place place;
	int rc = 0;

	worker->inodes = 0;
	if (!inodes)
		return 0;
	if (places_open(join->places, worker->inodes_chunk, inodes, &place))
		return -ENOMEM;
	while (!rc && place_next(&place, inodes))
		rc = take_record(join, &place, &worker->records[place.ino % PLACE_CHUNK_INODES]);
	places_close(&place);
	return rc;
}

int directory_join_inode(
	struct directory_join *join, unsigned number, const struct inode_record *inode)
{
	struct join_worker *worker = &join->workers[number];
	uint64_t chunk = inode->ino / PLACE_CHUNK_INODES;
	unsigned bit = inode->ino % PLACE_CHUNK_INODES;
	int rc = 0;

	if (worker->inodes && worker->inodes_chunk != chunk)
		rc = flush_inodes(join, worker);
	worker->inodes_chunk = chunk;
	worker->inodes |= 1ULL << bit;
	worker->records[bit] = (struct place_record){
		.size_bytes = inode->size_bytes,
		.allocated_bytes = inode->allocated_bytes,
		.uid = inode->uid,
		.mode = inode->mode,
	};
	return rc;
}

int directory_join_flush(struct directory_join *join, struct join_worker *worker)
{
	int rc = flush_inodes(join, worker);

	if (!rc)
		rc = flush_entries(join, worker);
	return rc ? rc : directory_join_flush_charge(join, &worker->charge);
}
