// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/census/dump_facts.h"

#include "base/clock.h"

#include <string.h>

void dump_facts_init(struct dump_facts *facts, int64_t today)
{
	memset(facts, 0, sizeof(*facts));
	dump_choices_init(&facts->choices);
	dump_ranges_init(&facts->ranges, DUMP_RANGE_INODE_SHIFT);
	dump_ranges_init(&facts->recent, 0);
	facts->recent_from = (today - DUMP_RECENT_DAYS) * SECONDS_PER_DAY;
}

void dump_facts_fini(struct dump_facts *facts)
{
	dump_choices_fini(&facts->choices);
	dump_ranges_fini(&facts->ranges);
	dump_ranges_fini(&facts->recent);
}

int dump_facts_merge(struct dump_facts *facts, const struct dump_facts *from)
{
	int rc = dump_choices_merge(&facts->choices, &from->choices);

	if (!rc)
		rc = dump_ranges_merge(&facts->ranges, &from->ranges);
	return rc ? rc : dump_ranges_merge(&facts->recent, &from->recent);
}

void dump_facts_sort(struct dump_facts *facts)
{
	dump_choices_sort(&facts->choices);
	dump_ranges_sort(&facts->ranges);
	dump_ranges_sort(&facts->recent);
}
