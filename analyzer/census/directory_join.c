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
 * directory_charge.c adds up what belongs to a node.
 *
 * A place's lock guards the parent and the name of the directory that is there as well. It is taken
 * before others; no two others are held at a time.
 */
#include "analyzer/census/directory_join_private.h"
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
	for (unsigned i = 0; join->workers && i < join->options.workers; i++) {
		name_arena_fini(&join->workers[i].names);
		free(join->workers[i].links);
	}
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
		bytes += join->workers[i].names.bytes +
			 join->workers[i].link_room * sizeof(struct directory_link);
	return bytes + join->names.bytes;
}

void directory_join_tally(
	struct directory_join *join, enum failure_kind kind, uint64_t ino, const char *what)
{
	char text[WHAT_BYTES];

	snprintf(text, sizeof(text), "inode %" PRIu64 ": %s", ino, what);
	failures_add(&join->failures, kind, 0, 0, text);
}

void directory_join_tally_odd(
	struct directory_join *join, struct directory_node *node, const char *what)
{
	if (!node->is_odd)
		directory_join_tally(join, FAILURE_DIRECTORY, node->ino, what);
	node->is_odd = true;
}

static bool is_good_name(const char *name, size_t bytes)
{
	bool is_dots = bytes && bytes <= 2 && name[0] == '.' && name[bytes - 1] == '.';

	return !is_dots && bytes_are_name(name, bytes);
}

/* --- Names in place --------------------------------------------------------------------------- */

static void add_units(struct directory_join *join, uint32_t id, uint32_t units)
{
	__atomic_fetch_add(&nodes_at(&join->nodes, id)->entry_units, units, __ATOMIC_RELAXED);
}

static void flush_named(struct directory_join *join, struct join_worker *worker)
{
	if (worker->named_units)
		add_units(join, worker->named_id, worker->named_units);
	worker->named_units = 0;
}

void directory_join_named(struct directory_join *join, unsigned number, uint32_t id, size_t bytes)
{
	struct join_worker *worker = &join->workers[number];
	uint64_t stream_bytes = dump_stream_entry_bytes(bytes);

	if (worker->named_id != id)
		flush_named(join, worker);
	worker->named_id = id;
	worker->named_units += (uint32_t)(stream_bytes / DUMP_STREAM_UNIT_BYTES);
	worker->entry_stream_bytes += stream_bytes;
}

