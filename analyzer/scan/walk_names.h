/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the names of a mounted filesystem for an engine that gets its inodes in another way:
 * every directory is opened and read, no other inode is looked at.
 */
#ifndef ANALYZER_SCAN_WALK_NAMES_H
#define ANALYZER_SCAN_WALK_NAMES_H

#include "analyzer/scan/engine.h"

/*
 * Gives the entries of all directories to job->join. Its root becomes the root of the filesystem of
 * job->target, as far as it is visible; where the kernel allows, what is mounted on top of
 * directories hides nothing. What cannot be read is tallied in the parts. Returns 0; -ECANCELED;
 * another negative errno with a message.
 */
int walk_names(struct scan_job *job, struct err *err);

#endif
