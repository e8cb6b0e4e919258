// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk.h. A directory knows its parent, so that a path is put together only for a message, and
 * no path is ever handed to the kernel: trees may be deeper than PATH_MAX.
 */
#include "analyzer/scan/walk.h"

#include "base/bytes.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

/*
 * A damaged or made-up filesystem may lead back to a directory above. As in Brent's way to find a
 * cycle, each directory is compared with one ancestor only, the one at the last depth that was a
 * power of two: a loop of any length comes to be longer than the way back to it.
 */
static const struct walk_node *milestone_below(const struct walk_node *parent)
{
	bool is_power = !(parent->depth & (parent->depth - 1));

	return is_power ? parent : parent->milestone;
}

struct walk_node *walk_node_new(struct walk_node *parent, const char *name, uint64_t ino)
{
	size_t name_bytes = strlen(name) + 1;
	struct walk_node *node = malloc(sizeof(*node) + name_bytes);

	if (!node)
		return NULL;
	*node = (struct walk_node){.parent = parent, .ino = ino};
	memcpy(node->name, name, name_bytes);
	atomic_init(&node->references, 1);
	if (parent) {
		walk_node_get(parent);
		node->depth = parent->depth + 1;
		node->milestone = milestone_below(parent);
	}
	return node;
}

struct walk_node *walk_node_get(struct walk_node *node)
{
	atomic_fetch_add_explicit(&node->references, 1, memory_order_relaxed);
	return node;
}

void walk_node_put(struct walk_node *node)
{
	while (node && atomic_fetch_sub_explicit(&node->references, 1, memory_order_acq_rel) == 1) {
		struct walk_node *parent = node->parent;

		free(node);
		node = parent;
	}
}

bool walk_node_loops(const struct walk_node *node)
{
	return node->milestone && node->milestone->ino == node->ino;
}

bool walk_node_is_in_itself(const struct walk_node *node)
{
	const struct walk_node *at = node->parent;

	while (at && at->ino != node->ino)
		at = at->parent;
	return at;
}

/* Writes @text so that it ends at @end; returns where it starts. */
static char *put_before(char *end, const char *text)
{
	size_t length = strlen(text);

	return memcpy(end - length, text, length);
}

char *walk_node_path(const struct walk_node *node, const char *name)
{
	size_t length = strlen(name) + 1;
	autofree char *path = NULL;
	char *start;

	for (const struct walk_node *at = node; at; at = at->parent)
		length += strlen(at->name) + 1;
	path = malloc(length);
	if (!path)
		return NULL;
	start = put_before(path + length, name);
	if (!*name)
		start = path + length;
	for (const struct walk_node *at = node; at; at = at->parent) {
		bool ends_in_slash = !at->parent && at->name[strlen(at->name) - 1] == '/';

		if (start < path + length && !ends_in_slash)
			start = put_before(start, "/");
		start = put_before(start, at->name);
	}
	return bytes_escape(start, (size_t)(path + length - start));
}
