// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See loop_file.h. /sys tells it to everybody, where the device itself tells only those who may
 * open it. The file is compared by its identity: it may have several names.
 */
#include "analyzer/scan/loop_file.h"

#include <limits.h>
#include <linux/major.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Reads the attribute @name of loop device @device, without the end of its line. */
static bool read_attribute(dev_t device, const char *name, char *value, size_t bytes)
{
	char path[64];
	FILE *in;
	size_t length;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/loop/%s", major(device), minor(device),
		name);
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

bool loop_shows_file(dev_t device, const struct stat *file)
{
	char path[PATH_MAX], offset[32];
	struct stat st;

	return major(device) == LOOP_MAJOR &&
	       read_attribute(device, "backing_file", path, sizeof(path)) &&
	       read_attribute(device, "offset", offset, sizeof(offset)) && !strcmp(offset, "0") &&
	       !stat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}
