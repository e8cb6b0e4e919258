/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One record of the log: found sound, its payload as it was before cycle numbers were put in. */
#ifndef ANALYZER_XFS_LOG_RECORD_H
#define ANALYZER_XFS_LOG_RECORD_H

#include "analyzer/xfs/log/blocks.h"

struct log_record {
	struct log_position start; /* where it begins */
	struct log_position next;  /* where the next one begins */
	struct log_position tail;  /* the tail of the log when it was written */
	uint32_t blocks;           /* its length, header included */
	uint32_t operations;       /* operations in the payload */
	uint32_t payload_bytes;
	bool big_endian; /* log items are in big-endian order */
	char *payload;   /* in `image` */
	char *image;     /* the record as on the disk but for the cycle numbers; owned */
};

/* Returns 0 or -ENOMEM. */
int log_record_init(struct log_record *record);
void log_record_fini(struct log_record *record);

/*
 * Reads the record that begins at @at. Returns 0, or, with a message,
 * -ENODATA: a block of it still has an older cycle: it was never or not yet written as a whole;
 * -EAGAIN: a block of it has a newer cycle: it was overwritten;
 * -EUCLEAN: there is no sound record; -EIO and others of reading.
 */
int log_record_read(struct log_blocks *blocks, struct log_position at, struct log_record *record,
	struct err *err);

/* Whether the record says that the filesystem was unmounted after all else was written. */
bool log_record_is_unmount(const struct log_record *record);

/* A position as the disk and sysfs pack it. */
static inline struct log_position log_unpack_lsn(uint64_t lsn)
{
	return (struct log_position){(uint32_t)(lsn >> 32), (uint32_t)lsn};
}

#endif
