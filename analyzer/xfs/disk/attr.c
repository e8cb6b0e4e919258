// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See attr.h. In the inode there is a head of 4 bytes, its size in two and the number of attributes
 * in one; then for each the length of name and value, a byte each, a byte of flags, and both.
 */
#include "analyzer/xfs/disk/attr.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk_compat.h"

#include <errno.h>

#define INODE(buffer, field) DISK_FIELD(buffer, struct xfs_dinode, field)

#define HEAD_BYTES       4
#define HEAD_COUNT_AT    2
#define ENTRY_HEAD_BYTES 3

/* Flags of what no list shows: parent pointers, and what is being made or removed. */
#define HIDDEN_FLAGS (0x08 | 0x80)

static int open_local(struct disk_attr_reader *reader, const uint8_t *fork, size_t room)
{
	size_t bytes = room < HEAD_BYTES ? 0 : disk_be16(fork);

	if (bytes < HEAD_BYTES || bytes > room)
		return -EUCLEAN;
	reader->at = fork + HEAD_BYTES;
	reader->end = fork + bytes;
	reader->left = fork[HEAD_COUNT_AT];
	return DISK_ATTR_LOCAL;
}

int disk_attr_open(struct disk_attr_reader *reader, const struct disk_super *super,
	const struct xfs_inode *inode, const void *buffer)
{
	size_t core = super->v5 ? sizeof(struct xfs_dinode) : offsetof(struct xfs_dinode, di_crc);
	size_t start = core + INODE(buffer, di_forkoff) * 8U;

	*reader = (struct disk_attr_reader){0};
	if (!inode->attr_fork)
		return DISK_ATTR_NONE;
	if (start >= super->inode_bytes)
		return -EUCLEAN;
	if (INODE(buffer, di_aformat) == XFS_DINODE_FMT_LOCAL)
		return open_local(reader, disk_at(buffer, start), super->inode_bytes - start);
	return inode->attr_extents ? DISK_ATTR_BLOCKS : DISK_ATTR_NONE;
}

int disk_attr_next(struct disk_attr_reader *reader, struct disk_attr *attr)
{
	size_t room = (size_t)(reader->end - reader->at), bytes;

	if (!reader->left)
		return 0;
	if (room < ENTRY_HEAD_BYTES)
		return -EUCLEAN;
	*attr = (struct disk_attr){
		.name_bytes = reader->at[0],
		.value_bytes = reader->at[1],
		.is_hidden = reader->at[2] & HIDDEN_FLAGS,
	};
	bytes = ENTRY_HEAD_BYTES + (size_t)attr->name_bytes + attr->value_bytes;
	if (bytes > room)
		return -EUCLEAN;
	reader->at += bytes;
	reader->left--;
	return 1;
}
