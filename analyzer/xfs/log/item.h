/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the format structure of a log item, the first of its regions, says. */
#ifndef ANALYZER_XFS_LOG_ITEM_H
#define ANALYZER_XFS_LOG_ITEM_H

#include "analyzer/xfs/log/log.h"

#include <stddef.h>

/* A format structure: @length bytes, of which the first LOG_REGION_HEAD_BYTES are at @bytes. */
struct log_item_format {
	const char *bytes;
	size_t length;
	bool big_endian; /* its numbers are in big-endian order */
};

/*
 * Notes in @changes what the item says of inodes and sets *@regions to the number of its regions,
 * this one included. Returns 0; -EUCLEAN with a message if it is no log item; -ENOMEM.
 */
int log_item_note(const struct log_source *source, const struct log_item_format *format,
	struct log_changes *changes, uint32_t *regions, struct err *err);

#endif
