// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks a directory tree as anybody may: for ordinary users and for other filesystems than XFS.
 *
 * One filesystem, each inode once, the root included. What other mounts cover is counted as if
 * they were not there where the kernel lets us look below them (walk_open_bare()), and is tallied
 * as hidden where it does not: then nobody knows how much of the filesystem is missing. Workers go
 * depth first with a stack each (walk_stack.c). A worker that runs out of work is a waiting worker
 * of the pool; the others see that with each name they do and give it half of the names in their
 * topmost directory, where the largest trees hang, or half of the piece of a huge directory that
 * they just read. Where root walks XFS, inodes come in bulk (walk_bulk.c), else each by name.
 */
#include "analyzer/scan/trouble.h"
#include "analyzer/scan/walk.h"
#include "base/checked.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Descriptors left to the rest of the program, besides those that are open already. */
#define SPARE_FDS 4

/* Those open are counted among so many numbers; a process with more has a limit far above. */
#define COUNTED_FDS 1024

/* A worker has, besides its stack, one directory on the way and one share in the queue, and may
 * open a file to ask for its attributes. */
#define WORKER_FDS 3

/* Timestamps come from a coarser clock than the one asked at the start. */
#define CLOCK_MARGIN_SECONDS 1

#define STACK_FDS_MIN 2
#define STACK_FDS_MAX 128

static int walk_usable(
	const struct scan_options *options, const struct scan_target *target, struct err *err)
{
	(void)options;
	if (target->kind == TARGET_DIRECTORY || target->mount_point)
		return 0;
	return err_set(err, -EOPNOTSUPP, "%s is not mounted; walk needs a directory", target->path);
}

int walk_go_on(const struct walk *walk)
{
	if (atomic_load_explicit(&walk->stopped, memory_order_relaxed) ||
		progress_cancelled(walk->job->options->progress))
		return -ECANCELED;
	return 0;
}

bool walk_offer(struct walker *walker, const struct walk_frame *frame, const char *names,
	size_t bytes, bool is_piece)
{
	struct walk_frame item = {
		.node = frame->node,
		.is_piece = is_piece,
		.names_bytes = bytes,
		.names_capacity = bytes,
		/* opened anew: the count of users of one open file would be fought over */
		.fd = walk_open(frame->fd, "."),
	};

	if (item.fd < 0)
		return false;
	walk_node_get(item.node);
	item.names = malloc(bytes);
	if (item.names) {
		memcpy(item.names, names, bytes);
		if (pool_offer(walker->walk->pool, &item))
			return true;
	}
	walk_frame_fini(&item);
	return false;
}

/* Where the second half of the names to do begins; the end if there is but one. */
static size_t second_half(const struct walk_frame *frame)
{
	size_t middle = frame->next + (frame->names_bytes - frame->next) / 2;

	return middle + strlen(frame->names + middle) + 1;
}

/* Gives names of the topmost directory that has some to a worker without work. */
static void share(struct walker *walker)
{
	for (size_t level = walker->first_open; level < walker->depth; level++) {
		struct walk_frame *frame = &walker->stack[level];
		size_t from = frame->next;

		if (from == frame->names_bytes)
			continue;
		from = second_half(frame);
		if (from == frame->names_bytes && level + 1 < walker->depth)
			from = frame->next;
		if (from < frame->names_bytes && walk_offer(walker, frame, frame->names + from,
							 frame->names_bytes - from, false))
			frame->names_bytes = from;
		return;
	}
}

/* One step of the walk: reads a directory, does one of its names, or leaves it. */
static int step(struct walker *walker)
{
	struct walk_frame *top = walk_top(walker);
	const char *name;
	int rc = walk_go_on(walker->walk);

	if (rc)
		return rc;
	if (top->unread)
		return walk_read(walker);
	if (top->is_piece)
		return walk_piece(walker);
	if (pool_hungry(walker->walk->pool))
		share(walker);
	if (top->next == top->names_bytes) {
		walk_pop(walker);
		return 0;
	}
	name = top->names + top->next;
	top->next += strlen(name) + 1;
	return walk_entry(walker, name);
}

