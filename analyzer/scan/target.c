// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See target.h. Which mount shows a directory is a question for the kernel: statx(2) gives the id
 * of the mount that an open descriptor belongs to, and that is the first field of a line of
 * /proc/self/mountinfo. So bind mounts, mounts over mounts and odd names need no guessing. Where
 * the kernel does not tell, the path is looked up in the table instead.
 *
 * A directory that a bind mount shows may be part of a filesystem that another mount shows whole.
 * The engines that count the whole of it name it by that one.
 *
 * A block device is the other way round: of all mounts with its number, one is taken that can be
 * reached (others may lie under another mount) and shows the filesystem's root. The table shows one
 * namespace; a device that is in none of its lines may be mounted in another.
 *
 * Whether it is XFS is asked of the filesystem itself. The mount table may be missing.
 */
#include "analyzer/scan/target.h"

#include "analyzer/scan/device_super.h"
#include "analyzer/scan/loop_file.h"
#include "analyzer/scan/trouble.h"
#include "analyzer/xfs/geometry.h"
#include "analyzer/xfs/in_use.h"
#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MOUNT_TABLE "/proc/self/mountinfo"

static int out_of_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* A call on @path failed. A directory that cannot even be opened is of a filesystem shut down. */
static int call_failed(int code, const char *path, struct err *err)
{
	return code == -EIO ? trouble_shut_down(err, path) : err_set_errno(err, code, "%s", path);
}

/* The id of the mount that @fd is in, or -1 if the kernel does not tell. */
static int mount_id_of(int fd)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) || !(stx.stx_mask & STATX_MNT_ID))
		return -1;
	return (int)stx.stx_mnt_id;
}

static struct libmnt_fs *find_by_id(struct libmnt_table *table, int id)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (iter && !found && !mnt_table_next_fs(table, iter, &fs)) {
		if (mnt_fs_get_id(fs) == id)
			found = fs;
	}
	mnt_free_iter(iter);
	return found;
}

static bool shows_root(struct libmnt_fs *fs)
{
	const char *root = mnt_fs_get_root(fs);

	return root && !strcmp(root, "/");
}

/*
 * Whether the path at which @fs is mounted leads to it and not to another mount above. One that has
 * shut down does not say; it is for open(2) to tell.
 */
static bool is_visible(struct libmnt_fs *fs)
{
	const char *path = mnt_fs_get_target(fs);
	struct statx stx;

	if (!path)
		return false;
	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &stx))
		return errno == EIO;
	if (stx.stx_mask & STATX_MNT_ID)
		return (int)stx.stx_mnt_id == mnt_fs_get_id(fs);
	return makedev(stx.stx_dev_major, stx.stx_dev_minor) == mnt_fs_get_devno(fs);
}

static int preference(struct libmnt_fs *fs)
{
	return 2 * is_visible(fs) + shows_root(fs);
}

/* The mount of block device @device: one to be seen, of its root if there is, the last of those. */
static struct libmnt_fs *find_by_device(struct libmnt_table *table, dev_t device)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_BACKWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (iter && !mnt_table_next_fs(table, iter, &fs)) {
		if (mnt_fs_get_devno(fs) != device)
			continue;
		if (!found || preference(fs) > preference(found))
			found = fs;
	}
	mnt_free_iter(iter);
	return found;
}

static struct libmnt_fs *find_by_directory(
	struct libmnt_table *table, const struct scan_target *target)
{
	int id = mount_id_of(target->fd);

	if (id >= 0)
		return find_by_id(table, id);
	return mnt_table_find_mountpoint(table, target->path, MNT_ITER_BACKWARD);
}

/* The mount that shows the whole of the XFS filesystem that @fs shows a part of; or @fs. */
static struct libmnt_fs *prefer_whole(struct libmnt_table *table, struct libmnt_fs *fs)
{
	const char *type = mnt_fs_get_fstype(fs);
	struct libmnt_fs *other;

