// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_streams.h. xfsdump starts stream i where i/n of the weight has been passed, and splits a
 * file that is larger than what is left (or is off by up to 1 MB); here the split is exact, inside
 * a range in proportion. What options leave out is taken from each range by the share of its class.
 */
#include "analyzer/window/dump_streams.h"

#include <math.h>
#include <string.h>

/* What of a class is dumped, of what the ranges hold. */
struct kept {
	double inodes[SIZE_CLASSES + 1];
	double stream_bytes[SIZE_CLASSES + 1];
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void find_kept(
	const struct dump_model *model, const struct dump_ranges *ranges, struct kept *kept)
{
	struct kept all = {0};

	for (size_t i = 0; i < dump_ranges_count(ranges); i++) {
		uint64_t index;
		const struct dump_range *range = dump_ranges_at(ranges, i, &index);

		for (unsigned class = 0; class <= DUMP_RANGE_SPECIALS; class ++) {
			all.inodes[class] += (double)range->parts[class].inodes;
			all.stream_bytes[class] += (double)range->parts[class].stream_bytes;
		}
	}
	for (unsigned class = 0; class <= DUMP_RANGE_SPECIALS; class ++) {
		const struct model_part *part = &model->parts[class];

		kept->inodes[class] = share(part->inodes, all.inodes[class]);
		kept->stream_bytes[class] = share(part->stream_bytes, all.stream_bytes[class]);
	}
}

/* The part of a range's weight that is dumped. */
static double kept_weight(const struct dump_range *range, const struct kept *kept)
{
	double all = 0, left = 0;

	for (unsigned class = 0; class <= DUMP_RANGE_SPECIALS; class ++) {
		double bytes = (double)range->parts[class].stream_bytes;

		all += bytes;
		left += bytes * kept->stream_bytes[class];
	}
	return (double)range->weight_bytes * share(left, all);
}

/* Adds @part of a range to a stream. */
static void take_part(const struct dump_model *model, const struct dump_times *times,
	const struct kept *kept, const struct dump_range *range, double part,
	struct dump_stream *stream)
{
	for (unsigned class = 0; class <= DUMP_RANGE_SPECIALS; class ++) {
		const struct model_part *whole = &model->parts[class];
		double inodes = part * (double)range->parts[class].inodes * kept->inodes[class];
		double bytes =
			part * (double)range->parts[class].stream_bytes * kept->stream_bytes[class];

		if (class < SIZE_CLASSES)
			stream->files += inodes;
		stream->bytes += whole->media_bytes * share(bytes, whole->stream_bytes);
		stream->seconds += whole->seconds * share(inodes, whole->inodes) +
				   (whole->data_seconds + times->wait[class]) *
					   share(bytes, whole->stream_bytes) +
				   part * (double)range->parts[class].inodes * model->per_inode;
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

static double all_weight(const struct dump_ranges *ranges, const struct kept *kept)
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
	struct kept kept;
	double each, passed = 0;
	unsigned at = 0;

	find_kept(model, ranges, &kept);
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
