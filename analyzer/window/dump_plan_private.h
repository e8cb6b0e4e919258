/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind dump_plan.h share: what there is and what is kept of it. */
#ifndef ANALYZER_WINDOW_DUMP_PLAN_PRIVATE_H
#define ANALYZER_WINDOW_DUMP_PLAN_PRIVATE_H

#include "analyzer/census/dump_stream.h"
#include "analyzer/window/dump_plan.h"
#include "analyzer/window/prediction_request.h"

#include <math.h>

/* What there is of a user, kind and class, and what of it is dumped. */
struct share {
	struct plan_sums all;
	struct plan_sums kept;
};

/* How what a part of the inodes (dump_ranges.h) takes differs from what dump_stream.h told. */
struct part_media {
	double factor;     /* of all but attributes */
	double attr_bytes; /* of an inode's attributes, if it has a fork for them */
};

struct shares {
	const struct prediction_request *request;
	struct dump_plan *plan;
	struct hashmap map; /* (uid, kind, class) → struct share */
	struct part_media media[DUMP_RANGE_PARTS];
};

/* What @stream_bytes of a part, with so many attribute forks among them, take in the media file. */
static inline double part_media_bytes(
	const struct shares *shares, unsigned part, double stream_bytes, double attr_forks)
{
	const struct part_media *media = &shares->media[part];
	double without = stream_bytes - attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES;

	return fmax(0, without) * media->factor + attr_forks * media->attr_bytes;
}

static inline struct hashmap_key share_key(uint32_t uid, unsigned kind, unsigned size_class)
{
	return (struct hashmap_key){.high = uid, .low = kind << 8 | size_class};
}

/* enum inode_kind */
static inline unsigned share_kind(const struct hashmap_key *key)
{
	return (unsigned)key->low >> 8;
}

/* The part that the inodes of a key belong to. */
static inline unsigned share_part(const struct hashmap_key *key)
{
	return dump_range_part(share_kind(key), (unsigned)key->low & 0xff);
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

/* Finds how what is dumped differs from what was told of it (dump_media.c). */
void dump_plan_find_media(struct shares *shares);

/*
 * Keeps what changed since the base of a level, and directories on the way to it. Returns 0 or
 * -ENOMEM.
 */
int dump_plan_keep_changed(struct shares *shares);

#endif