	if (shows_root(fs) || !type || strcmp(type, "xfs") != 0)
		return fs;
	other = find_by_device(table, mnt_fs_get_devno(fs));
	return other && shows_root(other) && is_visible(other) ? other : fs;
}

/* The line of the target, NULL if there is none. */
static struct libmnt_fs *find_line(struct libmnt_table *table, const struct scan_target *target)
{
	return target->kind == TARGET_DEVICE ? find_by_device(table, target->device_number)
					     : find_by_directory(table, target);
}

/* The external log of what is mounted, if it has one. */
static int take_log_device(struct scan_target *target, struct libmnt_fs *fs, struct err *err)
{
	char *value;
	size_t bytes;

	if (mnt_fs_get_option(fs, "logdev", &value, &bytes) || !value || !bytes)
		return 0;
	target->log_device = strndup(value, bytes);
	return target->log_device ? 0 : out_of_memory(err);
}

/* Copies from the line @fs of the mount table what the target wants of it. */
static int take_mount(struct scan_target *target, struct libmnt_fs *fs, struct err *err)
{
	const char *mount_point = mnt_fs_get_target(fs);
	const char *source = mnt_fs_get_source(fs);
	const char *type = mnt_fs_get_fstype(fs);

	if (!mount_point)
		return 0;
	if (target->kind == TARGET_DEVICE && !is_visible(fs))
		return err_set(err, -EBUSY, "%s is mounted at %s, where another mount hides it",
			target->path, mount_point);
	target->mount_point = strdup(mount_point);
	if (source && !target->device)
		target->device = strdup(source);
	if (!target->mount_point || (source && !target->device))
		return out_of_memory(err);
	snprintf(target->fs_type, sizeof(target->fs_type), "%s", type ? type : "");
	target->shows_root = shows_root(fs);
	target->is_root = target->shows_root && (target->kind == TARGET_DEVICE ||
							!strcmp(target->path, target->mount_point));
	return take_log_device(target, fs, err);
}

/* Looks the target up in the mount table. A table that cannot be read is one without the target. */
static int find_mount(struct scan_target *target, struct err *err)
{
	struct libmnt_table *table = mnt_new_table_from_file(MOUNT_TABLE);
	struct libmnt_fs *fs;
	int rc = 0;

	if (!table)
		return 0;
	fs = find_line(table, target);
	if (fs && target->kind == TARGET_DIRECTORY)
		fs = prefer_whole(table, fs);
	if (fs)
		rc = take_mount(target, fs, err);
	mnt_unref_table(table);
	return rc;
}

static void take_geometry(struct scan_target *target, const struct xfs_geometry *geometry)
{
	target->is_xfs = true;
	snprintf(target->fs_type, sizeof(target->fs_type), "xfs");
	snprintf(target->fs_id, sizeof(target->fs_id), "%s", geometry->uuid);
	target->block_bytes = geometry->block_bytes;
	target->capacity_bytes = sat_mul_u64(geometry->data_blocks, geometry->block_bytes);
}

/* A lasting name for a filesystem that is not XFS, the device's number if it has no id. */
static void name_other(struct scan_target *target, const struct statfs *stat)
{
	int words[2];

	_Static_assert(sizeof(words) == sizeof(stat->f_fsid), "an fsid is two words");
	memcpy(words, &stat->f_fsid, sizeof(words));
	if (words[0] || words[1])
		snprintf(target->fs_id, sizeof(target->fs_id), "fsid:%08x%08x", (unsigned)words[0],
			(unsigned)words[1]);
	else
		snprintf(target->fs_id, sizeof(target->fs_id), "dev:%u:%u",
			major(target->device_number), minor(target->device_number));
}

static void take_statfs(struct scan_target *target, const struct statfs *stat)
{
	uint64_t block_bytes = stat->f_frsize ? (uint64_t)stat->f_frsize : (uint64_t)stat->f_bsize;

	name_other(target, stat);
	target->block_bytes = (uint32_t)min_u64(block_bytes, UINT32_MAX);
	target->capacity_bytes = sat_mul_u64(stat->f_blocks, block_bytes);
	target->inodes = stat->f_files > stat->f_ffree ? stat->f_files - stat->f_ffree : 0;
}

