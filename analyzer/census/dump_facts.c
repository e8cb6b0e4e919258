// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/census/dump_facts.h"

#include "base/checked.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

void dump_facts_init(struct dump_facts *facts, int64_t today)
{
	memset(facts, 0, sizeof(*facts));
	dump_choices_init(&facts->choices);
	dump_ranges_init(&facts->ranges, DUMP_RANGE_INODE_SHIFT);
	dump_ranges_init(&facts->recent, 0);
	facts->has_parts = true;
	hashmap_init(&facts->changes, sizeof(struct dump_change));
	facts->now_seconds = (today + 1) * SECONDS_PER_DAY - 1;
	facts->recent_from = (today - DUMP_RECENT_DAYS) * SECONDS_PER_DAY;
}

void dump_facts_fini(struct dump_facts *facts)
{
	dump_choices_fini(&facts->choices);
	dump_ranges_fini(&facts->ranges);
	dump_ranges_fini(&facts->recent);
	hashmap_fini(&facts->changes);
	free(facts->ways);
	facts->ways = NULL;
	facts->way_count = 0;
}

static void part_add(struct dump_part *to, const struct dump_part *from)
{
	to->stream_bytes = sat_add_u64(to->stream_bytes, from->stream_bytes);
	to->bare_bytes = sat_add_u64(to->bare_bytes, from->bare_bytes);
	to->told_bytes = sat_add_u64(to->told_bytes, from->told_bytes);
	to->told_many = sat_add_u64(to->told_many, from->told_many);
	to->attr_bytes = sat_add_u64(to->attr_bytes, from->attr_bytes);
	to->attr_seen += from->attr_seen;
	to->attr_inline += from->attr_inline;
	to->attr_blocks += from->attr_blocks;
}

int dump_facts_put_change(
	struct dump_facts *facts, unsigned recency, const struct dump_change *change)
{
	struct dump_change *to =
		hashmap_upsert(&facts->changes, (struct hashmap_key){.low = recency});

	if (!to)
		return -ENOMEM;
	to->attr_forks = sat_add_u64(to->attr_forks, change->attr_forks);
	to->unseen_forks = sat_add_u64(to->unseen_forks, change->unseen_forks);
	to->unseen_bytes = sat_add_u64(to->unseen_bytes, change->unseen_bytes);
	dump_surplus_add(&to->surplus, &change->surplus);
	return 0;
}

static int merge_changes(struct dump_facts *facts, const struct dump_facts *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->changes.count && !rc; i++)
		rc = dump_facts_put_change(facts, (unsigned)hashmap_key_at(&from->changes, i)->low,
			hashmap_value_at(&from->changes, i));
	return rc;
}

int dump_facts_merge(struct dump_facts *facts, const struct dump_facts *from)
{
	int rc = dump_choices_merge(&facts->choices, &from->choices);

	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++)
		part_add(&facts->parts[i], &from->parts[i]);
	if (!rc)
		rc = merge_changes(facts, from);
	if (!rc)
		rc = dump_ranges_merge(&facts->ranges, &from->ranges);
	return rc ? rc : dump_ranges_merge(&facts->recent, &from->recent);
}

void dump_facts_sort(struct dump_facts *facts)
{
	dump_choices_sort(&facts->choices);
	dump_ranges_sort(&facts->ranges);
	dump_ranges_sort(&facts->recent);
	hashmap_sort(&facts->changes);
}
