// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk.h. A directory is read to its end at once: files are counted on the way and forgotten,
 * the names of subdirectories are kept. Each of those is looked at by name first, so that nothing
 * is mounted or entered by mistake, then opened without following links, and what was opened is
 * looked at again: what counts is the directory that will be read, even if it took the place of
 * another in between.
 *
 * What is mounted on a directory hides what is in it. A copy of the mount, without those mounted on
 * it, shows all; open_tree(2) makes one that nobody else sees and that ends with the last
 * descriptor on it.
 */
#include "analyzer/scan/walk.h"

#include "base/mount_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A piece of a directory is shared from this length on. */
#define SHARE_BYTES 8192

int walk_open(int fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int opened = openat(fd, name, flags | O_NOATIME);

	/* only the owner and root may leave the access time alone */
	if (opened < 0 && errno == EPERM)
		opened = openat(fd, name, flags);
	return opened < 0 ? -errno : opened;
}

int walk_open_bare(int fd, bool *is_bare)
{
	int bare = mount_copy_open(fd);

	*is_bare = bare >= 0;
	return bare >= 0 ? bare : walk_open(fd, ".");
}

/* Opens a subdirectory of the top level; makes room if descriptors ran out. */
static int open_below(struct walker *walker, const char *name)
{
	int fd = walk_open(walk_top(walker)->fd, name);

	if ((fd == -EMFILE || fd == -ENFILE) && walk_close_lower(walker))
		fd = walk_open(walk_top(walker)->fd, name);
	return fd;
}

/* A directory that does not open is counted itself, from what its name told. */
static int count_unopened(
	struct walker *walker, const char *name, const struct statx *stat, int code)
{
	const struct walk_frame *top = walk_top(walker);
	struct walk_node *node;
	int rc;

	if (walk_is_gone(code))
		return 0;
	walk_fail(walker, FAILURE_OPEN_DIRECTORY, 0, code, top->node, name);
	if (walker->walk->names_only)
		return 0;
	rc = walk_is_new(walker->walk, stat);
	if (rc <= 0)
		return rc;
	node = walk_node_new(top->node, name, stat->stx_ino);
	if (!node)
		return -ENOMEM;
	rc = walk_count_directory(walker, node, top->fd, name, stat);
	walk_node_put(node);
	return rc;
}

/* Counts the directory open in @frame, unless it was met, and goes down into it; takes it over. */
static int go_down(struct walker *walker, struct walk_frame *frame, const struct statx *stat)
{
	int is_new = walk_is_new(walker->walk, stat), rc = is_new < 0 ? is_new : 0;
	bool loops;

	if (is_new > 0 && walker->walk->names_only)
		rc = walk_names_directory(walker, frame->node);
	else if (is_new > 0)
		rc = walk_count_directory(walker, frame->node, frame->fd, "", stat);
	loops = is_new > 0 ? walk_node_loops(frame->node) : walk_node_is_in_itself(frame->node);
	if (is_new > 0 && !rc && !loops)
		return walk_push(walker, frame);
	if (!rc && loops)
		walk_fail(walker, FAILURE_READ_DIRECTORY, 0, -ELOOP, frame->node, "");
	walk_frame_fini(frame);
	return rc;
}

/* Tallies that entry @name of the top level is there and cannot be seen, for a mount covers it. */
static void fail_hidden(struct walker *walker, const char *name)
{
	walk_fail(walker, FAILURE_HIDDEN, 1, 0, walk_top(walker)->node, name);
}

/* Goes down into directory @name of the top level, opened as @fd, which it takes over. */
static int enter(struct walker *walker, const char *name, int fd)
{
	struct walk_frame frame = {.fd = fd, .unread = true};
	struct statx stat;
	int rc;

	rc = walk_stat(frame.fd, "", &stat);
	if (rc || !walk_is_inside(walker->walk, &stat)) {
		if (!rc)
			fail_hidden(walker, name);
		else if (!walk_is_gone(rc))
			walk_fail(walker, FAILURE_STAT, 1, rc, walk_top(walker)->node, name);
		close(frame.fd);
		return 0;
	}
	frame.node = walk_node_new(walk_top(walker)->node, name, stat.stx_ino);
	if (!frame.node) {
		close(frame.fd);
		return -ENOMEM;
	}
	return go_down(walker, &frame, &stat);
}

