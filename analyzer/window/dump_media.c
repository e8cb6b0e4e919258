// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the inodes of a plan take in the media file.
 *
 * dump_stream.h tells what an inode takes from its record alone, and every engine tells the same. A
 * scan may know better, in sums by kind and class: what names take, extents that it has seen,
 * attributes that it has seen. What nobody saw is put at the mean of what the calibration met.
 */
#include "analyzer/window/dump_plan_private.h"

/* What all of a part was told to take, and its attribute forks. */
struct part_told {
	double inodes;
	double stream_bytes;
	double attr_forks;
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
	}
}

static void find_part(const struct prediction_request *request, const struct dump_part *part,
	const struct part_told *told, struct part_media *media)
{
	double without = told->stream_bytes - told->attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES;
	uint64_t measured = request->dump.no_attributes ? part->bare_bytes : part->stream_bytes;
	double bytes = (double)measured +
		       (double)part->told_bytes * mean_factor(request, PASS_FEW_EXTENTS) +
		       (double)part->told_many * mean_factor(request, PASS_MANY_EXTENTS);
	double attrs = (double)part->attr_bytes +
		       (double)part->attr_inline * mean_attrs(request, PASS_ATTRS) +
		       (double)part->attr_blocks * mean_attrs(request, PASS_ATTR_BLOCKS);
	double forks = (double)(part->attr_seen + part->attr_inline + part->attr_blocks);

	if (without > 0)
		media->factor = bytes / without;
	if (forks > 0)
		media->attr_bytes = attrs / forks;
}

/* Where the names are known, so is what all directories together take. */
static void find_directories(
	const struct dump_facts *facts, const struct part_told *told, struct part_media *media)
{
	double without = told->stream_bytes - told->attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES;

	if (facts->entry_stream_bytes && without > 0)
		media->factor = ((double)facts->entry_stream_bytes +
					DUMP_STREAM_DIRECTORY_BYTES * told->inodes) /
				without;
}

/* Directories take what they are told to once the names are known; it is their load, too. */
static void correct(struct shares *shares)
{
	for (size_t i = 0; i < shares->map.count; i++) {
		const struct hashmap_key *key = hashmap_key_at(&shares->map, i);
		struct share *share = hashmap_value_at(&shares->map, i);

		share->all.media_bytes = part_media_bytes(
			shares, share_part(key), share->all.stream_bytes, share->all.attr_forks);
		if (share_kind(key) == KIND_DIRECTORY)
			share->all.stream_bytes = share->all.media_bytes;
	}
}

void dump_plan_find_media(struct shares *shares)
{
	const struct dump_facts *facts = shares->request->facts;
	struct part_told told[DUMP_RANGE_PARTS] = {0};

	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++)
		shares->media[i] = (struct part_media){1, DUMP_STREAM_EMPTY_ATTRS_BYTES};
	if (facts && facts->present) {
		sum_told(shares, told);
		for (unsigned i = 0; i < DUMP_RANGE_PARTS && facts->has_parts; i++)
			find_part(shares->request, &facts->parts[i], &told[i], &shares->media[i]);
		find_directories(facts, &told[DUMP_RANGE_DIRECTORIES],
			&shares->media[DUMP_RANGE_DIRECTORIES]);
	}
	correct(shares);
}
