// SPDX-License-Identifier: GPL-2.0-or-later
/* See log_churn.h. */
#include "tests/integration/log_churn.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static void must(int rc, const char *what)
{
	if (rc < 0 && errno != ENOSPC && errno != EEXIST)
		err(2, "churn: %s", what);
}

static void append(int dir, const char *name, size_t bytes)
{
	static char data[32768];
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	must(fd, name);
	if (fd < 0)
		return;
	must((int)write(fd, data, bytes), name);
	close(fd);
}

/* Inline data, and attributes that have a block: each is asked for in another way. */
static void add_attribute(int dir, const char *name)
{
	static char value[3000];
	char path[64 + NAME_MAX];

	memset(value, 'v', sizeof(value));
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name);
	must(lsetxattr(path, "trusted.churn", value, sizeof(value), 0), name);
}

static void create(int dir, unsigned seed, unsigned index)
{
	static const size_t sizes[] = {0, 10, 5000, 20000};
	char name[64];

	snprintf(name, sizeof(name), "%u.%u", seed, index);
	switch (index % 16) {
	case 0:
		must(symlinkat("some/where/else", dir, name), name);
		if (index % 3 == 0)
			add_attribute(dir, name);
		break;
	case 1:
		must(mkdirat(dir, name, 0755), name);
		if (index % 3 == 0)
			add_attribute(dir, name);
		break;
	case 2:
		must(mkfifoat(dir, name, 0600), name);
		break;
	default:
		append(dir, name, sizes[random() % 4]);
	}
}

static void truncate_at(int dir, const char *name, off_t bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);

	must(fd, name);
	if (fd >= 0) {
		must(ftruncate(fd, bytes), name);
		close(fd);
	}
}

static void change_regular(int dir, const char *name)
{
	struct timespec times[2] = {{1, 2}, {random() % 1000000000, 3}};
	char other[NAME_MAX + 1];

	snprintf(other, sizeof(other), "%.20s~%lx", name, random());
	switch (random() % 9) {
	case 0:
	case 1:
		must(unlinkat(dir, name, 0), name);
		break;
	case 2:
		must(renameat(dir, name, dir, other), name);
		break;
	case 3:
		must(fchmodat(dir, name, (mode_t)random() & 0777, 0), name);
		break;
	case 4:
		must(fchownat(dir, name, (uid_t)random() % 1000, 7, 0), name);
		break;
	case 5:
		truncate_at(dir, name, random() % 100000);
		break;
	case 6:
		append(dir, name, (size_t)random() % 30000);
		break;
	case 7:
		must(utimensat(dir, name, times, 0), name);
		break;
	default:
		must(linkat(dir, name, dir, other, 0), name);
	}
}

static void change(int dir, const struct dirent *entry)
{
	if (entry->d_type == DT_REG)
		change_regular(dir, entry->d_name);
	else if (random() % 3 == 0)
		must(unlinkat(dir, entry->d_name, entry->d_type == DT_DIR ? AT_REMOVEDIR : 0),
			entry->d_name);
	else
		must(fchownat(dir, entry->d_name, 3, 4, AT_SYMLINK_NOFOLLOW), entry->d_name);
}

/* Changes entries of @dir, each with a chance of one in @sparseness, up to @left. */
static unsigned change_some(int dir, unsigned left, unsigned sparseness)
{
	DIR *stream = fdopendir(dir);
	struct dirent *entry;

	if (!stream)
		err(2, "churn: fdopendir");
	while (left && (entry = readdir(stream))) {
		bool dots = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");

		if (dots || (unsigned)random() % sparseness)
			continue;
		errno = 0;
		change(dir, entry);
		left--;
	}
	closedir(stream);
	return left;
}

static int open_directory(const char *path, unsigned number)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/%u", path, number);
	return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void log_churn(const char *path, unsigned seed, unsigned creates, unsigned changes)
{
	char name[PATH_MAX];
	int dir;

	srandom(seed);
	snprintf(name, sizeof(name), "%s/%u", path, seed);
	must(mkdir(name, 0755), name);
	dir = open_directory(path, seed);
	must(dir, name);
	for (unsigned i = 0; i < creates; i++)
		create(dir, seed, i);
	close(dir);
	for (unsigned number = seed; changes && number; number--) {
		dir = open_directory(path, number);
		if (dir >= 0)
			changes = change_some(dir, changes, 2);
	}
}