/* Asks the mounted filesystem that fd is open on. */
static int describe_mounted(struct scan_target *target, struct err *err)
{
	struct xfs_geometry geometry;
	struct statfs stat;

	if (fstatfs(target->fd, &stat))
		return call_failed(-errno, target->path, err);
	if (xfs_geometry_get(target->fd, &geometry)) {
		take_statfs(target, &stat);
		return 0;
	}
	take_geometry(target, &geometry);
	if (xfs_inodes_in_use(target->fd, &target->inodes))
		target->inodes = 0;
	return 0;
}

/*
 * A device that is mounted where this process does not see it is no device at rest, and there is no
 * way to ask its filesystem.
 */
static int check_at_rest(const struct scan_target *target, struct err *err)
{
	char name[NAME_MAX + 1], folder[PATH_MAX];

	if (!xfs_is_in_use(target->device_number, name))
		return 0;
	if (!xfs_sysfs_folder(target->device_number, folder) && strcmp(basename(folder), name) != 0)
		return err_set(err, -EBUSY,
			"%s is in use: it is a part of %s, whose filesystem is mounted; scan that",
			target->path, name);
	return err_set(err, -EBUSY,
		"%s is in use: the filesystem on %s is mounted where it cannot be seen from here "
		"(another mount namespace, or a lazy unmount); scan it from there, or a snapshot",
		target->path, name);
}

/* What a copy of the superblock tells where the superblock is damaged: 1, or 0 if there is none. */
static int take_copy(const struct scan_target *target, struct xfs_geometry *geometry)
{
	struct device_source source;
	struct disk_super super;
	struct err ignored = {0};
	int rc = device_source_open(&source, target->path, 0, DEVICE_CACHING_BUFFERED, &ignored);

	if (rc)
		return 0;
	rc = device_super_read(&super, &source, true, &ignored);
	device_source_close(&source);
	if (rc || !super.copy_agno)
		return 0;
	xfs_uuid_format(super.uuid, geometry->uuid);
	geometry->block_bytes = super.block_bytes;
	geometry->data_blocks = super.data_blocks;
	return 1;
}

/* Reads the superblock of a device or image that is not mounted. */
static int describe_unmounted(struct scan_target *target, struct err *err)
{
	struct xfs_geometry geometry;
	int rc = xfs_geometry_read(target->fd, &geometry, &target->inodes);

	target->is_root = true;
	if ((!rc || rc == -EUCLEAN) && take_copy(target, &geometry))
		rc = 0;
	if (!rc)
		take_geometry(target, &geometry);
	else if (rc == -EUCLEAN)
		return err_set(err, rc, "%s: the XFS superblock is damaged; try xfs_repair -n",
			target->path);
	else if (rc != -ENOTTY)
		return err_set_errno(err, rc, "%s: cannot read the superblock", target->path);
	return 0;
}

static int open_fd(struct scan_target *target, const char *path, struct err *err)
{
	target->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (target->fd < 0)
		return call_failed(-errno, path, err);
	return 0;
}

static int open_directory(struct scan_target *target, struct err *err)
{
	int rc = open_fd(target, target->path, err);

	if (!rc)
		rc = find_mount(target, err);
	return rc ? rc : describe_mounted(target, err);
}

/* Where a device is mounted there may be something else once that is opened. */
static int check_mounted_there(const struct scan_target *target, struct err *err)
{
	struct stat st;

	if (fstat(target->fd, &st) || st.st_dev == target->device_number)
		return 0;
	return err_set(
		err, -EBUSY, "%s was mounted and unmounted just now; scan it again", target->path);
}

