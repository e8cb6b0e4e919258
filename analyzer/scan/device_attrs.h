/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes that lie in blocks of their own, read from the device for what they take in a dump.
 *
 * An inode that has such is held back until its leaves are read, and then handed to the sink. Where
 * they lie in what was read for the inodes, that is at once; otherwise device_attrs_read() reads
 * those of all that wait, in the order of the disk. A leaf tells how long a value is, so blocks of
 * values are not read. Memory is bounded: once device_attrs_full(), it is time to read. An inode
 * that is held back costs some 300 bytes.
 */
#ifndef ANALYZER_SCAN_DEVICE_ATTRS_H
#define ANALYZER_SCAN_DEVICE_ATTRS_H

#include "analyzer/scan/device_scan.h"

struct device_attrs;

/* For inodes of @scan, read by @reader; both must outlive it. Returns 0 or -ENOMEM. */
int device_attrs_new(struct device_attrs **attrs, const struct device_scan *scan,
	struct device_reader *reader, uint64_t gap_bytes);
void device_attrs_free(struct device_attrs *attrs);

/*
 * Takes @inode, which disk_inode_parse() read from @buffer, whose attributes lie in blocks;
 * @measure is what is known of it without them. The sink gets it now or later, and is told if they
 * cannot be read. Called by worker @worker of the scan. Returns 0, -ENOMEM or what the sink
 * returns.
 */
int device_attrs_note(struct device_attrs *attrs, const struct xfs_inode *inode,
	const struct dump_measure *measure, const void *buffer,
	const struct device_surroundings *around, unsigned worker);

/* Whether so many inodes are held back that they should be read before more are noted. */
bool device_attrs_full(const struct device_attrs *attrs);

/*
 * Reads the attributes of all that is held back, while no worker notes anything. Returns 0, also if
 * parts could not be read (the sink was told) or the scan was cancelled; -ENOMEM; an errno of the
 * reader or the sink.
 */
int device_attrs_read(struct device_attrs *attrs);

/* Bytes read so far, gaps included. */
uint64_t device_attrs_read_bytes(const struct device_attrs *attrs);

#endif
