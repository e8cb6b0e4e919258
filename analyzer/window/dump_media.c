// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the inodes of a plan take in the media file.
 *
 * dump_stream.h tells what an inode takes from its record alone, and every engine tells the same. A
 * scan may know better, in sums by kind and class: what names take, extents that it has seen,
 * attributes that it has seen. What nobody saw is put at the mean of what the calibration met. What
 * was seen is known by choices (dump_choices.h) as well, that is by user and option, but for files
 * so small that no option tells them apart: there is next to nothing to know of these.
 */
#include "analyzer/window/dump_plan_private.h"

#define EMPTY_ATTRS ((double)DUMP_STREAM_EMPTY_ATTRS_BYTES)

/* What all of a part was told to take, its attribute forks, and what the scan has by choices. */
struct part_told {
	double inodes;
	double stream_bytes;
	double attr_forks;
	struct plan_surplus surplus;
};

/* The stream bytes of an inode's attributes that nobody saw. */
static double mean_attrs(const struct prediction_request *request, enum calibration_pass_kind kind)
{
	const struct calibration_pass *pass =
		request->calibration ? &request->calibration->passes[kind] : NULL;

	if (!pass || !pass->units)
		return DUMP_STREAM_EMPTY_ATTRS_BYTES;
	return fmax(DUMP_STREAM_EMPTY_ATTRS_BYTES, (double)pass->bytes / (double)pass->units);
}

/* What sampled files took, of what was told of them. */
static double mean_factor(const struct prediction_request *request, enum calibration_pass_kind kind)
{
	const struct calibration_pass *pass =
		request->calibration ? &request->calibration->passes[kind] : NULL;

	return pass && pass->units ? (double)pass->bytes / (double)pass->units : 1;
}

static void sum_told(const struct shares *shares, struct part_told told[DUMP_RANGE_PARTS])
{
	for (size_t i = 0; i < shares->map.count; i++) {
		const struct share *share = hashmap_value_at(&shares->map, i);
		struct part_told *sums = &told[share_part(hashmap_key_at(&shares->map, i))];

		sums->inodes += share->all.inodes;
		sums->stream_bytes += share->all.stream_bytes;
		sums->attr_forks += share->all.attr_forks;
		sums->surplus.data_bytes += share->surplus.data_bytes;
		sums->surplus.attr_bytes += share->surplus.attr_bytes;
	}
}

/* Of all but attributes, what dump_stream.h told. */
static double told_without(const struct part_told *told)
{
	return told->stream_bytes - told->attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES;
}

/* What the scan has of the part, and not by choices, is spread over it. */
static void find_part(const struct prediction_request *request, const struct dump_part *part,
	const struct part_told *told, const struct plan_surplus *unseen, struct part_media *media)
{
	double without = told_without(told);
	uint64_t measured = request->dump.no_attributes ? part->bare_bytes : part->stream_bytes;
	double bytes = (double)measured + (double)part->told_bytes + (double)part->told_many +
		       unseen->data_bytes;
	double forks = (double)(part->attr_seen + part->attr_inline + part->attr_blocks);
	double attrs = (double)part->attr_bytes - (double)part->attr_seen * EMPTY_ATTRS +
		       unseen->attr_bytes;

	if (without > 0)
		media->data_bytes = (bytes - without - told->surplus.data_bytes) / without;
	if (forks > 0)
		media->attr_bytes = (attrs - told->surplus.attr_bytes) / forks;
}

/* What the calibration says of what was not seen of a part. */
static struct plan_surplus find_unseen(
	const struct prediction_request *request, const struct dump_part *part)
{
	return (struct plan_surplus){
		.data_bytes =
			(double)part->told_bytes * (mean_factor(request, PASS_FEW_EXTENTS) - 1) +
			(double)part->told_many * (mean_factor(request, PASS_MANY_EXTENTS) - 1),
		.attr_bytes = (double)part->attr_inline *
				      (mean_attrs(request, PASS_ATTRS) - EMPTY_ATTRS) +
			      (double)part->attr_blocks *
				      (mean_attrs(request, PASS_ATTR_BLOCKS) - EMPTY_ATTRS),
	};
}

static void find_parts(struct shares *shares, const struct part_told told[DUMP_RANGE_PARTS])
{
	const struct prediction_request *request = shares->request;

	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++) {
		const struct dump_part *part = &request->facts->parts[i];
		struct plan_surplus unseen = find_unseen(request, part);

		find_part(request, part, &told[i], &unseen, &shares->media[i]);
		if (i == DUMP_RANGE_DIRECTORIES) {
			shares->unseen_directories = unseen.attr_bytes;
		} else {
			shares->unseen.data_bytes += unseen.data_bytes;
			shares->unseen.attr_bytes += unseen.attr_bytes;
		}
	}
}

/* Where the names are known, so is what all directories together take. */
static void find_directories(
	const struct dump_facts *facts, const struct part_told *told, struct part_media *media)
{
	double without = told_without(told);

	if (facts->entry_stream_bytes && without > 0)
		media->data_bytes = ((double)facts->entry_stream_bytes +
					    DUMP_STREAM_DIRECTORY_BYTES * told->inodes) /
					    without -
				    1;
}

/* Directories take what they are told to once the names are known; it is their load, too. */
static void correct(struct shares *shares)
{
	for (size_t i = 0; i < shares->map.count; i++) {
		const struct hashmap_key *key = hashmap_key_at(&shares->map, i);
		struct share *share = hashmap_value_at(&shares->map, i);

		plan_find_media(&share->all, &share->surplus, &shares->media[share_part(key)]);
		if (share_kind(key) == KIND_DIRECTORY)
			share->all.stream_bytes = share->all.media_bytes;
	}
}

void dump_plan_find_media(struct shares *shares)
{
	const struct dump_facts *facts = shares->request->facts;
	struct part_told told[DUMP_RANGE_PARTS] = {0};

	if (facts && facts->present) {
		sum_told(shares, told);
		if (facts->has_parts)
			find_parts(shares, told);
		find_directories(facts, &told[DUMP_RANGE_DIRECTORIES],
			&shares->media[DUMP_RANGE_DIRECTORIES]);
	}
	correct(shares);
}
