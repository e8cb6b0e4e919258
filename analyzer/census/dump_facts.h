/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a census notes for the prediction of dumps alone; other reports have no use for it. */
#ifndef ANALYZER_CENSUS_DUMP_FACTS_H
#define ANALYZER_CENSUS_DUMP_FACTS_H

#include "analyzer/census/directories.h"
#include "analyzer/census/dump_choices.h"
#include "analyzer/census/dump_ranges.h"
#include "analyzer/census/dump_stream.h"
#include "analyzer/census/recency.h"

#include <stdbool.h>

/* So many days before that of the scan are lately. */
#define DUMP_RECENT_DAYS 14

/* Where an inode's attributes are, if it has any. */
enum dump_attrs {
	DUMP_ATTRS_SEEN,   /* they were looked at */
	DUMP_ATTRS_INLINE, /* in the inode, or nobody knows where */
	DUMP_ATTRS_BLOCKS, /* in blocks of their own */
};

/* Instead of stream bytes that an engine cannot tell better than dump_stream.h does. */
#define DUMP_NOT_MEASURED UINT64_MAX

/* What an engine knows of an inode's place in a dump beyond its record. */
struct dump_measure {
	uint64_t stream_bytes; /* without attributes; DUMP_NOT_MEASURED */
	uint64_t bare_bytes;   /* the same of a dump without attributes, padded differently */
	uint64_t attr_bytes;   /* stream bytes of the attributes, if they were seen */
	enum dump_attrs attrs;
};

/* What was measured of a part of the inodes, as in dump_ranges.h. */
struct dump_part {
	uint64_t stream_bytes; /* of what was measured, without attributes */
	uint64_t bare_bytes;   /* the same of a dump without attributes */
	uint64_t told_bytes;   /* of other files of few extents, as dump_stream.h tells them, */
	uint64_t told_many;    /* and of those of many; of directories as if names were not known */
	uint64_t attr_bytes;   /* of the attributes that were seen */
	uint64_t attr_seen;    /* inodes whose attributes were seen */
	uint64_t attr_inline;  /* inodes with others, by enum dump_attrs */
	uint64_t attr_blocks;
};

/* What choices (dump_choices.h) but directories have that changed at one time. */
struct dump_change {
	uint64_t attr_forks;         /* inodes with an attribute fork, */
	uint64_t unseen_forks;       /* and those of them whose attributes were not seen */
	uint64_t unseen_bytes;       /* told of inodes that were not measured, without attributes */
	struct dump_surplus surplus; /* of the others */
};

struct dump_facts {
	bool present; /* false: a scan by an older xfscensus, which did not note them */
	struct dump_choices choices;
	struct dump_ranges ranges;   /* by inode number */
	struct dump_ranges recent;   /* by second of change, of those changed lately */
	int64_t recent_from;         /* which is from this second on */
	int64_t now_seconds;         /* of the scan: changes are seen from there */
	struct hashmap changes;      /* recency (recency.h) → dump_change */
	uint64_t entry_stream_bytes; /* of all names, as in directories.h; 0: not known */
	bool has_parts;              /* false: a scan by an older xfscensus */
	struct dump_part parts[DUMP_RANGE_PARTS];
	struct directory_way *ways; /* as in directories.h; owned */
	size_t way_count;           /* 0: not known */
};

/* Empty facts of a scan on @today (clock_day_of()), at the end of that day. */
void dump_facts_init(struct dump_facts *facts, int64_t today);
void dump_facts_fini(struct dump_facts *facts);

/* What of @stream_bytes, as told of @inode, is not for an attribute fork. */
static inline uint64_t dump_told_bytes(const struct inode_record *inode, uint64_t stream_bytes)
{
	uint64_t attrs = inode->flags & INODE_ATTR_FORK ? DUMP_STREAM_EMPTY_ATTRS_BYTES : 0;

	return stream_bytes - min_u64(stream_bytes, attrs);
}

/* Adds @change to that of @recency. Returns 0 or -ENOMEM. */
int dump_facts_put_change(
	struct dump_facts *facts, unsigned recency, const struct dump_change *change);

static inline int dump_facts_add_change(struct dump_facts *facts, const struct inode_record *inode,
	const struct dump_choice_sums *sums, const struct dump_measure *measure)
{
	unsigned recency = recency_of(inode_change_seconds(inode), facts->now_seconds);
	bool has_attrs = inode->flags & INODE_ATTR_FORK;
	bool is_measured = measure->stream_bytes != DUMP_NOT_MEASURED;
	const struct dump_change change = {
		.attr_forks = has_attrs,
		.unseen_forks = has_attrs && measure->attrs != DUMP_ATTRS_SEEN,
		.unseen_bytes = is_measured ? 0 : dump_told_bytes(inode, sums->told.stream_bytes),
		.surplus = sums->surplus,
	};

	if (!has_attrs && is_measured && !change.surplus.data_bytes)
		return 0;
	return dump_facts_put_change(facts, recency, &change);
}

