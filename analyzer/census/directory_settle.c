// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of directory_join.h: each inode is charged to the directory that names it, by now known,
 * and what made no sense is tallied. The places are gone over by as many threads as there were
 * workers; what they tally does not depend on which comes first.
 */
#include "analyzer/census/directory_join_private.h"
#include "analyzer/census/directory_tree.h"
#include "base/checked.h"
#include "base/pool.h"

#include <errno.h>

/* --- Inodes ----------------------------------------------------------------------------------- */

/* Where a thread is; neighbours lie in one directory, mostly. */
struct settling {
	struct directory_join *join;
	struct directory_charge *charge;
};

static void tally_entry(struct directory_join *join, uint64_t ino, const char *what)
{
	if (join->options.in_use)
		return;
	pthread_mutex_lock(&join->lock);
	directory_join_tally(join, FAILURE_ENTRY, ino, what);
	pthread_mutex_unlock(&join->lock);
}

/* An entry leads to an inode that was not met: it is free, or could not be read. */
static void tell_missing(struct directory_join *join, uint64_t ino, const struct place_facts *facts)
{
	bool is_named = facts->parent != NODE_NONE ||
			nodes_at(&join->nodes, facts->directory)->parent != NODE_NONE;

	if (is_named)
		tally_entry(join, ino, "an entry leads to it, but it is not in use");
}

static int settle(uint64_t ino, const struct place_facts *facts, void *context)
{
	struct settling *settling = context;
	struct directory_join *join = settling->join;
	uint32_t id = facts->is_directory ? facts->directory : facts->parent;
	const struct directory_charge charge = {
		.id = id ? id : NODE_UNRESOLVED,
		.uid = facts->uid,
		.recency = facts->recency,
		.sums = directory_join_sums(
			join, facts->is_regular, facts->size_bytes, facts->allocated_bytes),
	};

	if (!facts->has_record) {
		tell_missing(join, ino, facts);
		return 0;
	}
	if (facts->is_directory && id)
		nodes_at(&join->nodes, id)->has_record = true;
	if (facts->is_mistaken)
		tally_entry(join, ino, "taken for a directory, but it is none");
	if (facts->is_directory && facts->parent != NODE_NONE)
		tally_entry(join, ino, "a directory, but taken for something else");
	return directory_join_add(join, settling->charge, &charge);
}

static int settle_part(void *item, unsigned worker, void *context)
{
	struct directory_join *join = context;
	struct directory_charge *charge = &join->workers[worker].charge;
	struct settling settling = {.join = join, .charge = charge};
	int rc = places_each(join->places, *(const unsigned *)item, settle, &settling);

	return rc ? rc : directory_join_flush_charge(join, charge);
}

static int settle_all(struct directory_join *join)
{
	const struct pool_options options = {
		.threads = join->options.workers,
		.item_bytes = sizeof(unsigned),
		.capacity = PLACES_PARTS,
		.work = settle_part,
		.context = join,
	};
	struct pool *pool;
	int rc = pool_new(&pool, &options);

	if (rc)
		return rc;
	for (unsigned part = 0; part < PLACES_PARTS && !rc; part++)
		rc = pool_push(pool, &part);
	return pool_join(pool);
}

/* What has names in several directories was charged to one, but is a change in each of them. */
static int settle_links(struct directory_join *join)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < join->options.workers; i++)
		count += join->workers[i].link_count;
	for (unsigned i = 0; i < join->options.workers && count <= DIRECTORY_LINKS_MAX; i++) {
		const struct join_worker *worker = &join->workers[i];

		for (size_t at = 0; at < worker->link_count; at++) {
			const struct directory_link *link = &worker->links[at];
			struct place_facts facts;
			struct place place;

			if (places_get(join->places, link->ino, &place))
				return -ENOMEM;
			place_read(&place, &facts);
			places_close(&place);
			directory_join_note(join, link->id, facts.recency);
		}
	}
	return 0;
}

/* --- Directories ------------------------------------------------------------------------------ */

/* Whether the parent that a directory names is the one where it is; of the root, it is itself. */
static bool is_dotdot_right(const struct directory_join *join, uint32_t id)
{
	const struct directory_node *node = nodes_at(&join->nodes, id);
	uint64_t ino = node->ino;

	if (!node->dotdot || (node->parent == NODE_NONE && id != join->root))
		return true;
	if (id != join->root)
		ino = nodes_at(&join->nodes, node->parent)->ino;
	return node->dotdot == node_check_sum(ino);
}

/* The root is where it is, also while others are moved. There is one thread. */
static void check_root(struct directory_join *join)
{
	struct directory_node *node = nodes_at(&join->nodes, join->root);

	if (!node->has_record && !join->options.in_use)
		directory_join_tally_odd(
			join, node, "the root, but it is no directory that is in use");
	if (node->parent != NODE_NONE)
		directory_join_tally_odd(join, node, "the root, but an entry leads to it");
}

static void check_directories(struct directory_join *join)
{
	for (uint32_t id = NODE_UNRESOLVED + 1; id < join->nodes.count; id++) {
		struct directory_node *node = nodes_at(&join->nodes, id);

		if (node->has_several)
			directory_join_tally_odd(join, node, "a directory with several entries");
		if (!is_dotdot_right(join, id))
			directory_join_tally_odd(join, node, "its \"..\" is not where it is");
	}
}

static uint64_t entry_stream_bytes(const struct directory_join *join)
{
	uint64_t bytes = join->placed_stream_bytes;

	for (unsigned i = 0; i < join->options.workers; i++)
		bytes = sat_add_u64(bytes, join->workers[i].entry_stream_bytes);
	return bytes;
}

int directory_join_finish(
	struct directory_join *join, struct directories *directories, struct failures *failures)
{
	const struct directory_tree_input input = {
		.nodes = &join->nodes,
		.others = &join->others,
		.root = join->root,
		.max_rows = join->options.max_rows,
		.now_seconds = join->options.now_seconds,
	};
	int rc = directory_join_hand_on(join);

	if (!rc)
		rc = settle_all(join);
	if (!rc)
		rc = settle_links(join);
	places_free(join->places);
	join->places = NULL;
	if (!rc)
		check_root(join);
	if (!rc && !join->options.in_use)
		check_directories(join);
	failures_merge(failures, &join->failures);
	directories->entry_stream_bytes = entry_stream_bytes(join);
	return rc ? rc : directory_tree_make(&input, directories, failures);
}