static void clear_stack(struct walker *walker)
{
	while (walker->depth)
		walk_frame_fini(&walker->stack[--walker->depth]);
	walker->first_open = 0;
}

/* Tells progress of what was counted since it heard last. */
static void tell_rest(struct walker *walker)
{
	progress_add(walker->walk->job->options->progress, walker->uncounted);
	walker->uncounted = 0;
}

static int work(void *item, unsigned number, void *context)
{
	struct walk *walk = context;
	struct walker *walker = &walk->walkers[number];
	int rc = walk_push(walker, item);

	while (!rc && walker->depth)
		rc = step(walker);
	clear_stack(walker);
	tell_rest(walker);
	if (rc) {
		pool_stop(walk->pool, rc);
		atomic_store(&walk->stopped, true);
	}
	return rc;
}

static void drop(void *item, void *context)
{
	(void)context;
	walk_frame_fini(item);
}

/* Descriptors that are open, of those below @limit. */
static uint64_t count_open(uint64_t limit)
{
	int end = (int)min_u64(limit, COUNTED_FDS);
	uint64_t open = 0;

	for (int fd = 0; fd < end; fd++)
		open += fcntl(fd, F_GETFD) >= 0;
	return open;
}

/* Divides the descriptors that the process may have among as many workers as they suffice for. */
static int divide_descriptors(struct walk *walk, struct err *err)
{
	const uint64_t least = WORKER_FDS + STACK_FDS_MIN;
	struct rlimit limit = {.rlim_cur = 256};
	uint64_t used, mine;

	getrlimit(RLIMIT_NOFILE, &limit);
	used = count_open(limit.rlim_cur) + SPARE_FDS;
	if (limit.rlim_cur < used + least)
		return err_set(err, -EMFILE,
			"a walk needs %" PRIu64 " open files at a time, allowed are %" PRIu64
			" (raise ulimit -n)",
			used + least, (uint64_t)limit.rlim_cur);
	mine = limit.rlim_cur - used;
	walk->threads = (unsigned)min_u64(walk->job->options->jobs, mine / least);
	walk->open_max = min_u64(mine / walk->threads - WORKER_FDS, STACK_FDS_MAX);
	return 0;
}

static int new_walkers(struct walk *walk)
{
	walk->links = link_set_new();
	walk->met = walk->job->join ? link_set_new() : NULL;
	walk->walkers = calloc(walk->threads, sizeof(*walk->walkers));
	if (!walk->links || !walk->walkers || (walk->job->join && !walk->met))
		return -ENOMEM;
	for (unsigned i = 0; i < walk->threads; i++) {
		walk->walkers[i].walk = walk;
		walk->walkers[i].number = i;
		walk->walkers[i].part = &walk->job->parts[i];
		walk->walkers[i].buffer = malloc(WALK_BUFFER_BYTES);
		if (!walk->walkers[i].buffer)
			return -ENOMEM;
	}
	return 0;
}

static void free_walkers(struct walk *walk)
{
	for (unsigned i = 0; walk->walkers && i < walk->threads; i++) {
		free(walk->walkers[i].buffer);
		walk_bulk_free(walk->walkers[i].bulk);
		free(walk->walkers[i].stack);
	}
	free(walk->walkers);
	walk_gates_free(walk->gates);
	link_set_free(walk->links);
	link_set_free(walk->met);
}

/* A call on the root failed: with the last of words if even that one is an I/O error. */
static int root_failed(int code, const char *what, const char *path, struct err *err)
{
	if (code == -EIO)
		return trouble_shut_down(err, path);
	return err_set_errno(err, code, "cannot %s %s", what, path);
}

/*
 * Readers in bulk, where they tell the same as names do: nothing is mounted that hides what an
 * entry says, and all that changed before now is written back.
 */
