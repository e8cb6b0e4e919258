// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See items.h. The payload of a record is a row of operations: a header of 12 bytes and a region.
 *
 *   transaction = start, transaction header, items, commit
 *   item        = region with its format structure, which tells how many regions follow
 *   region      = one operation, or parts: the first with CONTINUE, the ones between with WAS_CONT
 *                 and CONTINUE, the last with WAS_CONT and END
 *
 * Operations of several transactions interleave, and each of these sequences may go on from record
 * to record; so the place within them is kept for each transaction. What an item says is noted when
 * its first region is complete, whether or not the transaction is ever committed: an inode too many
 * costs a question, an inode too few would be an error.
 *
 * Operations of transactions whose start was not seen are left out, as log recovery does: the tail
 * does not pass the start of a transaction before all its changes are in their place.
 */
#include "analyzer/xfs/log/items.h"

#include "analyzer/xfs/log/format.h"
#include "analyzer/xfs/log/item.h"
#include "analyzer/xfs/log/transactions.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct log_items {
	const struct log_source *source;
	struct log_changes *changes;
	struct log_transactions *transactions;
	bool big_endian; /* of the record that is read */
};

/* An operation in a payload. */
struct operation {
	uint32_t transaction;
	uint32_t length;
	uint8_t client;
	uint8_t flags;
	const char *data;
};

int log_items_new(
	struct log_items **items, const struct log_source *source, struct log_changes *changes)
{
	*items = calloc(1, sizeof(**items));
	if (!*items)
		return -ENOMEM;
	(*items)->source = source;
	(*items)->changes = changes;
	if (log_transactions_new(&(*items)->transactions)) {
		free(*items);
		*items = NULL;
		return -ENOMEM;
	}
	return 0;
}

void log_items_free(struct log_items *items)
{
	if (!items)
		return;
	log_transactions_free(items->transactions);
	free(items);
}

/* The first region of a transaction: a magic number, a type, an id and a count. */
static int end_header(struct log_items *items, struct log_transaction *transaction, struct err *err)
{
	uint32_t magic = log_host32(transaction->head, items->big_endian);

	if (transaction->region_bytes != sizeof(struct xfs_trans_header) ||
		magic != XFS_TRANS_HEADER_MAGIC)
		return err_set(err, -EUCLEAN, "log transaction %" PRIx32 " has no header",
			transaction->id);
	transaction->header_seen = true;
	return 0;
}

/* A region is complete: the transaction's header, an item's first, or one that does not matter. */
static int end_region(struct log_items *items, struct log_transaction *transaction, struct err *err)
{
	struct log_item_format format = {
		transaction->head, transaction->region_bytes, items->big_endian};
	int rc;

	transaction->in_region = false;
	if (!transaction->header_seen)
		return end_header(items, transaction, err);
	if (transaction->regions_left == 0) {
		rc = log_item_note(
			items->source, &format, items->changes, &transaction->regions_left, err);
		if (rc)
			return rc;
	}
	transaction->regions_left--;
	return 0;
}

static void append(struct log_transaction *transaction, const char *data, uint32_t length)
{
	size_t used = transaction->region_bytes;

	if (used < sizeof(transaction->head))
		memcpy(transaction->head + used, data,
			min_u64(length, sizeof(transaction->head) - used));
	transaction->region_bytes += length;
}

/* A region, or a part of one. */
static int take_region(struct log_items *items, struct log_transaction *transaction,
	const struct operation *operation, struct err *err)
{
	int rc;

	if (operation->flags & XLOG_WAS_CONT_TRANS) {
		if (!transaction->in_region)
			return err_set(err, -EUCLEAN,
				"log transaction %" PRIx32 " continues a region that did not begin",
				transaction->id);
		items->changes->splits += !(operation->flags & XLOG_CONTINUE_TRANS);
	} else {
		/* nothing of the region fitted into the last record: it begins in the next */
		if (operation->length == 0)
			return 0;
		rc = transaction->in_region ? end_region(items, transaction, err) : 0;
		if (rc)
			return rc;
		transaction->in_region = true;
		transaction->region_bytes = 0;
		memset(transaction->head, 0, sizeof(transaction->head));
	}
	append(transaction, operation->data, operation->length);
	return operation->flags & XLOG_CONTINUE_TRANS ? 0 : end_region(items, transaction, err);
}

static int take_operation(
	struct log_items *items, const struct operation *operation, struct err *err)
{
	struct log_transaction *transaction;

	if (operation->flags & XLOG_START_TRANS) {
		if (!log_transactions_begin(items->transactions, operation->transaction))
			return err_set(err, -EUCLEAN, "more log transactions are open than can be");
		return 0;
	}
	transaction = log_transactions_find(items->transactions, operation->transaction);
	if (operation->flags & XLOG_UNMOUNT_TRANS)
		return 0;
	if (!transaction) {
		items->changes->orphans++;
		return 0;
	}
	if (operation->flags & XLOG_COMMIT_TRANS) {
		items->changes->transactions++;
		log_transactions_end(items->transactions, transaction);
		return 0;
	}
	return take_region(items, transaction, operation, err);
}

/* Reads the operation at *@at, of @end bytes in all, and moves *@at past it. */
static bool next_operation(
	const struct log_record *record, uint32_t *at, struct operation *operation)
{
	const char *bytes = record->payload + *at;
	uint32_t rest = record->payload_bytes - *at;

	if (rest < sizeof(struct xlog_op_header))
		return false;
	rest -= sizeof(struct xlog_op_header);
	*operation = (struct operation){
		.transaction = LOG_BE32(bytes, xlog_op_header, oh_tid),
		.length = LOG_BE32(bytes, xlog_op_header, oh_len),
		.client = (uint8_t)bytes[offsetof(struct xlog_op_header, oh_clientid)],
		.flags = (uint8_t)bytes[offsetof(struct xlog_op_header, oh_flags)],
		.data = bytes + sizeof(struct xlog_op_header),
	};
	if (operation->client != XFS_TRANSACTION && operation->client != XFS_LOG)
		return false;
	if (operation->length > rest)
		return false;
	*at += (uint32_t)sizeof(struct xlog_op_header) + operation->length;
	return true;
}

int log_items_record(struct log_items *items, const struct log_record *record, struct err *err)
{
	uint32_t at = 0;

	items->big_endian = record->big_endian;
	for (uint32_t i = 0; i < record->operations; i++) {
		struct operation operation;
		int rc;

		if (!next_operation(record, &at, &operation))
			rc = err_set(err, -EUCLEAN, "operation %" PRIu32 " makes no sense", i);
		else
			rc = take_operation(items, &operation, err);
		if (rc) {
			err_prefix(err, "log record at %" PRIu32 ":%" PRIu32, record->start.cycle,
				record->start.block);
			return rc;
		}
	}
	return 0;
}
