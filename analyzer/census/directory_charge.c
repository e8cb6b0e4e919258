// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Charging inodes to nodes, see directory_join.h. A node adds up what belongs to its own owner;
 * what others have in it is in a map by node and user, so that it costs memory only where it
 * happens.
 */
#include "analyzer/census/directory_join_private.h"
#include "analyzer/census/directory_tree.h"
#include "base/checked.h"

#include <errno.h>
#include <sys/stat.h>

void directory_join_note(struct directory_join *join, uint32_t id, unsigned recency)
{
	struct directory_node *node = nodes_at(&join->nodes, id);
	pthread_mutex_t *lock = &join->locks[id % JOIN_LOCKS].lock;

	pthread_mutex_lock(lock);
	node->recency = (uint16_t)max_u64(node->recency, recency);
	pthread_mutex_unlock(lock);
}

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
	directory_join_note(join, charge->id, charge->recency);
	if (nodes_at(&join->nodes, charge->id)->uid == charge->uid)
		charge_owner(join, charge);
	else
		rc = charge_other(join, charge);
	*charge = (struct directory_charge){0};
	return rc;
}

int directory_join_add(struct directory_join *join, struct directory_charge *charge,
	const struct directory_charge *inode)
{
	int rc = 0;

	if (charge->id != inode->id || charge->uid != inode->uid)
		rc = directory_join_flush_charge(join, charge);
	charge->id = inode->id;
	charge->uid = inode->uid;
	charge->recency = (unsigned)max_u64(charge->recency, inode->recency);
	directory_sums_add(&charge->sums, &inode->sums);
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
	const struct directory_charge charge = {
		.id = id,
		.uid = inode->uid,
		.recency = directory_join_recency(join, inode),
		.sums = directory_join_sums(
			join, S_ISREG(inode->mode), inode->size_bytes, inode->allocated_bytes),
	};

	return directory_join_add(join, &join->workers[worker].charge, &charge);
}