static int start_bulk(struct walk *walk, int fd, uint64_t root)
{
	int64_t settled = clock_unix_seconds() - CLOCK_MARGIN_SECONDS;
	int rc = 0;

	if (walk->names_only || walk->way == ATTRIBUTES_NONE || !walk->is_bare)
		return 0;
	rc = walk_gates_new(&walk->gates, fd);
	for (unsigned i = 0; i < walk->threads && !rc; i++)
		rc = walk_bulk_new(&walk->walkers[i].bulk, walk->gates, fd, root, settled);
	if (!rc) {
		syncfs(fd);
		return 0;
	}
	for (unsigned i = 0; i < walk->threads; i++) {
		walk_bulk_free(walk->walkers[i].bulk);
		walk->walkers[i].bulk = NULL;
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Opens the root, which is what @fd is open on, without what is mounted on it, and counts it. */
static int start(struct walk *walk, int fd, struct walk_frame *root, struct err *err)
{
	const char *path = walk->path;
	struct directory_join *join = walk->job->join;
	struct statx stat;
	int rc;

	root->fd = walk_open_bare(fd, &walk->is_bare);
	if (root->fd < 0)
		return root_failed(root->fd, "open", path, err);
	rc = walk_stat(root->fd, "", &stat);
	if (rc)
		return root_failed(rc, "stat", path, err);
	rc = start_bulk(walk, fd, stat.stx_ino);
	if (rc)
		return rc;
	walk->dev = makedev(stat.stx_dev_major, stat.stx_dev_minor);
	root->node = walk_node_new(NULL, path, stat.stx_ino);
	if (!root->node)
		return -ENOMEM;
	if (walk_is_new(walk, &stat) < 0)
		return -ENOMEM;
	if (walk->names_only)
		rc = walk_names_directory(&walk->walkers[0], root->node);
	else
		rc = walk_count_directory(&walk->walkers[0], root->node, root->fd, "", &stat);
	if (join)
		directory_join_root(join, root->node->directory);
	tell_rest(&walk->walkers[0]);
	return rc;
}

static int run_pool(struct walk *walk, struct walk_frame *root)
{
	const struct pool_options options = {
		.threads = walk->threads,
		.item_bytes = sizeof(*root),
		.capacity = walk->threads,
		.work = work,
		.drop = drop,
		.context = walk,
	};
	int rc = pool_new(&walk->pool, &options);

	if (!rc)
		rc = pool_push(walk->pool, root);
	if (rc)
		return rc;
	*root = (struct walk_frame){.fd = -1};
	return pool_join(walk->pool);
}

/* Whether something of the filesystem lies where the walk could not see it. */
static bool any_hidden(const struct walk *walk)
{
	for (unsigned i = 0; i < walk->threads; i++) {
		if (walk->job->parts[i].failures.count[FAILURE_HIDDEN])
			return true;
	}
	return false;
}

static int describe_error(const struct walk *walk, int rc, struct err *err)
{
	const char *path = walk->job->target->path;

	if (walk->shut_down)
		return trouble_shut_down(err, path);
	if (!rc || rc == -ECANCELED)
		return rc;
	if (rc == -EAGAIN)
		return trouble_no_threads(err);
	return err_set_errno(err, rc, "cannot walk %s", path);
}

int walk_from(struct walk *walk, int fd, struct err *err)
{
	struct walk_frame root = {.fd = -1, .unread = true};
	int rc;

	rc = divide_descriptors(walk, err);
	if (!rc)
		rc = new_walkers(walk);
	if (!rc)
		rc = start(walk, fd, &root, err);
	if (!rc)
		rc = run_pool(walk, &root);
	walk_frame_fini(&root);
	free_walkers(walk);
	return describe_error(walk, rc, err);
}

static int walk_run(struct scan_job *job, struct err *err)
{
	const struct scan_target *target = job->target;
	struct walk walk = {
		.job = job,
		.path = target->kind == TARGET_DIRECTORY ? target->path : target->mount_point,
		.way = target->is_xfs ? file_attributes_probe(target->fd) : ATTRIBUTES_NONE,
	};

	int rc;

	progress_begin(job->options->progress, "inodes", target->is_root ? target->inodes : 0);
	rc = walk_from(&walk, target->fd, err);
	if (!target->is_root)
		scan_info_add_reason(job->info, "counts only what is below %s", walk.path);
	job->info->whole_filesystem = target->is_root && !any_hidden(&walk);
	return rc;
}

const struct scan_engine engine_walk = {
	.name = "walk",
	.usable = walk_usable,
	.run = walk_run,
};
