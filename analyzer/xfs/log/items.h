/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the operations in log records to transactions, to log items, to inode numbers. */
#ifndef ANALYZER_XFS_LOG_ITEMS_H
#define ANALYZER_XFS_LOG_ITEMS_H

#include "analyzer/xfs/log/record.h"

struct log_items;

/* Items measured by @source and noted in @changes; both must outlive it. Returns 0 or -ENOMEM. */
int log_items_new(
	struct log_items **items, const struct log_source *source, struct log_changes *changes);
void log_items_free(struct log_items *items);

/*
 * Takes in the next record. Records must come in their order, without a gap. Returns 0; -EUCLEAN
 * with a message if it makes no sense; -ENOMEM.
 */
int log_items_record(struct log_items *items, const struct log_record *record, struct err *err);

#endif
