// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Head and tail of a mounted log, as the kernel tells in /sys/fs/xfs/<device>/log.
 *
 * The head is read first. Read later, the tail can only lie further on, which is right at any time:
 * all before it is in its place. The other way round the head could be more than a lap ahead of it.
 */
#include "analyzer/xfs/in_use.h"
#include "analyzer/xfs/log/log.h"
#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sysmacros.h>

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
	char folder[PATH_MAX], log[PATH_MAX + 4];
	int rc = xfs_sysfs_folder(device, folder);

	if (rc)
		return err_set_errno(err, rc, "block device %u:%u in /sys/dev/block", major(device),
			minor(device));
	snprintf(log, sizeof(log), "%s/log", folder);
	return log_range_folder(log, range, err);
}
