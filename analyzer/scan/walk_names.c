// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk_names.h. The walk is that of walk.h, from parents down to children: a directory that is
 * opened by handle while the kernel does not know its parents costs a search in each of them.
 *
 * What is mounted on a directory hides what is in it. A private copy of the mount, without those
 * mounted on it, shows all; open_tree(2) makes one that nobody else sees and that goes away with
 * its descriptor.
 */
#include "analyzer/scan/walk_names.h"

#include "analyzer/scan/walk.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of <linux/mount.h>, which cannot be included beside the headers of all C libraries. */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#define CLONE_TREE 1

/* Directories that progress is told of at a time. */
#define PROGRESS_EVERY 64

int walk_names_entry(struct walker *walker, const char *name, uint64_t ino, bool is_directory)
{
	struct walk_frame *top = walk_top(walker);
	int rc = directory_join_entry(walker->walk->job->join, top->node->directory, ino,
		is_directory, name, strlen(name));

	return rc || !is_directory ? rc : walk_frame_add(top, name);
}

int walk_names_directory(struct walker *walker, struct walk_node *node)
{
	if (++walker->uncounted >= PROGRESS_EVERY) {
		progress_add(walker->walk->job->options->progress, walker->uncounted);
		walker->uncounted = 0;
	}
	return directory_join_directory(walker->walk->job->join, node->ino, &node->directory);
}

/* Whether @fd is open on the filesystem of @target. */
static bool is_of(const struct scan_target *target, int fd)
{
	struct stat ours, its;

	return fd >= 0 && !fstat(target->fd, &ours) && !fstat(fd, &its) &&
	       ours.st_dev == its.st_dev;
}

static int open_root(const struct scan_target *target)
{
	autoclose int at = -1;
	int from = target->fd, fd;

	if (target->mount_point)
		at = walk_open(AT_FDCWD, target->mount_point);
	if (is_of(target, at))
		from = at;
	fd = (int)syscall(SYS_open_tree, from, "", CLONE_TREE | O_CLOEXEC | AT_EMPTY_PATH);
	if (is_of(target, fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return walk_open(from, ".");
}

int walk_names(struct scan_job *job, struct err *err)
{
	struct walk walk = {.job = job, .way = ATTRIBUTES_NONE, .names_only = true};
	autoclose int fd = open_root(job->target);

	if (fd < 0)
		return err_set_errno(err, fd, "cannot open the root of %s", job->target->path);
	progress_begin(job->options->progress, "directories", 0);
	return walk_from(&walk, fd, err);
}
