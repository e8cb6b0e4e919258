// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See answer.h. Every inode that bulkstat gives passes here before it is counted. The device tells
 * the blocks of attributes of inodes whose data is inline, and so does stat(2), but bulkstat does
 * not: what an inode has would depend on who was asked.
 */
#include "analyzer/scan/answer.h"

#include "analyzer/xfs/bulkstat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int answer_complete(int fd, struct xfs_inode *inode, char what[static ANSWER_TEXT_BYTES])
{
	int rc = xfs_inode_lacks_blocks(inode) ? xfs_inode_add_blocks(fd, inode) : 0;

	if (!rc || rc == -ESTALE || rc == -ENOENT)
		return 0;
	snprintf(
		what, ANSWER_TEXT_BYTES, "inode %" PRIu64 ": blocks of its attributes", inode->ino);
	return rc;
}
