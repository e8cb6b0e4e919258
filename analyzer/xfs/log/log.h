/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the XFS log knows that the disk does not know yet. Reads only.
 *
 * XFS writes changes of inodes to its log first and to their place much later. Each log item stays
 * in the log, between the tail and the head, until what it describes is in its place; so the items
 * found there name everything that may differ between disk and memory.
 *
 * The guarantee. Let M be the inodes that are in use, as XFS_IOC_INUMBERS tells, and let, in this
 * order, M be taken, syncfs() be called, head and tail be read, and log_collect() read all between
 * them. Then an inode of M that is not in `logged` lies on the disk in a state not older than the
 * syncfs(), for everyone who reads it from then on past the page cache (O_DIRECT). Of an inode in
 * `logged` the disk may hold an older state, or nothing yet, or what lay there before: its truth is
 * what XFS_IOC_BULKSTAT says (nothing, if it is gone).
 *
 * The same cannot be said of inodes found through the inode B+trees *on the disk*. A B+tree block
 * that is changed again and again moves on in the log with each change, while the inodes it leads
 * to are written back and leave the log:
 * - a chunk may be missing on the disk although none of its inodes is in the log any more,
 * - a free mask or hole mask may be older than the inodes: an inode is in use if its mode says so,
 * - a freed chunk may still be listed, its inodes as they were before they were freed: when a
 *   cluster buffer is thrown away, its inodes leave the log without having been written,
 * - a new chunk may be listed before its blocks were written as such.
 * So a scan of a mounted filesystem takes its chunks from XFS_IOC_INUMBERS, and only the inodes
 * themselves from the disk. An image with a dirty log has no better list than its own: what it
 * holds, only a mount will tell for certain.
 *
 * Log block and record formats: <xfs/xfs_log_format.h>. A position ("LSN") is a cycle, which grows
 * by one each time that the log begins again from its start, and a 512-byte block in the log.
 */
#ifndef ANALYZER_XFS_LOG_LOG_H
#define ANALYZER_XFS_LOG_LOG_H

#include "analyzer/xfs/inode_set.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LOG_UUID_BYTES 16

/* Memory for inodes that a log names: 64 MiB, more than any log needs that a kernel wrote. */
#define LOG_INODE_SET_LIMIT (1U << 22)

/* Where the log lies and what its items are measured by: plain values of the superblock. */
struct log_source {
	int fd;                /* the device or image with the log; stays the caller's */
	uint64_t offset_bytes; /* where the log begins there; 0 on an external device */
	uint64_t length_bytes; /* sb_logblocks */
	uint32_t sector_bytes; /* of the device the log is on (sb_logsectsize or sb_sectsize) */
	bool has_crc;          /* V5: records without a right checksum are not believed */
	uint8_t uuid[LOG_UUID_BYTES]; /* sb_uuid */
	uint32_t agcount;             /* sb_agcount */
	uint32_t agblocks;            /* sb_agblocks */
	uint8_t block_log;            /* sb_blocklog */
	uint8_t agblock_log;          /* sb_agblklog */
	uint8_t inodes_per_block_log; /* sb_inopblog */
};

/* A place in the log, as "cycle:block". */
struct log_position {
	uint32_t cycle;
	uint32_t block; /* 512-byte blocks from the start of the log */
};

/* What is to be read: from the record at @tail on, as far as @head, where nothing is yet. */
struct log_range {
	struct log_position tail;
	struct log_position head;
};

/* What was found. */
struct log_changes {
	struct inode_set logged;    /* inodes with an inode item; log_changes_init() limits it */
	uint64_t records;           /* log records read */
	uint64_t bytes;             /* their size, headers included */
	uint64_t transactions;      /* transactions seen to their commit */
	uint64_t items;             /* log items of any type */
	uint64_t inode_items;       /* of these, inode items */
	uint64_t chunk_items;       /* of these, icreate items */
	uint64_t cancelled_buffers; /* of these, buffer items that throw blocks away */
	uint64_t splits;            /* regions put together from parts in several records */
	uint64_t orphans;           /* operations of transactions that began before the tail */
	bool ended_early; /* the head was not reached: blocks before it were not written */
};

void log_changes_init(struct log_changes *changes);
void log_changes_fini(struct log_changes *changes);

/* Whether @a comes before @b. */
static inline bool log_before(struct log_position a, struct log_position b)
{
	return a.cycle != b.cycle ? a.cycle < b.cycle : a.block < b.block;
}

/*
 * Head and tail of the mounted filesystem on block device @device (of the data section, also with
 * an external log; st_dev of any file in it), from /sys/fs/xfs. Returns 0; -ENOENT with a message
 * if it is not mounted or the kernel does not tell, -EINVAL if it tells something else.
 */
int log_range_mounted(dev_t device, struct log_range *range, struct err *err);

/* As log_range_mounted(), from the folder @folder (".../log"), for tests. */
int log_range_folder(const char *folder, struct log_range *range, struct err *err);

/*
 * Head and tail in the log of an unmounted filesystem, found as log recovery would: the head where
 * the cycle numbers step down, cut back to the last record that is whole, the tail as that record
 * tells it. Head and tail are the same in a clean log. Returns 0, -EUCLEAN with a message if that
 * is no log, -EIO, -ENOMEM.
 */
int log_range_find(const struct log_source *source, struct log_range *range, struct err *err);

/*
 * Adds to @changes (initialised) what the log says between tail and head; sets are sealed after.
 *
 * Blocks before the head that were not written yet end the reading (`ended_early`): while mounted,
 * syncfs() has waited for all that was logged before it, so what is missing came later.
 *
 * Returns 0. -EAGAIN: a newer cycle has overwritten a record that was not read yet, so the tail has
 * moved on: what the record named is in its place now. Read the tail again and call again with the
 * same head and the same @changes, which stay right; done once the tail is not before the head.
 * -EUCLEAN with a message: the log is damaged, @changes hold what came before; -EFBIG likewise: it
 * names more inodes than there is room for. -EIO, -ENOMEM.
 */
int log_collect(const struct log_source *source, const struct log_range *range,
	struct log_changes *changes, struct err *err);

#endif
