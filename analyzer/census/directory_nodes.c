// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See directory_nodes.h. Nodes lie in segments that are reached through an array of pointers of
 * fixed size, which the system backs with memory as far as it is used. A node is made without a
 * lock unless it is the first of a segment, since all threads make them. Names lie one after the
 * other in blocks.
 */
#include "analyzer/census/directory_nodes.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BLOCK_BYTES (64U << 10)
#define NAME_BYTES_MAX   UINT16_MAX

struct name_block {
	struct name_block *next;
	size_t used;
	size_t bytes;
	char text[];
};

int nodes_init(struct directory_nodes *nodes)
{
	uint32_t id;
	int rc;

	memset(nodes, 0, sizeof(*nodes));
	pthread_mutex_init(&nodes->lock, NULL);
	nodes->segments = calloc(NODE_SEGMENTS, sizeof(*nodes->segments));
	if (!nodes->segments)
		return -ENOMEM;
	rc = nodes_add(nodes, 0, &id);
	return rc ? rc : nodes_add(nodes, 0, &id);
}

void nodes_fini(struct directory_nodes *nodes)
{
	for (size_t i = 0; nodes->segments && i < NODE_SEGMENTS && nodes->segments[i]; i++)
		free(nodes->segments[i]);
	free(nodes->segments);
	pthread_mutex_destroy(&nodes->lock);
}

void name_arena_fini(struct name_arena *arena)
{
	while (arena->blocks) {
		struct name_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}

size_t nodes_memory_bytes(const struct directory_nodes *nodes)
{
	size_t segments = div_ceil_u64(nodes->count, NODE_SEGMENT_NODES);

	return segments * (NODE_SEGMENT_NODES * sizeof(struct directory_node) + sizeof(void *));
}

/* To be called with the lock held. */
static int make_segment(struct directory_nodes *nodes, uint32_t segment)
{
	struct directory_node *made;

	if (nodes->segments[segment])
		return 0;
	made = calloc(NODE_SEGMENT_NODES, sizeof(struct directory_node));
	if (!made)
		return -ENOMEM;
	__atomic_store_n(&nodes->segments[segment], made, __ATOMIC_RELEASE);
	return 0;
}

/* Sees to it that there is memory for node @id. */
static int back(struct directory_nodes *nodes, uint32_t id)
{
	uint32_t segment = id / NODE_SEGMENT_NODES;
	int rc;

	if (__atomic_load_n(&nodes->segments[segment], __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&nodes->lock);
	rc = make_segment(nodes, segment);
	pthread_mutex_unlock(&nodes->lock);
	return rc;
}

int nodes_add(struct directory_nodes *nodes, uint64_t ino, uint32_t *id)
{
	uint32_t next = __atomic_load_n(&nodes->count, __ATOMIC_RELAXED);

	do {
		if (next == UINT32_MAX)
			return -EOVERFLOW;
		if (back(nodes, next))
			return -ENOMEM;
	} while (!__atomic_compare_exchange_n(
		&nodes->count, &next, next + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	*id = next;
	nodes_at(nodes, next)->ino = ino;
	return 0;
}

/* Room for @bytes in an arena; NULL without memory. */
static char *make_room(struct name_arena *arena, size_t bytes)
{
	struct name_block *block = arena->blocks;

	if (!block || block->bytes - block->used < bytes) {
		size_t room = max_u64(bytes, NAME_BLOCK_BYTES);

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		*block = (struct name_block){.next = arena->blocks, .bytes = room};
		arena->blocks = block;
		arena->bytes += sizeof(*block) + room;
	}
	block->used += bytes;
	return block->text + block->used - bytes;
}

int node_set_name(struct directory_node *node, struct name_arena *arena, uint32_t parent,
	const char *name, size_t bytes)
{
	uint16_t length = (uint16_t)min_u64(bytes, NAME_BYTES_MAX);
	char *room = make_room(arena, sizeof(length) + length);

	if (!room)
		return -ENOMEM;
	memcpy(room, &length, sizeof(length));
	if (length)
		memcpy(room + sizeof(length), name, length);
	node->name = room + sizeof(length);
	node->parent = parent;
	return 0;
}

size_t node_name_bytes(const struct directory_node *node)
{
	uint16_t length = 0;

	if (node->name)
		memcpy(&length, node->name - sizeof(length), sizeof(length));
	return length;
}

int node_compare_names(const char *left, size_t left_bytes, const char *right, size_t right_bytes)
{
	size_t both = min_u64(left_bytes, right_bytes);
	int order = both ? memcmp(left, right, both) : 0;

	return order ? order : (left_bytes > right_bytes) - (left_bytes < right_bytes);
}
