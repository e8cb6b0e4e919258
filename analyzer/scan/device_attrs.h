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

/*
 * Where every inode has a block of attributes, as with access control lists of Windows clients or
 * with labels on old filesystems, to read them all would take many times as long as all inodes do.
 * Of a filesystem with more inodes than this, a sample that depends on the inodes' numbers only is
 * read, such that it is this many at most, or a few more.
 */
#define DEVICE_ATTRS_INODES (128U << 10)

/* Whether the attributes of inode @ino of a filesystem with @inodes are in the sample. */
bool device_attrs_sampled(uint64_t ino, uint64_t inodes);

struct device_attrs;

/* For inodes of @scan, read by @reader; both must outlive it. Returns 0 or -ENOMEM. */
int device_attrs_new(struct device_attrs **attrs, const struct device_scan *scan,
	struct device_reader *reader, uint64_t gap_bytes);
void device_attrs_free(struct device_attrs *attrs);

/*
 * Takes @inode, which disk_inode_parse() read from @buffer, whose attributes lie in blocks and is
 * in the sample; @measure is what is known of it without them. The sink gets it now or later, and
 * is told if they cannot be read. Called by worker @worker of the scan. Returns 0, -ENOMEM or what
 * the sink returns.
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
