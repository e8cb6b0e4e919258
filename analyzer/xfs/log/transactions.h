/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The transactions that are open at a place in the log, by their id; several interleave. */
#ifndef ANALYZER_XFS_LOG_TRANSACTIONS_H
#define ANALYZER_XFS_LOG_TRANSACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes kept of a region: all of the longest format structure that is looked into. */
#define LOG_REGION_HEAD_BYTES 64

/* How far the regions of a transaction have come. */
struct log_transaction {
	uint32_t id;
	bool used;             /* the slot holds a transaction */
	bool header_seen;      /* its first region, the transaction header, is complete */
	bool in_region;        /* a region has begun and is to be continued */
	uint32_t regions_left; /* of the current item; 0: the next region begins an item */
	size_t region_bytes;   /* length of the region so far */
	char head[LOG_REGION_HEAD_BYTES];
};

struct log_transactions;

/* An empty table. Returns 0 or -ENOMEM. */
int log_transactions_new(struct log_transactions **transactions);
void log_transactions_free(struct log_transactions *transactions);

/* The transaction with id @id, or NULL. Valid until another begins or ends. */
struct log_transaction *log_transactions_find(struct log_transactions *transactions, uint32_t id);

/* Begins transaction @id, afresh if it is open. NULL if more are open than any log can hold. */
struct log_transaction *log_transactions_begin(struct log_transactions *transactions, uint32_t id);

/* Forgets @transaction. */
void log_transactions_end(
	struct log_transactions *transactions, struct log_transaction *transaction);

#endif