/* statx of an entry of the top level: 1 if it is there and inside, 0 if not, failures tallied. */
static int look_at(struct walker *walker, const char *name, struct statx *stat)
{
	const struct walk_frame *top = walk_top(walker);
	int rc = walk_stat(top->fd, name, stat);

	if (rc && !walk_is_gone(rc))
		walk_fail(walker, FAILURE_STAT, rc != -ELOOP, rc, top->node, name);
	if (rc || walk_is_inside(walker->walk, stat))
		return !rc;
	fail_hidden(walker, name);
	return 0;
}

int walk_entry(struct walker *walker, const char *name)
{
	const struct walk_frame *top = walk_top(walker);
	const struct walk *walk = walker->walk;
	bool at_once = walk->is_bare || walk->names_only;
	int fd = at_once ? open_below(walker, name) : -EAGAIN;
	struct statx stat;

	if (fd >= 0)
		return enter(walker, name, fd);
	if (walk->names_only)
		return count_unopened(walker, name, NULL, fd);
	if (!look_at(walker, name, &stat))
		return 0;
	if (!S_ISDIR(stat.stx_mode))
		return walk_count(walker, top->node, top->fd, name, &stat);
	if (!at_once)
		fd = open_below(walker, name);
	return fd >= 0 ? enter(walker, name, fd) : count_unopened(walker, name, &stat, fd);
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Counts an entry on the way, or keeps its name if it is a directory. */
static int read_entry(struct walker *walker, const struct dirent64 *entry)
{
	struct walk_frame *top = walk_top(walker);
	const struct xfs_inode *inode = NULL;
	struct statx stat;

	if (walker->walk->names_only && entry->d_type != DT_UNKNOWN)
		return walk_names_entry(
			walker, entry->d_name, entry->d_ino, entry->d_type == DT_DIR);
	if (entry->d_type == DT_DIR)
		return walk_frame_add(top, entry->d_name);
	if (walker->bulk)
		inode = walk_bulk_find(walker->bulk, entry->d_ino);
	if (inode)
		return walk_count_known(walker, top->node, entry->d_name, inode);
	if (!look_at(walker, entry->d_name, &stat))
		return 0;
	if (walker->walk->names_only)
		return walk_names_entry(
			walker, entry->d_name, entry->d_ino, S_ISDIR(stat.stx_mode));
	if (S_ISDIR(stat.stx_mode))
		return walk_frame_add(top, entry->d_name);
	return walk_count(walker, top->node, top->fd, entry->d_name, &stat);
}

static const struct dirent64 *entry_at(const struct walker *walker, size_t offset)
{
	return (const struct dirent64 *)(const void *)(walker->buffer + offset);
}

/*
 * A huge directory would keep one worker busy and the others waiting: gives half of a piece away.
 * Returns where the rest that is ours ends.
 */
static size_t share_piece(struct walker *walker, size_t end)
{
	size_t middle = 0;

	while (middle < end / 2)
		middle += entry_at(walker, middle)->d_reclen;
	if (walk_offer(walker, walk_top(walker), walker->buffer + middle, end - middle, true))
		return middle;
	return end;
}

/* Does the entries in the buffer, @bytes of them. */
static int read_piece(struct walker *walker, size_t bytes)
{
	size_t looked_at = 0; /* by the reader in bulk */
	int rc = 0;

	if (bytes >= SHARE_BYTES && !walker->walk->names_only && pool_hungry(walker->walk->pool))
		bytes = share_piece(walker, bytes);
	for (size_t offset = 0; offset < bytes && !rc;) {
		const struct dirent64 *entry = entry_at(walker, offset);

		if (walker->bulk && offset >= looked_at)
			looked_at = walk_bulk_read(walker->bulk, walker->buffer, offset, bytes);
		offset += entry->d_reclen;
		rc = walk_go_on(walker->walk);
		if (!rc && !is_dot(entry->d_name))
			rc = read_entry(walker, entry);
	}
	return rc;
}

int walk_piece(struct walker *walker)
{
	struct walk_frame *top = walk_top(walker);
	size_t bytes = top->names_bytes;

	memcpy(walker->buffer, top->names, bytes);
	top->is_piece = false;
	top->names_bytes = 0;
	return read_piece(walker, bytes);
}

int walk_read(struct walker *walker)
{
	ssize_t bytes;
	int rc = 0;

	walk_top(walker)->unread = false;
	do {
		bytes = getdents64(walk_top(walker)->fd, walker->buffer, WALK_BUFFER_BYTES);
		if (bytes < 0 && !walk_is_gone(-errno))
			walk_fail(walker, FAILURE_READ_DIRECTORY, 0, -errno, walk_top(walker)->node,
				"");
		if (bytes > 0)
			rc = read_piece(walker, (size_t)bytes);
	} while (bytes > 0 && !rc);
	return rc;
}
