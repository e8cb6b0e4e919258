/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind dump_plan.h share: what there is and what is kept of it. */
#ifndef ANALYZER_WINDOW_DUMP_PLAN_PRIVATE_H
#define ANALYZER_WINDOW_DUMP_PLAN_PRIVATE_H

#include "analyzer/census/dump_stream.h"
#include "analyzer/window/dump_plan.h"
#include "analyzer/window/prediction_request.h"

#include <math.h>

/* As struct dump_surplus. */
struct plan_surplus {
	double data_bytes;
	double attr_bytes;
};

/* What there is of a user, kind and class, and what of it is dumped. */
struct share {
	struct plan_sums all;
	struct plan_sums kept;
	struct plan_surplus surplus; /* of all that the scan has by choices */
};

/*
 * What inodes of a part (dump_ranges.h) take beyond what dump_stream.h told and what the scan has
 * by choices: for each byte that was told, attributes apart, and for each attribute fork.
 */
struct part_media {
	double data_bytes;
	double attr_bytes;
};

struct shares {
	const struct prediction_request *request;
	struct dump_plan *plan;
	struct hashmap map; /* (uid, kind, class) → struct share */
	struct part_media media[DUMP_RANGE_PARTS];

	/* What calibration put what was not seen at, beyond what was told of it. */
	struct plan_surplus unseen; /* of all but directories */
	double unseen_directories;  /* of attributes of directories */
};

/* Sets what @sums of a part take in the media file, of which @surplus was seen. */
static inline void plan_find_media(
	struct plan_sums *sums, const struct plan_surplus *surplus, const struct part_media *media)
{
	double attrs = sums->attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES;
	double without = fmax(0, sums->stream_bytes - attrs);
	double data = without * (1 + media->data_bytes) + surplus->data_bytes;

	attrs += sums->attr_forks * media->attr_bytes + surplus->attr_bytes;
	sums->attr_bytes = fmax(0, attrs);
	sums->media_bytes = fmax(0, data) + sums->attr_bytes;
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
