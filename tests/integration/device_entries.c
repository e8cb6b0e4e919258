// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints every path that follows from the directory entries which the device engine finds:
 *
 *	device_entries [-q] [-b] [-t] [-j JOBS] [-g GAP] [-m MOUNT] [-e] [-n] DEVICE|IMAGE
 *
 * "ino type path", each with NUL after it, in the words of find -printf '%i %y %P\0'. The tree is
 * built from the entries alone, from the root inode on. What is not below the root, directories
 * met twice and parents that are not what ".." says go to standard error, as failures do; the exit
 * status is 1 if there was any of it, 2 if nothing could be done.
 *
 * -e: the entries themselves, "directory ino name", each with NUL after it, without "..".
 * -n: no directories, for comparing times. -m: mounted there and written to: directories that must
 * be read through the mount are listed as "later INO".
 */
#include "analyzer/scan/device_log.h"
#include "analyzer/scan/device_mounted.h"
#include "analyzer/scan/device_scan.h"
#include "analyzer/scan/device_super.h"
#include "base/clock.h"
#include "base/units.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_JOBS   64
#define PATH_BYTES (1U << 20)

struct edge {
	uint64_t directory;
	uint64_t ino;
	uint32_t name; /* into the worker's names */
	uint16_t type;
	uint8_t name_bytes;
	uint8_t worker;
	bool is_parent;
	bool seen;
};

struct part {
	struct edge *edges;
	size_t count, capacity;
	char *names;
	size_t names_bytes, names_capacity;
	uint64_t inodes;
	uint64_t entries;
};

struct job {
	bool quiet;
	bool flat;
	pthread_mutex_t lock; /* of standard error and the numbers below */
	uint64_t complaints;
	struct part parts[MAX_JOBS];
	struct edge *edges; /* of all, by directory */
	size_t count;
	uint64_t root;
	char path[PATH_BYTES];
	int fd; /* of the mount; -1: none */
};

static void *grow(void *items, size_t *capacity, size_t wanted, size_t item_bytes)
{
	if (wanted <= *capacity)
		return items;
	*capacity = wanted * 2;
	items = reallocarray(items, *capacity, item_bytes);
	if (!items)
		errx(2, "out of memory");
	return items;
}

static int take_inode(const struct xfs_inode *inode, const struct dump_measure *measure,
	unsigned worker, void *context)
{
	struct job *job = context;

	(void)inode;
	(void)measure;
	job->parts[worker].inodes++;
	return 0;
}

static int take_entry(const struct disk_dir_entry *entry, unsigned worker, void *context)
{
	struct job *job = context;
	struct part *part = &job->parts[worker];

	part->entries += !entry->is_parent;
	if (job->quiet)
		return 0;
	part->edges = grow(part->edges, &part->capacity, part->count + 1, sizeof(*part->edges));
	part->names =
		grow(part->names, &part->names_capacity, part->names_bytes + entry->name_bytes, 1);
	memcpy(part->names + part->names_bytes, entry->name, entry->name_bytes);
	part->edges[part->count++] = (struct edge){
		.directory = entry->directory,
		.ino = entry->ino,
		.name = (uint32_t)part->names_bytes,
		.type = entry->type,
		.name_bytes = entry->name_bytes,
		.worker = (uint8_t)worker,
		.is_parent = entry->is_parent,
	};
	part->names_bytes += entry->name_bytes;
	return 0;
}

static void take_failure(enum failure_kind kind, uint64_t inodes, int code, const char *what,
	unsigned worker, void *context)
{
	struct job *job = context;

	(void)worker;
	pthread_mutex_lock(&job->lock);
	fprintf(stderr, "%s: %d: %" PRIu64 ": %s\n", failure_kind_name(kind), code, inodes, what);
	job->complaints++;
	pthread_mutex_unlock(&job->lock);
}

static int take_later(uint64_t ino, unsigned worker, void *context)
{
	struct job *job = context;

	(void)worker;
	pthread_mutex_lock(&job->lock);
	printf("later %" PRIu64 "%c", ino, 0);
	pthread_mutex_unlock(&job->lock);
	return 0;
}

/* --- The tree --- */

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return (a->directory > b->directory) - (a->directory < b->directory);
}

static void gather(struct job *job)
{
	size_t count = 0;

	for (unsigned i = 0; i < MAX_JOBS; i++)
		count += job->parts[i].count;
	job->edges = calloc(count + 1, sizeof(*job->edges));
	for (unsigned i = 0; i < MAX_JOBS; i++) {
		if (!job->parts[i].count)
			continue;
		memcpy(job->edges + job->count, job->parts[i].edges,
			job->parts[i].count * sizeof(*job->edges));
		job->count += job->parts[i].count;
	}
	qsort(job->edges, job->count, sizeof(*job->edges), compare_edges);
}

