// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See twin.h. The kernel refuses a second mount with a UUID that is mounted, unless told "nouuid".
 * So only mounts are asked where either of the two has that option; others are left alone.
 */
#include "analyzer/scan/twin.h"

#include "analyzer/xfs/geometry.h"
#include "base/cleanup.h"

#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MOUNT_TABLE "/proc/self/mountinfo"

static bool has_nouuid(struct libmnt_fs *fs)
{
	return !mnt_fs_get_option(fs, "nouuid", NULL, NULL);
}

static bool is_xfs(struct libmnt_fs *fs)
{
	const char *type = mnt_fs_get_fstype(fs);

	return type && !strcmp(type, "xfs");
}

/* Whether the origin of @target may be mounted without an option that tells. */
static bool may_be_clone(struct libmnt_table *table, const struct scan_target *target)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	bool may_be = !target->mount_point;
	struct libmnt_fs *fs;

	while (iter && !may_be && !mnt_table_next_fs(table, iter, &fs))
		may_be = mnt_fs_get_devno(fs) == target->device_number && has_nouuid(fs);
	mnt_free_iter(iter);
	return may_be;
}

/* Whether what is mounted as @fs, and can be seen there, is a filesystem with UUID @uuid. */
static bool has_uuid(struct libmnt_fs *fs, const char *uuid)
{
	const char *path = mnt_fs_get_target(fs);
	struct xfs_geometry geometry;
	autoclose int fd = -1;
	struct stat st;

	fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return fd >= 0 && !fstat(fd, &st) && st.st_dev == mnt_fs_get_devno(fs) &&
	       !xfs_geometry_get(fd, &geometry) && !strcmp(geometry.uuid, uuid);
}

static struct libmnt_fs *find_twin(struct libmnt_table *table, const struct scan_target *target)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	bool is_clone = may_be_clone(table, target);
	struct libmnt_fs *fs, *found = NULL;

	while (iter && !found && !mnt_table_next_fs(table, iter, &fs)) {
		if (is_xfs(fs) && mnt_fs_get_devno(fs) != target->device_number &&
			(is_clone || has_nouuid(fs)) && has_uuid(fs, target->fs_id))
			found = fs;
	}
	mnt_free_iter(iter);
	return found;
}

char *twin_of(const struct scan_target *target)
{
	struct libmnt_table *table;
	struct libmnt_fs *twin;
	char *text = NULL;

	if (!target->is_xfs || target->kind == TARGET_IMAGE)
		return NULL;
	table = mnt_new_table_from_file(MOUNT_TABLE);
	twin = table ? find_twin(table, target) : NULL;
	if (twin && asprintf(&text, "%s at %s", mnt_fs_get_source(twin) ?: "a device",
			    mnt_fs_get_target(twin)) < 0)
		text = NULL;
	mnt_unref_table(table);
	return text;
}
