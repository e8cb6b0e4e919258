// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See file_attributes.h. The system call has the same number on all architectures and is called by
 * it, since the C library does not know it yet.
 */
#include "analyzer/scan/file_attributes.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_file_getattr
#define SYS_file_getattr 468
#endif

/* struct file_attr of <linux/fs.h>, Linux 6.17. */
struct kernel_file_attr {
	uint64_t xflags;
	uint32_t extent_size;
	uint32_t extents;
	uint32_t projid;
	uint32_t cow_extent_size;
};

static int get_by_name(int fd, const char *name, struct file_attributes *attributes)
{
	struct kernel_file_attr attr = {0};
	unsigned flags = *name ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;

	if (syscall(SYS_file_getattr, fd, name, &attr, sizeof(attr), flags))
		return -errno;
	attributes->xflags = (uint32_t)attr.xflags;
	attributes->extents = attr.extents;
	attributes->projid = attr.projid;
	return 0;
}

static int get_by_fd(int fd, struct file_attributes *attributes)
{
	struct fsxattr attr = {0};

	if (ioctl(fd, FS_IOC_FSGETXATTR, &attr))
		return -errno;
	attributes->xflags = attr.fsx_xflags;
	attributes->extents = attr.fsx_nextents;
	attributes->projid = attr.fsx_projid;
	return 0;
}

static int get_by_open(int fd, const char *name, struct file_attributes *attributes)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	autoclose int file = openat(fd, name, flags | O_NOATIME);

	if (file < 0 && errno == EPERM)
		file = openat(fd, name, flags);
	return file < 0 ? -errno : get_by_fd(file, attributes);
}

enum file_attributes_way file_attributes_probe(int fd)
{
	struct file_attributes attributes;

	if (!get_by_name(fd, "", &attributes))
		return ATTRIBUTES_BY_NAME;
	return get_by_fd(fd, &attributes) ? ATTRIBUTES_NONE : ATTRIBUTES_BY_OPEN;
}

int file_attributes_get(enum file_attributes_way way, int fd, const char *name, uint16_t mode,
	struct file_attributes *attributes)
{
	if (way == ATTRIBUTES_BY_NAME)
		return get_by_name(fd, name, attributes);
	if (way == ATTRIBUTES_NONE || !(S_ISREG(mode) || S_ISDIR(mode)))
		return -EOPNOTSUPP;
	return *name ? get_by_open(fd, name, attributes) : get_by_fd(fd, attributes);
}
