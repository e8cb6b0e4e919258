/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is missing in an inode as the kernel's BULKSTAT gives it, whichever engine asked. */
#ifndef ANALYZER_SCAN_ANSWER_H
#define ANALYZER_SCAN_ANSWER_H

#include "analyzer/xfs/inode.h"

#define ANSWER_TEXT_BYTES 96

/*
 * Finds out the blocks of @inode that bulkstat did not tell; most inodes lack none. @fd is open on
 * the filesystem. Returns 0, also if the inode is gone by now: it has none. Otherwise a negative
 * errno, with the place in @what: a FAILURE_ATTRIBUTES, but the inode counts.
 */
int answer_complete(int fd, struct xfs_inode *inode, char what[static ANSWER_TEXT_BYTES]);

#endif
