// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Head and tail of a mounted log, as the kernel tells in /sys/fs/xfs/<device>/log. The folder is
 * named as the block device is in sysfs: the last part of where /sys/dev/block/MAJOR:MINOR leads.
 *
 * The head is read first. Read later, the tail can only lie further on, which is right at any time:
 * all before it is in its place. The other way round the head could be more than a lap ahead of it.
 */
#include "analyzer/xfs/log/log.h"
#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Reads "cycle:block", two numbers that the kernel prints as signed. */
static int read_position(const char *path, struct log_position *position, struct err *err)
{
	FILE *file = fopen(path, "re");
	long long cycle, block;
	int rc = 0;

	if (!file)
		return err_set_errno(err, -errno, "%s", path);
	if (fscanf(file, "%lld:%lld", &cycle, &block) != 2 || cycle < INT32_MIN ||
		cycle > UINT32_MAX || block < 0 || block > UINT32_MAX)
		rc = err_set(err, -EINVAL, "%s does not tell a place as CYCLE:BLOCK", path);
	else
		*position = (struct log_position){(uint32_t)cycle, (uint32_t)block};
	fclose(file);
	return rc;
}

int log_range_folder(const char *folder, struct log_range *range, struct err *err)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/log_head_lsn", folder);
	rc = read_position(path, &range->head, err);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/log_tail_lsn", folder);
	return read_position(path, &range->tail, err);
}

int log_range_mounted(dev_t device, struct log_range *range, struct err *err)
{
	char link[64], target[PATH_MAX], folder[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return err_set_errno(err, -errno, "%s", link);
	target[length] = '\0';
	snprintf(folder, sizeof(folder), "/sys/fs/xfs/%s/log", basename(target));
	return log_range_folder(folder, range, err);
}