int directory_join_place(struct directory_join *join, uint32_t parent, const char *name,
	const struct inode_record *inode, uint32_t *id)
{
	struct directory_node *node;
	uint64_t stream_bytes;
	int rc = nodes_add(&join->nodes, inode->ino, id);

	if (rc)
		return rc;
	node = nodes_at(&join->nodes, *id);
	node->uid = inode->uid;
	node->has_record = true;
	node->own.allocated_bytes = inode->allocated_bytes;
	directory_join_note(join, *id, directory_join_recency(join, inode));
	if (parent == NODE_NONE)
		return 0;
	stream_bytes = dump_stream_entry_bytes(strlen(name));
	add_units(join, parent, (uint32_t)(stream_bytes / DUMP_STREAM_UNIT_BYTES));
	pthread_mutex_lock(&join->lock);
	join->placed_stream_bytes += stream_bytes;
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

/* Keeps a name beyond an inode's first, for the directories on the way to a change. */
static int keep_link(struct join_worker *worker, uint64_t ino, uint32_t id)
{
	if (worker->link_count > DIRECTORY_LINKS_MAX)
		return 0;
	if (worker->link_count == worker->link_room) {
		size_t room = worker->link_room ? 2 * worker->link_room : 256;
		struct directory_link *links = reallocarray(worker->links, room, sizeof(*links));

		if (!links)
			return -ENOMEM;
		worker->links = links;
		worker->link_room = room;
	}
	worker->links[worker->link_count++] = (struct directory_link){.ino = ino, .id = id};
	return 0;
}

static int file_entry(
	struct directory_join *join, struct join_worker *worker, uint32_t id, struct place *place)
{
	uint32_t parent = place_parent(place);

	if (parent == id)
		return 0;
	if (parent == NODE_NONE) {
		place_set_parent(place, id);
		return 0;
	}
	if (nodes_at(&join->nodes, id)->ino > nodes_at(&join->nodes, parent)->ino)
		return keep_link(worker, place->ino, id);
	place_set_parent(place, id);
	return keep_link(worker, place->ino, parent);
}

static int flush_entries(struct directory_join *join, struct join_worker *worker)
{
	uint64_t entries = worker->entries;
	struct place place;
	int rc = 0;

	worker->entries = 0;
	if (!entries)
		return 0;
	if (places_open(join->places, worker->entries_chunk, entries, &place))
		return -ENOMEM;
	while (!rc && place_next(&place, entries))
		rc = file_entry(join, worker, worker->entries_id, &place);
	places_close(&place);
	return rc;
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

/*
 * A directory that an entry of its own leads to is not put into itself. No change of the filesystem
 * could look like that.
 */
static void refuse_itself(struct directory_join *join, uint32_t id)
{
	struct directory_node *node = nodes_at(&join->nodes, id);

	pthread_mutex_lock(&join->lock);
	directory_join_tally_odd(join, node, "a directory with an entry for itself");
	pthread_mutex_unlock(&join->lock);
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
		rc = file_entry(join, worker, entry->id, &place);
		place_set_mistaken(&place);
	} else {
		rc = directory_at(join, &place, &child);
		if (!rc && child == entry->id)
			refuse_itself(join, child);
		else if (!rc)
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
	directory_join_named(join, number, id, bytes);
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
static int demote(
	struct directory_join *join, struct join_worker *worker, struct place *place, uint32_t id)
{
	struct directory_node *node = nodes_at(&join->nodes, id);
	int rc = 0;

	if (node->parent != NODE_NONE)
		rc = file_entry(join, worker, node->parent, place);
	node->parent = NODE_NONE;
	node->has_several = false;
	node->dotdot = 0;
	place_set_mistaken(place);
	return rc;
}

static int take_record(struct directory_join *join, struct join_worker *worker, struct place *place,
	const struct place_record *record)
{
	uint32_t id = place_directory_id(place);
	int rc = 0;

	if (id && !S_ISDIR(record->mode))
		rc = demote(join, worker, place, id);
	else if (id)
		nodes_at(&join->nodes, id)->uid = record->uid;
	return rc ? rc : place_set_record(place, record);
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
		rc = take_record(
			join, worker, &place, &worker->records[place.ino % PLACE_CHUNK_INODES]);
	places_close(&place);
	return rc;
}

int directory_join_attrs(struct directory_join *join, uint64_t ino, uint64_t stream_bytes)
{
	uint32_t id;
	int rc = directory_join_directory(join, ino, &id);

	if (!rc && id)
		nodes_at(&join->nodes, id)->attr_units =
			(uint16_t)min_u64(stream_bytes / DUMP_STREAM_UNIT_BYTES, UINT16_MAX);
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
		.recency = (uint16_t)directory_join_recency(join, inode),
	};
	return rc;
}

int directory_join_is_directory(struct directory_join *join, uint64_t ino, bool *is_directory)
{
	struct place_facts facts;
	struct place place;

	if (places_get(join->places, ino, &place))
		return -ENOMEM;
	place_read(&place, &facts);
	places_close(&place);
	*is_directory = facts.has_record && facts.is_directory;
	return 0;
}

int directory_join_hand_on(struct directory_join *join)
{
	int rc = 0;

	for (unsigned i = 0; i < join->options.workers && !rc; i++)
		rc = directory_join_flush(join, &join->workers[i]);
	return rc;
}

int directory_join_flush(struct directory_join *join, struct join_worker *worker)
{
	int rc = flush_inodes(join, worker);

	flush_named(join, worker);
	if (!rc)
		rc = flush_entries(join, worker);
	return rc ? rc : directory_join_flush_charge(join, &worker->charge);
}
