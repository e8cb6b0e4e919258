// SPDX-License-Identifier: GPL-2.0-or-later
/* See dump_ranges.h. */
#include "analyzer/census/dump_ranges.h"

#include "base/checked.h"

#include <errno.h>

void dump_ranges_init(struct dump_ranges *ranges, unsigned shift)
{
	ranges->shift = shift;
	hashmap_init(&ranges->ranges, sizeof(struct dump_range));
}

void dump_ranges_fini(struct dump_ranges *ranges)
{
	hashmap_fini(&ranges->ranges);
}

static struct dump_range *at(struct dump_ranges *ranges, uint64_t index)
{
	return hashmap_upsert(&ranges->ranges, (struct hashmap_key){.low = index});
}

static void range_add(struct dump_range *to, const struct dump_range *from)
{
	to->weight_bytes = sat_add_u64(to->weight_bytes, from->weight_bytes);
	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++) {
		struct dump_range_sums *sums = &to->parts[i];

		sums->inodes = sat_add_u64(sums->inodes, from->parts[i].inodes);
		sums->stream_bytes = sat_add_u64(sums->stream_bytes, from->parts[i].stream_bytes);
	}
}

/* Goes over to @shift. */
static int coarsen(struct dump_ranges *ranges, unsigned shift)
{
	struct dump_ranges coarse;

	dump_ranges_init(&coarse, shift);
	for (size_t i = 0; i < dump_ranges_count(ranges); i++) {
		uint64_t index;
		const struct dump_range *from = dump_ranges_at(ranges, i, &index);
		struct dump_range *to = at(&coarse, index >> (shift - ranges->shift));

		if (!to) {
			dump_ranges_fini(&coarse);
			return -ENOMEM;
		}
		range_add(to, from);
	}
	dump_ranges_fini(ranges);
	*ranges = coarse;
	return 0;
}

int dump_ranges_coarsen(struct dump_ranges *ranges)
{
	int rc = 0;

	while (ranges->ranges.count > DUMP_RANGES_MAX && !rc)
		rc = coarsen(ranges, ranges->shift + 1);
	return rc;
}

int dump_ranges_add(
	struct dump_ranges *ranges, unsigned shift, uint64_t index, const struct dump_range *range)
{
	struct dump_range *to;
	int rc = shift > ranges->shift ? coarsen(ranges, shift) : 0;

	if (rc)
		return rc;
	to = at(ranges, index >> (ranges->shift - shift));
	if (!to)
		return -ENOMEM;
	range_add(to, range);
	return dump_ranges_coarsen(ranges);
}

int dump_ranges_merge(struct dump_ranges *ranges, const struct dump_ranges *from)
{
	int rc = 0;

	for (size_t i = 0; i < dump_ranges_count(from) && !rc; i++) {
		uint64_t index;
		const struct dump_range *range = dump_ranges_at(from, i, &index);

		rc = dump_ranges_add(ranges, from->shift, index, range);
	}
	return rc;
}

void dump_ranges_sort(struct dump_ranges *ranges)
{
	hashmap_sort(&ranges->ranges);
}

size_t dump_ranges_count(const struct dump_ranges *ranges)
{
	return ranges->ranges.count;
}

const struct dump_range *dump_ranges_at(
	const struct dump_ranges *ranges, size_t place, uint64_t *index)
{
	*index = hashmap_key_at(&ranges->ranges, place)->low;
	return hashmap_value_at(&ranges->ranges, place);
}
