/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a census notes for the prediction of dumps alone; other reports have no use for it. */
#ifndef ANALYZER_CENSUS_DUMP_FACTS_H
#define ANALYZER_CENSUS_DUMP_FACTS_H

#include "analyzer/census/dump_choices.h"
#include "analyzer/census/dump_ranges.h"

#include <stdbool.h>

/* So many days before that of the scan are lately. */
#define DUMP_RECENT_DAYS 14

struct dump_facts {
	bool present; /* false: a scan by an older xfscensus, which did not note them */
	struct dump_choices choices;
	struct dump_ranges ranges;   /* by inode number */
	struct dump_ranges recent;   /* by second of change, of those changed lately */
	int64_t recent_from;         /* which is from this second on */
	uint64_t entry_stream_bytes; /* of all names, as in directories.h; 0: not known */
};

/* Empty facts of a scan on @today (clock_day_of()). */
void dump_facts_init(struct dump_facts *facts, int64_t today);
void dump_facts_fini(struct dump_facts *facts);

static inline int dump_facts_add_choice(struct dump_facts *facts, const struct inode_record *inode,
	const struct cube_key *key, const struct cube_sums *sums)
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
	return dump_choices_add(&facts->choices, &choice, sums);
}

/*
 * Takes in @inode, whose cube cell and sums these are. Returns 0 or -ENOMEM. Inline: called for
 * each inode.
 */
static inline int dump_facts_add(struct dump_facts *facts, const struct inode_record *inode,
	const struct cube_key *key, const struct cube_sums *sums)
{
	unsigned part = dump_range_part(key->kind, key->size_class);
	int64_t changed = inode_change_seconds(inode);

	if (dump_facts_add_choice(facts, inode, key, sums))
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

/* Adds choices and ranges of @from. Returns 0 or -ENOMEM. */
int dump_facts_merge(struct dump_facts *facts, const struct dump_facts *from);

/* Orders the tables by their keys. */
void dump_facts_sort(struct dump_facts *facts);

#endif
