// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See loop_file.h. /sys tells it to everybody, where the device itself tells only those who may
 * open it. Its list of XFS filesystems has those of all mount namespaces, and what was unmounted
 * lazily and is still held. The file is compared by its identity: it may have several names.
 */
#include "analyzer/scan/loop_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define MOUNTED "/sys/fs/xfs"

/* Reads /sys/block/@device/@name, without the end of its line. */
static bool read_attribute(const char *device, const char *name, char *value, size_t bytes)
{
	char path[PATH_MAX];
	FILE *in;
	size_t length;

	snprintf(path, sizeof(path), "/sys/block/%s/%s", device, name);
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

static bool shows_file(const char *loop, const struct stat *file)
{
	char path[PATH_MAX], offset[32];
	struct stat st;

	return read_attribute(loop, "loop/backing_file", path, sizeof(path)) &&
	       read_attribute(loop, "loop/offset", offset, sizeof(offset)) &&
	       !strcmp(offset, "0") && !stat(path, &st) && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
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

dev_t loop_mounted_from(const struct stat *file)
{
	DIR *mounted = opendir(MOUNTED);
	struct dirent *entry;
	dev_t found = 0;

	while (mounted && !found && (entry = readdir(mounted))) {
		if (!strncmp(entry->d_name, "loop", 4) && shows_file(entry->d_name, file))
			found = number_of(entry->d_name);
	}
	if (mounted)
		closedir(mounted);
	return found;
}
