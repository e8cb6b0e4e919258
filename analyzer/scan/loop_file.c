// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See loop_file.h. /sys tells it to everybody, where the device itself tells only those who may
 * open it. Its list of XFS filesystems has those of all mount namespaces, and what was unmounted
 * lazily and is still held. A file is compared by its identity, as it may have several names, a
 * device by its number.
 */
#include "analyzer/scan/loop_file.h"

#include "analyzer/xfs/in_use.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define DISKS "/sys/block"

/* Loop devices on loop devices: more than anybody stacks. */
#define STACK_LIMIT 8

/* Reads /sys/block/@device/@name, without the end of its line. */
static bool read_attribute(const char *device, const char *name, char *value, size_t bytes)
{
	char path[PATH_MAX];
	FILE *in;
	size_t length;

	snprintf(path, sizeof(path), DISKS "/%s/%s", device, name);
	in = fopen(path, "re");
	if (!in)
		return false;
	length = fread(value, 1, bytes - 1, in);
	fclose(in);
	value[length] = '\0';
	if (length && value[length - 1] == '\n')
		value[length - 1] = '\0';
	return length;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) || S_ISBLK(b->st_mode))
		return S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode) && a->st_rdev == b->st_rdev;
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool shows_file(const char *loop, const struct stat *file)
{
	char path[PATH_MAX], offset[32];
	struct stat st;

	return read_attribute(loop, "loop/backing_file", path, sizeof(path)) &&
	       read_attribute(loop, "loop/offset", offset, sizeof(offset)) &&
	       !strcmp(offset, "0") && !stat(path, &st) && is_same(&st, file);
}

static dev_t number_of(const char *loop)
{
	unsigned major_number, minor_number;
	char text[32];

	if (!read_attribute(loop, "dev", text, sizeof(text)) ||
		sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
		return 0;
	return makedev(major_number, minor_number);
}

static dev_t find(const struct stat *file, unsigned depth);

/* The device with number @loop, if it is mounted, or a loop device on it that is; else 0. */
static dev_t find_on(dev_t loop, unsigned depth)
{
	const struct stat device = {.st_mode = S_IFBLK, .st_rdev = loop};
	char name[NAME_MAX + 1];

	if (!loop || xfs_is_in_use(loop, name))
		return loop;
	return depth < STACK_LIMIT ? find(&device, depth + 1) : 0;
}

static dev_t find(const struct stat *file, unsigned depth)
{
	DIR *disks = opendir(DISKS);
	struct dirent *entry;
	dev_t found = 0;

	while (disks && !found && (entry = readdir(disks))) {
		if (!strncmp(entry->d_name, "loop", 4) && shows_file(entry->d_name, file))
			found = find_on(number_of(entry->d_name), depth);
	}
	if (disks)
		closedir(disks);
	return found;
}

dev_t loop_mounted_from(const struct stat *file)
{
	return find(file, 0);
}
