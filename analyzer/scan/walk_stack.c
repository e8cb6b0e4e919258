// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk.h. A worker goes depth first and keeps, for each level, the names still to do and a
 * descriptor to reach them by. Descriptors are bounded: beyond walk->open_max the one furthest up
 * is closed. When the worker comes back to such a level, it is reached as ".." of the level below
 * and must turn out to be the same directory; a tree that is moved just then cannot be found
 * again, and what was left to do in it is tallied as a failure.
 */
#include "analyzer/scan/walk.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int walk_frame_add(struct walk_frame *frame, const char *name)
{
	size_t bytes = strlen(name) + 1;

	if (frame->names_bytes + bytes > frame->names_capacity) {
		size_t capacity = max_u64(2 * frame->names_capacity, bytes + 256);
		char *names = realloc(frame->names, capacity);

		if (!names)
			return -ENOMEM;
		frame->names = names;
		frame->names_capacity = capacity;
	}
	memcpy(frame->names + frame->names_bytes, name, bytes);
	frame->names_bytes += bytes;
	return 0;
}

static void close_frame(struct walk_frame *frame)
{
	if (frame->fd >= 0)
		close(frame->fd);
	frame->fd = -1;
}

void walk_frame_fini(struct walk_frame *frame)
{
	close_frame(frame);
	free(frame->names);
	walk_node_put(frame->node);
}

static int make_room(struct walker *walker)
{
	size_t capacity = walker->capacity ? 2 * walker->capacity : 32;
	struct walk_frame *stack;

	if (walker->depth < walker->capacity)
		return 0;
	stack = reallocarray(walker->stack, capacity, sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	walker->stack = stack;
	walker->capacity = capacity;
	return 0;
}

int walk_push(struct walker *walker, const struct walk_frame *frame)
{
	if (make_room(walker)) {
		struct walk_frame lost = *frame;

		walk_frame_fini(&lost);
		return -ENOMEM;
	}
	walker->stack[walker->depth++] = *frame;
	if (walker->depth - walker->first_open > walker->walk->open_max)
		close_frame(&walker->stack[walker->first_open++]);
	return 0;
}

/* Opens @frame's directory as the parent of the one that @below is open on. */
static int open_parent(const struct walk *walk, const struct walk_frame *frame, int below)
{
	struct statx stat;
	int fd = below >= 0 ? walk_open(below, "..") : -ESTALE;
	int rc;

	if (fd < 0)
		return fd;
	rc = walk_stat(fd, "", &stat);
	if (!rc && (stat.stx_ino != frame->node->ino ||
			   makedev(stat.stx_dev_major, stat.stx_dev_minor) != walk->dev))
		rc = -ESTALE;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

/* The top level is closed: opens it again or gives up what was left to do there. */
static void reopen_top(struct walker *walker, int below)
{
	struct walk_frame *top = walk_top(walker);
	int fd = open_parent(walker->walk, top, below);

	if (fd >= 0) {
		top->fd = fd;
		walker->first_open = walker->depth - 1;
		return;
	}
	walker->first_open = walker->depth;
	if (top->next < top->names_bytes)
		walk_fail(walker, FAILURE_READ_DIRECTORY, 0, fd, top->node, "");
	top->next = top->names_bytes;
}

void walk_pop(struct walker *walker)
{
	struct walk_frame left = *walk_top(walker);

	walker->depth--;
	if (!walker->depth)
		walker->first_open = 0;
	else if (walk_top(walker)->fd < 0)
		reopen_top(walker, left.fd);
	walk_frame_fini(&left);
}

bool walk_close_lower(struct walker *walker)
{
	bool any = walker->first_open + 1 < walker->depth;

	while (walker->first_open + 1 < walker->depth)
		close_frame(&walker->stack[walker->first_open++]);
	return any;
}