static inline int dump_facts_add_choice(struct dump_facts *facts, const struct inode_record *inode,
	const struct cube_key *key, const struct dump_choice_sums *sums,
	const struct dump_measure *measure)
{
	uint64_t told_apart = key->kind == KIND_REGULAR ? inode->allocated_bytes : 0;
	const struct dump_choice_key choice = {
		.uid = key->uid,
		.flags = inode->flags,
		.kind = key->kind,
		.size_class = key->size_class,
		.allocation_class = (uint16_t)allocation_class_of(told_apart),
	};

	if (!choice.flags && !choice.allocation_class)
		return 0;
	if (dump_choices_add(&facts->choices, &choice, sums))
		return -ENOMEM;
	if (key->kind == KIND_DIRECTORY || !inode->nlink)
		return 0;
	return dump_facts_add_change(facts, inode, sums, measure);
}

/* A file with more extents than this has them outside of its inode, or may have. */
#define DUMP_FEW_EXTENTS 9

/* Adds to the part of @inode; returns what it takes beyond @stream_bytes. */
static inline struct dump_surplus dump_facts_measure(struct dump_part *part,
	const struct inode_record *inode, uint64_t stream_bytes, const struct dump_measure *measure)
{
	struct dump_surplus surplus = {0};
	bool has_attrs = inode->flags & INODE_ATTR_FORK;
	uint64_t told = dump_told_bytes(inode, stream_bytes);

	if (measure->stream_bytes != DUMP_NOT_MEASURED) {
		part->stream_bytes = sat_add_u64(part->stream_bytes, measure->stream_bytes);
		part->bare_bytes = sat_add_u64(part->bare_bytes, measure->bare_bytes);
		surplus.data_bytes = change_i64(told, measure->stream_bytes);
	} else if (inode->extents > DUMP_FEW_EXTENTS) {
		part->told_many = sat_add_u64(part->told_many, told);
	} else {
		part->told_bytes = sat_add_u64(part->told_bytes, told);
	}
	if (!has_attrs)
		return surplus;
	part->attr_seen += measure->attrs == DUMP_ATTRS_SEEN;
	part->attr_inline += measure->attrs == DUMP_ATTRS_INLINE;
	part->attr_blocks += measure->attrs == DUMP_ATTRS_BLOCKS;
	if (measure->attrs == DUMP_ATTRS_SEEN) {
		part->attr_bytes = sat_add_u64(part->attr_bytes, measure->attr_bytes);
		surplus.attr_bytes = change_i64(DUMP_STREAM_EMPTY_ATTRS_BYTES, measure->attr_bytes);
	}
	return surplus;
}

/*
 * Takes in @inode, whose cube cell and sums these are. Returns 0 or -ENOMEM. Inline: called for
 * each inode.
 */
static inline int dump_facts_add(struct dump_facts *facts, const struct inode_record *inode,
	const struct cube_key *key, const struct cube_sums *sums,
	const struct dump_measure *measure)
{
	unsigned part = dump_range_part(key->kind, key->size_class);
	int64_t changed = inode_change_seconds(inode);
	struct dump_choice_sums choice = {.told = *sums};

	if (inode->nlink)
		choice.surplus =
			dump_facts_measure(&facts->parts[part], inode, sums->stream_bytes, measure);
	if (dump_facts_add_choice(facts, inode, key, &choice, measure))
		return -ENOMEM;
	if (changed >= facts->recent_from && changed >= 0 &&
		dump_ranges_add_inode(
			&facts->recent, (uint64_t)changed, part, 0, sums->stream_bytes))
		return -ENOMEM;
	if (key->kind == KIND_DIRECTORY || !inode->nlink)
		return 0;
	return dump_ranges_add_inode(
		&facts->ranges, inode->ino, part, dump_range_weight(inode), sums->stream_bytes);
}

/* Adds choices, ranges, parts and changes of @from, of the same now. Returns 0 or -ENOMEM. */
int dump_facts_merge(struct dump_facts *facts, const struct dump_facts *from);

/* Orders the tables by their keys. */
void dump_facts_sort(struct dump_facts *facts);

#endif
