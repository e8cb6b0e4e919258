/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of a mount that only their descriptor knows, and that end with it. */
#ifndef BASE_MOUNT_COPY_H
#define BASE_MOUNT_COPY_H

/*
 * Opens directory @fd anew for reading on a private copy of its mount: nothing is mounted on what
 * is below it, so that nothing is hidden. Takes CAP_SYS_ADMIN and Linux 5.2. Returns a descriptor,
 * on which *_at() calls and ioctls stay on the copy, or -errno (-EPERM, -ENOSYS).
 */
int mount_copy_open(int fd);

/*
 * The same, and no access time changes through it, also not by what the kernel reads by itself (of
 * directories by handle it looks for their names in their parents). Where the kernel cannot do that
 * (before Linux 5.12), the copy is like the mount.
 */
int mount_copy_open_quiet(int fd);

#endif