static size_t first_of(const struct job *job, uint64_t directory)
{
	size_t low = 0, high = job->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (job->edges[middle].directory < directory)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void complain(struct job *job, const char *what, const struct edge *edge)
{
	fprintf(stderr, "%s: directory %" PRIu64 ", inode %" PRIu64 "\n", what, edge->directory,
		edge->ino);
	job->complaints++;
}

static char letter(uint16_t type)
{
	switch (type) {
	case S_IFREG:
		return 'f';
	case S_IFDIR:
		return 'd';
	case S_IFLNK:
		return 'l';
	case S_IFIFO:
		return 'p';
	case S_IFSOCK:
		return 's';
	case S_IFCHR:
		return 'c';
	case S_IFBLK:
		return 'b';
	default:
		return '?';
	}
}

/* Without ftype, a directory is what has a parent. */
static bool is_directory(const struct job *job, const struct edge *edge)
{
	size_t at = first_of(job, edge->ino);

	if (edge->type)
		return edge->type == S_IFDIR;
	return at < job->count && job->edges[at].directory == edge->ino;
}

static void print_below(struct job *job, uint64_t directory, uint64_t parent, size_t length)
{
	for (size_t i = first_of(job, directory);
		i < job->count && job->edges[i].directory == directory; i++) {
		struct edge *edge = &job->edges[i];
		size_t end = length + edge->name_bytes;

		if (edge->seen) {
			complain(job, "a directory met twice", edge);
			return;
		}
		edge->seen = true;
		if (edge->is_parent) {
			if (edge->ino != parent)
				complain(job, "a parent that lies", edge);
			continue;
		}
		if (end + 2 > PATH_BYTES)
			errx(2, "too deep");
		memcpy(job->path + length, job->parts[edge->worker].names + edge->name,
			edge->name_bytes);
		printf("%" PRIu64 " %c ", edge->ino, letter(edge->type));
		fwrite(job->path, 1, end, stdout);
		putchar(0);
		job->path[end] = '/';
		if (is_directory(job, edge))
			print_below(job, edge->ino, directory, end + 1);
	}
}

static void print_entries(struct job *job)
{
	gather(job);
	for (size_t i = 0; i < job->count; i++) {
		const struct edge *edge = &job->edges[i];

		if (edge->is_parent)
			continue;
		printf("%" PRIu64 " %" PRIu64 " ", edge->directory, edge->ino);
		fwrite(job->parts[edge->worker].names + edge->name, 1, edge->name_bytes, stdout);
		putchar(0);
	}
	free(job->edges);
}

static void print_tree(struct job *job)
{
	gather(job);
	print_below(job, job->root, job->root, 0);
	for (size_t i = 0; i < job->count; i++) {
		if (!job->edges[i].seen)
			complain(job, "not below the root", &job->edges[i]);
	}
	free(job->edges);
}

static void print_sums(const struct job *job, const struct device_scan *scan, double seconds)
{
	struct rusage usage;
	uint64_t inodes = 0, entries = 0;

	getrusage(RUSAGE_SELF, &usage);
	for (unsigned i = 0; i < MAX_JOBS; i++) {
		inodes += job->parts[i].inodes;
		entries += job->parts[i].entries;
	}
	printf("%" PRIu64 " inodes, %" PRIu64 " entries, %" PRIu64
	       " complaints, %.3f s, read %" PRIu64 " and %" PRIu64 " bytes, %ld KiB\n",
		inodes, entries, job->complaints, seconds, scan->read_bytes, scan->directory_bytes,
		usage.ru_maxrss);
}

static int run(struct job *job, const struct device_options *options, unsigned workers,
	const char *path, struct err *err)
{
	const struct device_sink sink = {
		.inode = take_inode,
		.entry = take_entry,
		.directory_later = take_later,
		.failure = take_failure,
		.context = job,
	};
	struct device_mounted *mounted = NULL;
	struct device_source source;
	struct disk_super super;
	struct log_source log;
	const struct device_mounted_setup setup = {.fd = job->fd, .super = &super, .log = &log};
	struct device_scan scan = {
		.source = &source,
		.super = &super,
		.options = options,
		.sink = &sink,
		.workers = workers,
	};
	int64_t start_ns = clock_monotonic_ns();
	int rc = device_source_open(&source, path, 0, options->caching, err);

	if (rc)
		return rc;
	rc = device_super_read(&super, &source, job->fd < 0, err);
	job->root = super.root_ino;
	if (!rc && job->fd >= 0)
		device_log_describe(&log, &source, &super);
	if (!rc && job->fd >= 0)
		rc = device_mounted_new(&mounted, &setup, err);
	if (mounted)
		scan.live = device_mounted_live(mounted, &sink);
	if (!rc)
		rc = device_scan_run(&scan, err);
	if (!rc && job->quiet)
		print_sums(job, &scan, clock_seconds_since(start_ns));
	else if (!rc && job->flat)
		print_entries(job);
	else if (!rc)
		print_tree(job);
	device_mounted_free(mounted);
	device_source_close(&source);
	return rc;
}

int main(int argc, char **argv)
{
	static struct job job = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};
	struct device_options options = {.directories = true};
	struct err err = {0};
	unsigned workers = 2;
	int option;

	while ((option = getopt(argc, argv, "qbdtenj:g:m:")) != -1) {
		if (option == 'q')
			job.quiet = true;
		else if (option == 'b')
			options.caching = DEVICE_CACHING_BUFFERED;
		else if (option == 'd')
			options.caching = DEVICE_CACHING_DIRECT;
		else if (option == 't')
			options.io = DEVICE_IO_THREADS;
		else if (option == 'e')
			job.flat = true;
		else if (option == 'n')
			options.directories = false;
		else if (option == 'j')
			workers = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'm')
			job.fd = open(optarg, O_RDONLY | O_CLOEXEC);
		else if (option != 'g' || unit_parse_bytes(optarg, &options.gap_bytes))
			return 2;
	}
	if (optind + 1 != argc || !workers || workers > MAX_JOBS)
		return 2;
	if (run(&job, &options, workers, argv[optind], &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 2;
	}
	for (unsigned i = 0; i < workers; i++) {
		free(job.parts[i].edges);
		free(job.parts[i].names);
	}
	return job.complaints ? 1 : 0;
}
