// SPDX-License-Identifier: GPL-2.0-or-later
/* See mount_copy.h, and open_tree(2) and mount_setattr(2), which it is made of. */
#include "base/mount_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of <linux/mount.h>, which does not go with the headers of all C libraries. */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#define CLONE_TREE   1
#define ATTR_ATIMES  0x70 /* of which one holds */
#define ATTR_NOATIME 0x10

struct attributes {
	uint64_t set, clear, propagation, user_namespace;
};

static int open_copy(int fd, bool quiet)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	const struct attributes noatime = {.set = ATTR_NOATIME, .clear = ATTR_ATIMES};
	int tree = (int)syscall(SYS_open_tree, fd, "", CLONE_TREE | O_CLOEXEC | AT_EMPTY_PATH);
	int copy;

	if (tree < 0)
		return -errno;
	if (quiet)
		syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &noatime, sizeof(noatime));
	copy = openat(tree, ".", flags | O_NOATIME);
	/* only the owner and who may do as owners do (CAP_FOWNER) leave the access time alone */
	if (copy < 0 && errno == EPERM)
		copy = openat(tree, ".", flags);
	if (copy < 0)
		copy = -errno;
	close(tree);
	return copy;
}

int mount_copy_open(int fd)
{
	return open_copy(fd, false);
}

int mount_copy_open_quiet(int fd)
{
	return open_copy(fd, true);
}
