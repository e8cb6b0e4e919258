// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See handle.h. The ioctls are called directly: libhandle keeps a table of filesystems of its own
 * in global state and needs a path for what a descriptor tells as well.
 */
#include "analyzer/xfs/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>

#include <xfs/xfs.h>

#define SECTOR_BYTES 512

_Static_assert(sizeof(struct getbmapx) <= 64, "XFS_EXTENT_SCRATCH_BYTES is too small");

int xfs_handle_init(struct xfs_handle_base *base, int fd)
{
	xfs_handle_t handle = {0};
	__u32 handle_bytes = sizeof(handle);
	struct xfs_fsop_handlereq request = {
		.fd = (__u32)fd, .ohandle = &handle, .ohandlen = &handle_bytes};

	if (ioctl(fd, XFS_IOC_FD_TO_HANDLE, &request))
		return -errno;
	*base = (struct xfs_handle_base){
		.fd = fd, .fsid = handle.ha_u.align, .inode = handle.ha_fid.fid_ino};
	return 0;
}

static xfs_handle_t make_handle(
	const struct xfs_handle_base *base, uint64_t ino, uint32_t generation)
{
	xfs_handle_t handle = {.ha_u.align = base->fsid};

	handle.ha_fid.fid_len = sizeof(handle.ha_fid) - sizeof(handle.ha_fid.fid_len);
	handle.ha_fid.fid_gen = generation;
	handle.ha_fid.fid_ino = ino;
	return handle;
}

int xfs_handle_open(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation)
{
	xfs_handle_t handle = make_handle(base, ino, generation);
	struct xfs_fsop_handlereq request = {
		.oflags = O_RDONLY | O_NOATIME | O_CLOEXEC | O_LARGEFILE,
		.ihandle = &handle,
		.ihandlen = sizeof(handle),
	};
	int fd = ioctl(base->fd, XFS_IOC_OPEN_BY_HANDLE, &request);

	return fd < 0 ? -errno : fd;
}

int xfs_handle_open_root(const struct xfs_handle_base *base)
{
	union {
		struct xfs_bulkstat_req request;
		char space[XFS_BULKSTAT_REQ_SIZE(1)];
	} any = {.request.hdr = {
			 .ino = XFS_BULK_IREQ_SPECIAL_ROOT,
			 .icount = 1,
			 .flags = XFS_BULK_IREQ_SPECIAL,
		 }};
	const struct xfs_bulkstat *root = any.request.bulkstat;

	if (ioctl(base->fd, XFS_IOC_BULKSTAT, &any.request))
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	if (any.request.hdr.ocount != 1)
		return -EOPNOTSUPP;
	return xfs_handle_open(base, root->bs_ino, root->bs_gen);
}

int xfs_handle_readlink(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation,
	char *target, uint32_t target_bytes)
{
	xfs_handle_t handle = make_handle(base, ino, generation);
	struct xfs_fsop_handlereq request = {
		.oflags = O_RDONLY,
		.ihandle = &handle,
		.ihandlen = sizeof(handle),
		.ohandle = target,
		.ohandlen = &target_bytes,
	};
	int length = ioctl(base->fd, XFS_IOC_READLINK_BY_HANDLE, &request);

	return length < 0 ? -errno : length;
}

static __u32 namespace_flags(enum xfs_attr_namespace attr_namespace)
{
	switch (attr_namespace) {
	case XFS_ATTRS_ROOT:
		return XFS_IOC_ATTR_ROOT;
	case XFS_ATTRS_SECURE:
		return XFS_IOC_ATTR_SECURE;
	default:
		return 0;
	}
}

int xfs_handle_attrs(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation,
	enum xfs_attr_namespace attr_namespace, struct xfs_attr_cursor *cursor, void *buffer,
	unsigned *count, int *more)
{
	const struct xfs_attrlist *list = buffer;
	xfs_handle_t handle = make_handle(base, ino, generation);
	struct xfs_fsop_attrlist_handlereq request = {
		.hreq = {.oflags = O_RDONLY, .ihandle = &handle, .ihandlen = sizeof(handle)},
		.flags = namespace_flags(attr_namespace),
		.buflen = XFS_ATTR_BUFFER_BYTES,
		.buffer = buffer,
	};

	memcpy(&request.pos, cursor, sizeof(request.pos));
	if (ioctl(base->fd, XFS_IOC_ATTRLIST_BY_HANDLE, &request))
		return -errno;
	memcpy(cursor, &request.pos, sizeof(request.pos));
	*count = list->al_count > 0 ? (unsigned)list->al_count : 0;
	*more = list->al_more;
	return 0;
}

const char *xfs_attr_name(const void *buffer, unsigned index, uint32_t *value_bytes)
{
	const struct xfs_attrlist *list = buffer;
	const char *entry = (const char *)buffer + (&list->al_offset[0])[index];

	memcpy(value_bytes, entry, sizeof(*value_bytes));
	return entry + offsetof(struct xfs_attrlist_ent, a_name);
}

int xfs_handle_attr_value(const struct xfs_handle_base *base, uint64_t ino, uint32_t generation,
	enum xfs_attr_namespace attr_namespace, const char *name, void *value, uint32_t value_bytes)
{
	xfs_handle_t handle = make_handle(base, ino, generation);
	struct xfs_attr_multiop get = {
		.am_opcode = ATTR_OP_GET,
		.am_attrname = (void *)(uintptr_t)name,
		.am_attrvalue = value,
		.am_length = value_bytes,
		.am_flags = namespace_flags(attr_namespace),
	};
	struct xfs_fsop_attrmulti_handlereq request = {
		.hreq = {.oflags = O_RDONLY, .ihandle = &handle, .ihandlen = sizeof(handle)},
		.opcount = 1,
		.ops = &get,
	};

	if (ioctl(base->fd, XFS_IOC_ATTRMULTI_BY_HANDLE, &request))
		return -errno;
	/* The kernel stores a negative errno here, or a positive one in old versions. */
	if (get.am_error)
		return get.am_error < 0 ? get.am_error : -get.am_error;
	return (int)get.am_length;
}

static struct xfs_extent from_bmap(const struct getbmapx *map)
{
	return (struct xfs_extent){
		.offset_bytes = (uint64_t)map->bmv_offset * SECTOR_BYTES,
		.length_bytes = (uint64_t)map->bmv_length * SECTOR_BYTES,
		.disk_bytes = map->bmv_block > 0 ? (uint64_t)map->bmv_block * SECTOR_BYTES : 0,
		.hole = map->bmv_block == -1,
	};
}

int xfs_map_extents(
	int fd, uint64_t offset_bytes, void *scratch, struct xfs_extent *extents, unsigned *count)
{
	struct getbmapx *map = scratch;

	memset(&map[0], 0, sizeof(map[0]));
	map[0].bmv_offset = (__s64)(offset_bytes / SECTOR_BYTES);
	map[0].bmv_length = -1;
	map[0].bmv_count = XFS_EXTENT_BATCH + 1;
	if (ioctl(fd, XFS_IOC_GETBMAPX, map))
		return -errno;
	if (map[0].bmv_entries < 0 || map[0].bmv_entries > XFS_EXTENT_BATCH)
		return -EIO;
	*count = (unsigned)map[0].bmv_entries;
	for (unsigned i = 0; i < *count; i++)
		extents[i] = from_bmap(&map[1 + i]);
	return 0;
}
