/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind dump_plan.h share: what there is and what is kept of it. */
#ifndef ANALYZER_WINDOW_DUMP_PLAN_PRIVATE_H
#define ANALYZER_WINDOW_DUMP_PLAN_PRIVATE_H

#include "analyzer/window/dump_plan.h"
#include "analyzer/window/prediction_request.h"

#include <math.h>

/* What there is of a user, kind and class, and what of it is dumped. */
struct share {
	struct plan_sums all;
	struct plan_sums kept;
};

struct shares {
	const struct prediction_request *request;
	struct dump_plan *plan;
	struct hashmap map; /* (uid, kind, class) → struct share */
};

static inline struct hashmap_key share_key(uint32_t uid, unsigned kind, unsigned size_class)
{
	return (struct hashmap_key){.high = uid, .low = kind << 8 | size_class};
}

/* enum inode_kind */
static inline unsigned share_kind(const struct hashmap_key *key)
{
	return (unsigned)key->low >> 8;
}

static inline void plan_sums_add(struct plan_sums *to, const struct cube_sums *from, double part)
{
	to->inodes += part * (double)from->inodes;
	to->size_bytes += part * (double)from->size_bytes;
	to->allocated_bytes += part * (double)from->allocated_bytes;
	to->stream_bytes += part * (double)from->stream_bytes;
}

/* @part of @whole, 0 to 1; 1 where there is nothing. */
static inline double plan_ratio(double part, double whole)
{
	return whole > 0 ? fmin(1, fmax(0, part / whole)) : 1;
}

/*
 * Keeps what changed since the base of a level, and directories on the way to it. Returns 0 or
 * -ENOMEM.
 */
int dump_plan_keep_changed(struct shares *shares);

#endif
