// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See in_use.h. A mount table shows the mounts of one namespace. sysfs knows no such limits: XFS
 * has a folder in /sys/fs/xfs from the first mount of a filesystem till the last user is gone. It
 * is named as the block device is in sysfs: the last part of where /sys/dev/block/MAJOR:MINOR
 * leads. Asking for the device with O_EXCL would tell as much, but could make somebody's mount
 * fail, and another scan look like a mount.
 */
#include "analyzer/xfs/in_use.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Devices on devices on devices: more than anybody stacks, but loops would end too. */
#define STACK_LIMIT 8

static int name_of(dev_t device, char name[static NAME_MAX + 1])
{
	char link[64], target[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	snprintf(name, NAME_MAX + 1, "%s", basename(target));
	return 0;
}

static void folder_of(const char *name, char folder[static PATH_MAX])
{
	snprintf(folder, PATH_MAX, "/sys/fs/xfs/%s", name);
}

int xfs_sysfs_folder(dev_t device, char folder[static PATH_MAX])
{
	char name[NAME_MAX + 1];
	int rc = name_of(device, name);

	if (!rc)
		folder_of(name, folder);
	return rc;
}

static bool is_at_work(char name[static NAME_MAX + 1], unsigned depth);

/* Whether one of the devices on @name is; that one's name is @name then. */
static bool holder_is_at_work(char name[static NAME_MAX + 1], unsigned depth)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *holders;

	snprintf(path, sizeof(path), "/sys/class/block/%s/holders", name);
	holders = opendir(path);
	while (holders && !found && (entry = readdir(holders))) {
		char holder[NAME_MAX + 1];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(holder, sizeof(holder), "%s", entry->d_name);
		found = is_at_work(holder, depth + 1);
		if (found)
			memcpy(name, holder, sizeof(holder));
	}
	if (holders)
		closedir(holders);
	return found;
}

static bool is_at_work(char name[static NAME_MAX + 1], unsigned depth)
{
	char folder[PATH_MAX];

	folder_of(name, folder);
	return !access(folder, F_OK) || (depth < STACK_LIMIT && holder_is_at_work(name, depth));
}

bool xfs_is_in_use(dev_t device, char name[static NAME_MAX + 1])
{
	return !name_of(device, name) && is_at_work(name, 0);
}