static int open_device(struct scan_target *target, struct err *err)
{
	int rc;

	target->device = strdup(target->path);
	if (!target->device)
		return out_of_memory(err);
	rc = find_mount(target, err);
	if (!rc && !target->mount_point)
		rc = check_at_rest(target, err);
	if (rc)
		return rc;
	rc = open_fd(target, target->mount_point ? target->mount_point : target->path, err);
	if (!rc && target->mount_point)
		rc = check_mounted_there(target, err);
	if (rc)
		return rc;
	return target->mount_point ? describe_mounted(target, err)
				   : describe_unmounted(target, err);
}

/* The device or image becomes the loop device that it is mounted through. */
static int open_loop(struct scan_target *target, dev_t loop, struct err *err)
{
	target->image = target->path;
	if (asprintf(&target->path, "/dev/loop%u", minor(loop)) < 0) {
		target->path = NULL;
		return out_of_memory(err);
	}
	target->kind = TARGET_DEVICE;
	target->device_number = loop;
	return open_device(target, err);
}

static int open_image(struct scan_target *target, struct err *err)
{
	int rc = open_fd(target, target->path, err);

	if (rc)
		return rc;
	target->device = strdup(target->path);
	return target->device ? describe_unmounted(target, err) : out_of_memory(err);
}

/* The mounted loop device that shows what is not mounted itself; 0 if there is none. */
static dev_t loop_in_place_of(const struct stat *st)
{
	char name[NAME_MAX + 1];

	if (!S_ISREG(st->st_mode) && (!S_ISBLK(st->st_mode) || xfs_is_in_use(st->st_rdev, name)))
		return 0;
	return loop_mounted_from(st);
}

static int open_by_type(struct scan_target *target, struct err *err)
{
	struct stat st;
	dev_t loop;

	if (stat(target->path, &st))
		return call_failed(-errno, target->path, err);
	loop = loop_in_place_of(&st);
	if (loop)
		return open_loop(target, loop, err);
	switch (st.st_mode & S_IFMT) {
	case S_IFDIR:
		target->kind = TARGET_DIRECTORY;
		target->device_number = st.st_dev;
		return open_directory(target, err);
	case S_IFBLK:
		target->kind = TARGET_DEVICE;
		target->device_number = st.st_rdev;
		return open_device(target, err);
	case S_IFREG:
		target->kind = TARGET_IMAGE;
		return open_image(target, err);
	default:
		return err_set(err, -ENOTDIR,
			"%s is neither a directory, a block device nor an image file",
			target->path);
	}
}

int target_open(struct scan_target *target, const char *path, struct err *err)
{
	int rc;

	*target = (struct scan_target){.fd = -1};
	target->path = realpath(path, NULL);
	if (!target->path)
		return call_failed(-errno, path, err);
	rc = open_by_type(target, err);
	if (rc)
		target_close(target);
	return rc;
}

int target_set_log_device(struct scan_target *target, const char *path, struct err *err)
{
	if (target->kind == TARGET_DIRECTORY || target->mount_point)
		return err_set(err, -EINVAL,
			"--log-device: %s is mounted, and the mount table says where its log is",
			target->path);
	target->log_device = strdup(path);
	return target->log_device ? 0 : out_of_memory(err);
}

/*
 * Options of the filesystem are the same in all its lines. statfs(2) says so of a mount that is
 * read-only too, beside which the filesystem may be written to through another.
 */
bool target_is_read_only(const struct scan_target *target)
{
	struct libmnt_table *table = mnt_new_table_from_file(MOUNT_TABLE);
	struct libmnt_fs *fs = table ? find_line(table, target) : NULL;
	const char *options = fs ? mnt_fs_get_fs_options(fs) : NULL;
	bool result = options && !mnt_optstr_get_option(options, "ro", NULL, NULL);
	mnt_unref_table(table);
	return result;
}

void target_close(struct scan_target *target)
{
	free(target->path);
	free(target->mount_point);
	free(target->image);
	free(target->device);
	free(target->log_device);
	if (target->fd >= 0)
		close(target->fd);
	*target = (struct scan_target){.fd = -1};
}
