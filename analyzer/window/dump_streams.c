// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_streams.h. xfsdump starts stream i where i/n of the weight has been passed, and splits a
 * file that is larger than what is left (or is off by up to 1 MB); here the split is exact, inside
 * a range in proportion. What options leave out is taken from each range by the share of its class.
 */
#include "analyzer/window/dump_streams.h"

#include "analyzer/window/dump_order.h"

#include <math.h>
#include <string.h>

/* The part of a range's weight that is dumped. */
static double kept_weight(const struct dump_range *range, const struct dump_kept *kept)
{
	double all = 0, left = 0;

	for (unsigned class = 0; class <= DUMP_RANGE_SPECIALS; class ++) {
		double bytes = (double)range->parts[class].stream_bytes;

		all += bytes;
		left += bytes * kept->stream_bytes[class];
	}
	return (double)range->weight_bytes * dump_order_share(left, all);
}

/* Adds @part of a range to a stream. */
static void take_part(const struct dump_model *model, const struct dump_times *times,
	const struct dump_kept *kept, const struct dump_range *range, double part,
	struct dump_stream *stream)
{
	struct dump_load load;

	dump_load_find(model, kept, range, &load);
	for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++) {
		if (i < SIZE_CLASSES)
			stream->files += part * load.inodes[i];
		stream->bytes += part * load.media_bytes[i];
		stream->seconds += part * (load.seconds[i] + times->wait[i] * load.wait_share[i] +
						  load.present[i] * model->per_inode);
	}
}

/* The first one has the directories, and each begins with a map of the inodes. */
static void begin(const struct dump_model *model, const struct dump_times *times,
	double overhead_bytes, unsigned count, struct dump_stream *streams)
{
	memset(streams, 0, count * sizeof(*streams));
	for (unsigned i = 0; i < count; i++)
		streams[i].bytes = overhead_bytes;
	streams[0].bytes += model->parts[PART_DIRECTORIES].media_bytes;
	streams[0].seconds = times->phases[PHASE_DIRECTORIES] + times->wait[PART_DIRECTORIES] +
			     model->present_directories * model->per_inode;
}

static double all_weight(const struct dump_ranges *ranges, const struct dump_kept *kept)
{
	double weight = 0;

	for (size_t i = 0; i < dump_ranges_count(ranges); i++) {
		uint64_t index;

		weight += kept_weight(dump_ranges_at(ranges, i, &index), kept);
	}
	return weight;
}

void dump_streams_split(const struct dump_model *model, const struct dump_times *times,
	const struct dump_ranges *ranges, double overhead_bytes, unsigned count,
	struct dump_stream *streams)
{
	struct dump_kept kept;
	double each, passed = 0;
	unsigned at = 0;

	dump_kept_find(model, ranges, &kept);
	each = all_weight(ranges, &kept) / count;
	begin(model, times, overhead_bytes, count, streams);
	for (size_t i = 0; i < dump_ranges_count(ranges); i++) {
		uint64_t index;
		const struct dump_range *range = dump_ranges_at(ranges, i, &index);
		double weight = kept_weight(range, &kept), taken = 0;

		while (at + 1 < count && passed + weight > each * (at + 1)) {
			double part = fmax(taken, (each * (at + 1) - passed) / weight);

			take_part(model, times, &kept, range, part - taken, &streams[at]);
			taken = part;
			streams[++at].first_ino =
				(index << ranges->shift) +
				(uint64_t)(part * (double)(1ULL << ranges->shift));
		}
		take_part(model, times, &kept, range, 1 - taken, &streams[at]);
		passed += weight;
	}
}
