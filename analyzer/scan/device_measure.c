// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_measure.h. An inode of 512 bytes has room for 21 extents or about 300 bytes of
 * attributes. Extents that lie elsewhere are not read for this, but estimated as dump_stream.h
 * does; attributes are (device_attrs.h).
 */
#include "analyzer/scan/device_measure.h"

#include "analyzer/xfs/disk/attr.h"
#include "analyzer/xfs/disk/fork.h"
#include "base/checked.h"

#include <linux/fs.h>
#include <sys/stat.h>

/* Sums up attributes; false where they cannot be seen. */
static bool sum_attrs(const struct disk_super *super, const struct xfs_inode *inode,
	const void *buffer, struct dump_measure *measure)
{
	struct disk_attr_reader reader;
	struct disk_attr attr;
	int rc = disk_attr_open(&reader, super, inode, buffer);

	measure->attrs = rc == DISK_ATTR_BLOCKS ? DUMP_ATTRS_BLOCKS : DUMP_ATTRS_INLINE;
	if (rc < 0 || rc == DISK_ATTR_BLOCKS)
		return false;
	measure->attr_bytes = inode->attr_fork ? DUMP_STREAM_EMPTY_ATTRS_BYTES : 0;
	while ((rc = disk_attr_next(&reader, &attr)) > 0)
		if (!attr.is_hidden)
			measure->attr_bytes +=
				dump_stream_attr_bytes(attr.name_bytes, attr.value_bytes);
	if (rc < 0)
		return false;
	measure->attrs = DUMP_ATTRS_SEEN;
	return true;
}

/* The extents are in the inode, or else it does not tell where they are. */
static bool open_extents(struct disk_fork *fork, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct err *err)
{
	err->code = 0;
	return !(inode->xflags & FS_XFLAG_REALTIME) &&
	       !disk_fork_data(fork, super, inode, buffer, err) && fork->form == DISK_FORK_EXTENTS;
}

/* Lays out a file of which @fork has the extents; DUMP_NOT_MEASURED where they make no sense. */
static uint64_t lay_out(struct dump_position *position, const struct disk_super *super,
	const struct disk_fork *fork)
{
	struct err err; /* nobody reads it: what makes no sense is told elsewhere */
	struct dump_layout layout;
	uint64_t least = 0;

	err.code = 0;
	dump_layout_begin(&layout, position, fork->size_bytes);
	for (uint64_t i = 0; i < fork->extents; i++) {
		struct disk_extent extent;

		if (disk_fork_extent(&extent, super, fork, i, least, &err)) {
			position->is_known = false;
			return DUMP_NOT_MEASURED;
		}
		least = extent.offset + extent.count;
		dump_layout_extent(&layout, sat_mul_u64(extent.offset, super->block_bytes),
			(uint64_t)extent.count << super->block_log);
	}
	return dump_layout_end(&layout);
}

/* Only where data is aligned does it matter where the stream is. */
static void measure_file(struct device_positions *positions, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct dump_measure *measure)
{
	struct disk_fork fork;
	struct err err;

	if (!open_extents(&fork, super, inode, buffer, &err)) {
		positions->all.is_known = positions->bare.is_known = false;
		return;
	}
	measure->stream_bytes = lay_out(&positions->all, super, &fork);
	measure->bare_bytes = measure->stream_bytes;
	if (measure->stream_bytes < DUMP_STREAM_ALIGN_FROM_BYTES)
		dump_position_pass(&positions->bare, measure->stream_bytes);
	else
		measure->bare_bytes = lay_out(&positions->bare, super, &fork);
}

void device_measure(struct device_positions *positions, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer, struct dump_measure *measure)
{
	bool sees_attrs = sum_attrs(super, inode, buffer, measure);

	measure->stream_bytes = measure->bare_bytes = DUMP_NOT_MEASURED;
	if (!inode->nlink || S_ISDIR(inode->mode))
		return;
	if (S_ISREG(inode->mode)) {
		measure_file(positions, super, inode, buffer, measure);
	} else {
		measure->stream_bytes = S_ISLNK(inode->mode)
						? dump_stream_symlink_bytes(inode->size_bytes)
						: DUMP_STREAM_FILE_BYTES;
		measure->bare_bytes = measure->stream_bytes;
		dump_position_pass(&positions->all, measure->stream_bytes);
		dump_position_pass(&positions->bare, measure->stream_bytes);
	}
	dump_position_pass(&positions->all, measure->attr_bytes);
	positions->all.is_known = positions->all.is_known && sees_attrs;
}
