// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk_names.h. The walk is that of walk.h, from parents down to children: a directory that is
 * opened by handle while the kernel does not know its parents costs a search in each of them.
 */
#include "analyzer/scan/walk_names.h"

#include "analyzer/scan/walk.h"
#include "analyzer/xfs/handle.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Directories that progress is told of at a time. */
#define PROGRESS_EVERY 64

int walk_names_entry(struct walker *walker, const char *name, uint64_t ino, bool is_directory)
{
	struct walk_frame *top = walk_top(walker);
	int rc = directory_join_entry(walker->walk->job->join, walker->number, top->node->directory,
		ino, is_directory, name, strlen(name));

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

/* The root where no mount shows it. It has no parents that would have to be searched for. */
static int open_hidden_root(const struct scan_target *target)
{
	struct xfs_handle_base base;
	int rc = target->is_xfs ? xfs_handle_init(&base, target->fd) : -EOPNOTSUPP;

	return rc ? rc : xfs_handle_open_root(&base);
}

/*
 * Where the filesystem is mounted; where that is out of sight or a part of it, the root by handle;
 * and where the kernel does not tell that, what the target is open on.
 */
static int open_root(const struct scan_target *target)
{
	int fd = target->shows_root ? walk_open(AT_FDCWD, target->mount_point) : -ENOENT;

	if (is_of(target, fd))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = open_hidden_root(target);
	return fd >= 0 ? fd : walk_open(target->fd, ".");
}

int walk_names(struct scan_job *job, struct err *err)
{
	struct walk walk = {
		.job = job,
		.path = job->target->shows_root ? job->target->mount_point : "/",
		.way = ATTRIBUTES_NONE,
		.names_only = true,
	};
	autoclose int fd = open_root(job->target);

	if (fd < 0)
		return err_set_errno(err, fd, "cannot open the root of %s", job->target->path);
	progress_begin(job->options->progress, "directories", 0);
	return walk_from(&walk, fd, err);
}
