// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See transactions.h. One array with open addressing, never more than half full. A transaction
 * that ends takes its slot with it: those that had to move past it move back (no tombstones), so
 * that the millions of transactions of a long log leave nothing behind. Current kernels have a
 * handful open, those before delayed logging (2.6.39) as many as threads.
 */
#include "analyzer/xfs/log/transactions.h"

#include <errno.h>
#include <stdlib.h>

#define SLOT_BITS 13
#define SLOTS     (1U << SLOT_BITS)
#define LIMIT     (SLOTS / 2)

struct log_transactions {
	size_t open;
	struct log_transaction slots[SLOTS];
};

int log_transactions_new(struct log_transactions **transactions)
{
	*transactions = calloc(1, sizeof(**transactions));
	return *transactions ? 0 : -ENOMEM;
}

void log_transactions_free(struct log_transactions *transactions)
{
	free(transactions);
}

/* Where the search for @id begins: ids are consecutive, a multiplication spreads them. */
static uint32_t home(uint32_t id)
{
	return id * 0x9e3779b1U >> (32 - SLOT_BITS);
}

/* The slot of @id, or the free one where it would go. */
static struct log_transaction *slot(struct log_transactions *transactions, uint32_t id)
{
	uint32_t at = home(id);

	while (transactions->slots[at].used && transactions->slots[at].id != id)
		at = (at + 1) % SLOTS;
	return &transactions->slots[at];
}

struct log_transaction *log_transactions_find(struct log_transactions *transactions, uint32_t id)
{
	struct log_transaction *found = slot(transactions, id);

	return found->used ? found : NULL;
}

struct log_transaction *log_transactions_begin(struct log_transactions *transactions, uint32_t id)
{
	struct log_transaction *new = slot(transactions, id);

	if (!new->used && transactions->open == LIMIT)
		return NULL;
	transactions->open += !new->used;
	*new = (struct log_transaction){.id = id, .used = true};
	return new;
}

void log_transactions_end(
	struct log_transactions *transactions, struct log_transaction *transaction)
{
	struct log_transaction *slots = transactions->slots;
	uint32_t hole = (uint32_t)(transaction - slots);

	transactions->open--;
	for (uint32_t at = (hole + 1) % SLOTS; slots[at].used; at = (at + 1) % SLOTS) {
		/* what lies between its home and here may not move before its home */
		if ((at - home(slots[at].id)) % SLOTS < (at - hole) % SLOTS)
			continue;
		slots[hole] = slots[at];
		hole = at;
	}
	slots[hole].used = false;
}
