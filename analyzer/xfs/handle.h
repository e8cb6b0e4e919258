/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inodes by handle: what a dump does to an inode that it knows by number only.
 *
 * A handle is the filesystem's identifier, an inode number and a generation. Opening by one walks
 * no path and asks no permission but CAP_SYS_ADMIN, and reads the inode if it is not in memory.
 */
#ifndef ANALYZER_XFS_HANDLE_H
#define ANALYZER_XFS_HANDLE_H

#include <stddef.h>
#include <stdint.h>

/* The part of a handle that is the same for all inodes of a filesystem. */
struct xfs_handle_base {
	int fd;         /* open on the filesystem, the caller's */
	int64_t fsid;   /* opaque */
	uint64_t inode; /* number of the inode that `fd` is open on */
};

/* A piece of a file as XFS_IOC_GETBMAPX tells it, in bytes. */
struct xfs_extent {
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint64_t disk_bytes; /* where on the device; 0 for a hole or unwritten space */
	int hole;            /* not 0: nothing is allocated there */
};

/* Extents that one call returns at most; xfsdump asks for as many. */
#define XFS_EXTENT_BATCH 511

/* Size of the buffer that xfsdump lists attributes into. */
#define XFS_ATTR_BUFFER_BYTES 65536

/* The namespaces of extended attributes, in the order in which xfsdump lists them. */
enum xfs_attr_namespace { XFS_ATTRS_USER, XFS_ATTRS_ROOT, XFS_ATTRS_SECURE, XFS_ATTR_NAMESPACES };

/* Where a list of attributes goes on; all zero at the start. */
struct xfs_attr_cursor {
	uint32_t opaque[4];
};

/*
 * Prepares handles of the filesystem that @fd is open on. Returns 0; -ENOTTY off XFS; -EPERM
 * without CAP_SYS_ADMIN.
 */
int xfs_handle_init(struct xfs_handle_base *base, int fd);

/*
 * Opens inode @ino of @generation read-only, without updating its access time; not for symbolic
 * links and special files. Returns a descriptor, or -ESTALE or -ENOENT if there is no such inode
 * (any more), or another negative errno.
 */
int xfs_handle_open(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation);

/*
 * As xfs_handle_open(), the root directory, also if no mount shows it. -EOPNOTSUPP where the kernel
 * does not tell which inode that is (before Linux 5.3).
 */
int xfs_handle_open_root(const struct xfs_handle_base *base);

/*
 * Reads a symbolic link's target, not NUL-terminated. Returns its length or a negative errno.
 */
int xfs_handle_readlink(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation,
	char *target, uint32_t target_bytes);

/*
 * Lists attributes of one namespace into @buffer of XFS_ATTR_BUFFER_BYTES (aligned to 8). Sets
 * @count to how many there are in it and @more if another call is needed. Returns 0 or a negative
 * errno.
 */
int xfs_handle_attrs(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation,
	enum xfs_attr_namespace attr_namespace, struct xfs_attr_cursor *cursor, void *buffer,
	unsigned *count, int *more);

/* Attribute @index of a buffer that xfs_handle_attrs() filled: its name, and its value's length. */
const char *xfs_attr_name(const void *buffer, unsigned index, uint32_t *value_bytes);

/* Reads the value of one attribute into @value. Returns its length or a negative errno. */
int xfs_handle_attr_value(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation,
	enum xfs_attr_namespace attr_namespace, const char *name, void *value,
	uint32_t value_bytes);

/*
 * Maps the file that @fd is open on, from @offset_bytes to its end: up to XFS_EXTENT_BATCH
 * extents and holes into @extents, their number into @count, 0 at the end. @scratch is for the
 * kernel's form of them, XFS_EXTENT_SCRATCH_BYTES. Data not yet on disk is written out first.
 * Returns 0 or a negative errno.
 */
#define XFS_EXTENT_SCRATCH_BYTES ((XFS_EXTENT_BATCH + 1) * 64)
int xfs_map_extents(
	int fd, uint64_t offset_bytes, void *scratch, struct xfs_extent *extents, unsigned *count);

#endif
