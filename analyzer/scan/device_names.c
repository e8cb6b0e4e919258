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

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUFFER_BYTES (64 * 1024)

/* Inode numbers noted by a worker. */
struct noted {
	uint64_t *inos;
	size_t count;
	size_t capacity;
};

struct device_names {
	struct scan_job *job;
	unsigned workers;
	struct noted noted[]; /* one for each worker */
};

int device_names_new(
	struct device_names **result, struct scan_job *job, const struct disk_super *super)
{
	unsigned workers = job->options->jobs;
	struct device_names *names;
	uint32_t root;

	if (!super->ftype)
		return -EOPNOTSUPP;
	names = calloc(1, sizeof(*names) + workers * sizeof(names->noted[0]));
	if (!names || directory_join_directory(job->join, super->root_ino, &root)) {
		free(names);
		return -ENOMEM;
	}
	names->job = job;
	names->workers = workers;
	directory_join_root(job->join, root);
	*result = names;
	return 0;
}

void device_names_free(struct device_names *names)
{
	for (unsigned i = 0; names && i < names->workers; i++)
		free(names->noted[i].inos);
	free(names);
}

int device_names_entry(struct device_names *names, const struct disk_dir_entry *entry)
{
	struct directory_join *join = names->job->join;
	uint32_t id;

	if (directory_join_directory(join, entry->directory, &id))
		return -ENOMEM;
	if (!entry->is_parent)
		return directory_join_entry(
			join, id, entry->ino, S_ISDIR(entry->type), entry->name, entry->name_bytes);
	directory_join_dotdot(join, id, entry->ino);
	return 0;
}

int device_names_later(struct device_names *names, uint64_t ino, unsigned worker)
{
	struct noted *noted = &names->noted[worker];

	if (noted->count == noted->capacity) {
		size_t capacity = noted->capacity ? 2 * noted->capacity : 64;
		uint64_t *inos = reallocarray(noted->inos, capacity, sizeof(*inos));

		if (!inos)
			return -ENOMEM;
		noted->inos = inos;
		noted->capacity = capacity;
	}
	noted->inos[noted->count++] = ino;
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
	for (unsigned i = 0; i < names->workers; i++)
		total += names->noted[i].count;
	if (!total)
		return 0;
	*inos = calloc(total, sizeof(**inos));
	if (!*inos)
		return -ENOMEM;
	for (unsigned i = 0; i < names->workers; i++) {
		for (size_t k = 0; k < names->noted[i].count; k++)
			(*inos)[(*count)++] = names->noted[i].inos[k];
	}
	qsort(*inos, total, sizeof(**inos), compare_inos);
	for (size_t i = 0; i < total; i++) {
		if (!i || (*inos)[i] != (*inos)[i - 1])
			(*inos)[kept++] = (*inos)[i];
	}
	*count = kept;
	return 0;
}

/* Hands over the entry @dirent of directory @id. */
static int take_dirent(struct directory_join *join, uint32_t id, const struct dirent64 *dirent)
{
	if (!strcmp(dirent->d_name, "."))
		return 0;
	if (strcmp(dirent->d_name, "..") != 0)
		return directory_join_entry(join, id, dirent->d_ino, dirent->d_type == DT_DIR,
			dirent->d_name, strlen(dirent->d_name));
	directory_join_dotdot(join, id, dirent->d_ino);
	return 0;
}

/* Reads the directory that @fd is open on. */
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
	return bytes ? -errno : 0;
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
	struct xfs_handle_base base;
	int rc = buffer ? xfs_handle_init(&base, job->target->fd) : -ENOMEM;

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
