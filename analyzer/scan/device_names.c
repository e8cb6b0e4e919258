// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_names.h. Directories read in the end are opened by handle. The kernel may have to look
 * for their parents then, which costs a search in each of them; but they are few, those changed in
 * the last half minute, and hot in memory.
 */
#include "analyzer/scan/device_names.h"

#include "analyzer/census/directory_join.h"
#include "analyzer/xfs/bulkstat.h"
#include "analyzer/xfs/handle.h"
#include "base/cleanup.h"
#include "base/mount_copy.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUFFER_BYTES (64 * 1024)

/* What a worker has noted, and the directory that it handed entries of last. */
struct names_worker {
	uint64_t *inos; /* for later */
	size_t count;
	size_t capacity;
	uint64_t directory; /* inode number; 0: none so far */
	uint32_t id;
} __attribute__((aligned(64)));

struct device_names {
	struct scan_job *job;
	bool typed; /* entries tell what they lead to */
	unsigned count;
	struct names_worker *workers; /* one for each worker */
};

int device_names_new(
	struct device_names **result, struct scan_job *job, const struct disk_super *super)
{
	unsigned count = job->options->jobs;
	struct device_names *names;
	uint32_t root;

	names = calloc(1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	names->job = job;
	names->typed = super->ftype;
	names->count = count;
	names->workers = aligned_alloc(64, count * sizeof(*names->workers));
	if (names->workers)
		memset(names->workers, 0, count * sizeof(*names->workers));
	if (!names->workers || directory_join_directory(job->join, super->root_ino, &root)) {
		device_names_free(names);
		return -ENOMEM;
	}
	directory_join_root(job->join, root);
	*result = names;
	return 0;
}

void device_names_free(struct device_names *names)
{
	if (!names)
		return;
	for (unsigned i = 0; names->workers && i < names->count; i++)
		free(names->workers[i].inos);
	free(names->workers);
	free(names);
}

int device_names_entry(
	struct device_names *names, const struct disk_dir_entry *entry, unsigned number)
{
	struct names_worker *worker = &names->workers[number];
	struct directory_join *join = names->job->join;
	bool is_directory = S_ISDIR(entry->type);

	if (worker->directory != entry->directory) {
		if (directory_join_directory(join, entry->directory, &worker->id))
			return -ENOMEM;
		worker->directory = entry->directory;
	}
	if (entry->is_parent) {
		directory_join_dotdot(join, worker->id, entry->ino);
		return 0;
	}
	if (!names->typed && directory_join_is_directory(join, entry->ino, &is_directory))
		return -ENOMEM;
	return directory_join_entry(
		join, number, worker->id, entry->ino, is_directory, entry->name, entry->name_bytes);
}

int device_names_later(struct device_names *names, uint64_t ino, unsigned number)
{
	struct names_worker *worker = &names->workers[number];

	if (worker->count == worker->capacity) {
		size_t capacity = worker->capacity ? 2 * worker->capacity : 64;
		uint64_t *inos = reallocarray(worker->inos, capacity, sizeof(*inos));

		if (!inos)
			return -ENOMEM;
		worker->inos = inos;
		worker->capacity = capacity;
	}
	worker->inos[worker->count++] = ino;
	return 0;
}

static int compare_inos(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* All that was noted, in order, each once; to be freed. NULL with *@count 0 without any. */
static int gather(const struct device_names *names, uint64_t **inos, size_t *count)
{
	size_t total = 0, kept = 0;

	*inos = NULL;
	*count = 0;
	for (unsigned i = 0; i < names->count; i++)
		total += names->workers[i].count;
	if (!total)
		return 0;
	*inos = calloc(total, sizeof(**inos));
	if (!*inos)
		return -ENOMEM;
	for (unsigned i = 0; i < names->count; i++) {
		for (size_t k = 0; k < names->workers[i].count; k++)
			(*inos)[(*count)++] = names->workers[i].inos[k];
	}
	qsort(*inos, total, sizeof(**inos), compare_inos);
	for (size_t i = 0; i < total; i++) {
		if (!i || (*inos)[i] != (*inos)[i - 1])
			(*inos)[kept++] = (*inos)[i];
	}
	*count = kept;
	return 0;
}

/* Hands over the entry @dirent of directory @id; no worker is at work any more. */
static int take_dirent(struct directory_join *join, uint32_t id, const struct dirent64 *dirent)
{
	if (!strcmp(dirent->d_name, "."))
		return 0;
	if (strcmp(dirent->d_name, "..") != 0)
		return directory_join_entry(join, 0, id, dirent->d_ino, dirent->d_type == DT_DIR,
			dirent->d_name, strlen(dirent->d_name));
	directory_join_dotdot(join, id, dirent->d_ino);
	return 0;
}

/* Reads the directory that @fd is open on. One that was removed, but is open, is read no more. */
static int read_entries(struct device_names *names, uint64_t ino, int fd, char *buffer)
{
	struct directory_join *join = names->job->join;
	ssize_t bytes = 0;
	uint32_t id;

	if (directory_join_directory(join, ino, &id))
		return -ENOMEM;
	while ((bytes = getdents64(fd, buffer, BUFFER_BYTES)) > 0) {
		for (ssize_t at = 0; at < bytes;) {
			const struct dirent64 *dirent = (const void *)(buffer + at);

			if (take_dirent(join, id, dirent))
				return -ENOMEM;
			at += dirent->d_reclen;
		}
	}
	return bytes && errno != ENOENT ? -errno : 0;
}

/* Reads directory @ino, if it still is one. */
static int read_directory(struct device_names *names, const struct xfs_handle_base *base,
	struct bulkstat *bulkstat, uint64_t ino, char *buffer)
{
	struct xfs_inode inode;
	autoclose int fd = -1;
	int rc = bulkstat_single(bulkstat, ino, &inode);

	if (rc || !S_ISDIR(inode.mode))
		return rc == -ENOENT ? 0 : rc;
	fd = xfs_handle_open(base, ino, inode.generation);
	if (fd < 0)
		return fd == -ESTALE || fd == -ENOENT ? 0 : fd;
	return read_entries(names, ino, fd, buffer);
}

static void tally(struct device_names *names, uint64_t ino, int code)
{
	char what[64];

	snprintf(what, sizeof(what), "directory inode %" PRIu64, ino);
	failures_add(&names->job->parts[0].failures, FAILURE_READ_DIRECTORY, 0, code, what);
}

static int read_all(struct device_names *names, const uint64_t *inos, size_t count)
{
	const struct scan_job *job = names->job;
	autofree char *buffer = malloc(BUFFER_BYTES);
	struct bulkstat *bulkstat = NULL;
	autoclose int quiet = mount_copy_open_quiet(job->target->fd);
	struct xfs_handle_base base;
	int rc = buffer ? xfs_handle_init(&base, quiet < 0 ? job->target->fd : quiet) : -ENOMEM;

	if (!rc)
		rc = bulkstat_new(&bulkstat, job->target->fd, 1, BULKSTAT_AUTO);
	for (size_t i = 0; i < count && !rc; i++) {
		int code = read_directory(names, &base, bulkstat, inos[i], buffer);

		if (code == -ENOMEM || progress_cancelled(job->options->progress))
			rc = code == -ENOMEM ? code : -ECANCELED;
		else if (code)
			tally(names, inos[i], code);
	}
	bulkstat_free(bulkstat);
	return rc;
}

int device_names_finish(struct device_names *names)
{
	autofree uint64_t *inos = NULL;
	size_t count;
	int rc = gather(names, &inos, &count);

	return rc || !count ? rc : read_all(names, inos, count);
}
