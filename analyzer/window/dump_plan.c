// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_plan.h.
 *
 * Options and ages know users, kinds and classes, the cube also groups and projects. So shares are
 * found by (user, kind, class), what of it there is and what of it is kept, and then each cell of
 * the cube keeps the share of its user, kind and class. Each option takes its own share; together
 * -e, -A and -z are exact, a level with one of them takes the options to be spread evenly over old
 * and new.
 */
#include "analyzer/window/dump_plan_private.h"

#include "analyzer/census/dump_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What xfsdump's own estimate has for an inode: headers of 32, 256 and 32 bytes. */
#define XFSDUMP_INODE_BYTES 320

/* Each field of @to by what is left of it: @part of @whole. */
static void sums_keep(
	struct plan_sums *to, const struct plan_sums *part, const struct plan_sums *whole)
{
	to->inodes *= plan_ratio(part->inodes, whole->inodes);
	to->size_bytes *= plan_ratio(part->size_bytes, whole->size_bytes);
	to->allocated_bytes *= plan_ratio(part->allocated_bytes, whole->allocated_bytes);
	to->stream_bytes *= plan_ratio(part->stream_bytes, whole->stream_bytes);
	to->media_bytes *= plan_ratio(part->media_bytes, whole->media_bytes);
	to->attr_bytes *= plan_ratio(part->attr_bytes, whole->attr_bytes);
	to->attr_forks *= plan_ratio(part->attr_forks, whole->attr_forks);
}

/* --- All there is ----------------------------------------------------------------------------- */

static int take_cube(struct shares *shares)
{
	const struct cube *cube = shares->request->cube;

	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);
		struct share *share =
			hashmap_upsert(&shares->map, share_key(key.uid, key.kind, key.size_class));

		if (!share)
			return -ENOMEM;
		plan_sums_add(&share->all, sums, 1);
	}
	return 0;
}

static void take_choices(struct shares *shares)
{
	const struct dump_choices *choices = &shares->request->facts->choices;

	for (size_t i = 0; i < dump_choices_count(choices); i++) {
		struct dump_choice_key key;
		const struct dump_choice_sums *sums = dump_choices_at(choices, i, &key);
		struct share *share =
			hashmap_find(&shares->map, share_key(key.uid, key.kind, key.size_class));

		if (!share)
			continue;
		share->surplus.data_bytes += (double)sums->surplus.data_bytes;
		share->surplus.attr_bytes += (double)sums->surplus.attr_bytes;
		if (key.flags & INODE_ATTR_FORK)
			share->all.attr_forks += (double)sums->told.inodes;
	}
}

static void keep_all(struct shares *shares)
{
	for (size_t i = 0; i < shares->map.count; i++) {
		struct share *share = hashmap_value_at(&shares->map, i);

		share->kept = share->all;
	}
}

/* --- What options leave out ------------------------------------------------------------------- */

/* The share of a choice's inodes that -e or -z leave out; the latter spread evenly in its class. */
static double part_left_out(const struct dump_options *dump, const struct dump_choice_key *key)
{
	double low = (double)allocation_class_low(key->allocation_class);
	double high = (double)allocation_class_high(key->allocation_class);
	double limit = (double)dump->max_file_bytes;

	if (key->kind == KIND_DIRECTORY)
		return 0;
	if (dump->exclude_nodump && (key->flags & INODE_NODUMP))
		return 1;
	if (!dump->max_file_bytes || !key->allocation_class || limit >= high)
		return 0;
	return limit <= low ? 1 : (high - limit) / (high - low);
}

/* Takes the @part of a choice off what stays. */
static void take_off(const struct shares *shares, const struct dump_choice_key *key,
	const struct dump_choice_sums *sums, double part, struct plan_sums *stays)
{
	const struct plan_surplus surplus = {
		.data_bytes = (double)sums->surplus.data_bytes,
		.attr_bytes = (double)sums->surplus.attr_bytes,
	};
	struct plan_sums off = {0};

	plan_sums_add(&off, &sums->told, 1);
	if (key->flags & INODE_ATTR_FORK)
		off.attr_forks = off.inodes;
	plan_find_media(
		&off, &surplus, &shares->media[dump_range_part(key->kind, key->size_class)]);
	plan_sums_add(stays, &sums->told, -part);
	stays->attr_forks -= part * off.attr_forks;
	stays->media_bytes -= part * off.media_bytes;
	stays->attr_bytes -= part * off.attr_bytes;
}

/* What is left out goes from `kept` in proportion: it was a share of all. */
static int leave_out(struct shares *shares)
{
	const struct dump_choices *choices = &shares->request->facts->choices;
	struct hashmap left; /* as shares.map → plan_sums of what stays */
	int rc = 0;

	hashmap_init(&left, sizeof(struct plan_sums));
	for (size_t i = 0; i < dump_choices_count(choices) && !rc; i++) {
		struct dump_choice_key key;
		const struct dump_choice_sums *sums = dump_choices_at(choices, i, &key);
		struct hashmap_key at = share_key(key.uid, key.kind, key.size_class);
		const struct share *share = hashmap_find(&shares->map, at);
		double part = part_left_out(&shares->request->dump, &key);
		bool is_new = !hashmap_find(&left, at);
		struct plan_sums *stays;

		if (!share || part <= 0)
			continue;
		stays = hashmap_upsert(&left, at);
		if (!stays) {
			rc = -ENOMEM;
			break;
		}
		if (is_new)
			*stays = share->all;
		take_off(shares, &key, sums, part, stays);
	}
	for (size_t i = 0; i < left.count && !rc; i++) {
		struct share *share = hashmap_find(&shares->map, *hashmap_key_at(&left, i));

		sums_keep(&share->kept, hashmap_value_at(&left, i), &share->all);
	}
	hashmap_fini(&left);
	return rc;
}

static void leave_attributes_out(struct shares *shares)
{
	for (size_t i = 0; i < shares->map.count; i++) {
		struct share *share = hashmap_value_at(&shares->map, i);
		struct plan_sums *kept = &share->kept;

		kept->stream_bytes -=
			fmin(kept->stream_bytes, DUMP_STREAM_EMPTY_ATTRS_BYTES * kept->attr_forks);
		kept->media_bytes -= fmin(kept->media_bytes, kept->attr_bytes);
		kept->attr_bytes = 0;
	}
}

/* --- The plan --------------------------------------------------------------------------------- */

static int64_t scan_end_seconds(const struct scan_info *scan)
{
	return scan->started_seconds + (int64_t)ceil(fmax(0, scan->seconds));
}

static int check(const struct prediction_request *request, struct err *err)
{
	const struct dump_options *dump = &request->dump;
	bool wants_facts = dump->exclude_nodump || dump->no_attributes || dump->max_file_bytes ||
			   dump->streams > 1;

	if (wants_facts && (!request->facts || !request->facts->present))
		return err_set(err, -ENODATA,
			"scan %lld is by an older xfscensus and does not know what these options "
			"choose by: scan again",
			(long long)request->scan->scan_id);
	if (dump->incremental && (!request->ages || request->ages->resolution == AGES_NONE))
		return err_set(err, -ENODATA,
			"scan %lld does not know what changed when, so it can tell of level 0 only",
			(long long)request->scan->scan_id);
	if (dump->incremental && dump->since_seconds > scan_end_seconds(request->scan))
		return err_set(err, -ENODATA,
			"scan %lld is older than the base of that dump and knows nothing of what "
			"changed since: scan again, or give an earlier time",
			(long long)request->scan->scan_id);
	return 0;
}

static int find_shares(struct shares *shares)
{
	const struct prediction_request *request = shares->request;
	const struct dump_options *dump = &request->dump;
	bool has_facts = request->facts && request->facts->present;
	int rc = take_cube(shares);

	if (rc)
		return rc;
	if (has_facts)
		take_choices(shares);
	dump_plan_find_media(shares);
	if (dump->incremental) {
		rc = dump_plan_keep_changed(shares);
	} else {
		keep_all(shares);
	}
	if (!rc && (dump->exclude_nodump || dump->max_file_bytes))
		rc = leave_out(shares);
	if (!rc && dump->no_attributes)
		leave_attributes_out(shares);
	return rc;
}

/* A cell of the cube gets its part of what is kept of its user, kind and class. */
static void make_cell(
	const struct share *share, const struct cube_sums *sums, struct plan_cell *cell)
{
	const struct plan_sums *all = &share->all, *kept = &share->kept;
	double part = plan_ratio((double)sums->inodes, all->inodes);

	cell->present = (double)sums->inodes;
	cell->size_bytes = (double)sums->size_bytes;
	cell->dumped = (struct plan_sums){
		.inodes = part * kept->inodes,
		.size_bytes =
			(double)sums->size_bytes * plan_ratio(kept->size_bytes, all->size_bytes),
		.allocated_bytes = (double)sums->allocated_bytes *
				   plan_ratio(kept->allocated_bytes, all->allocated_bytes),
		.attr_forks = part * kept->attr_forks,
	};
	if (cell->key.kind == KIND_DIRECTORY) /* all->stream_bytes was corrected */
		cell->dumped.stream_bytes = part * kept->stream_bytes;
	else
		cell->dumped.stream_bytes = (double)sums->stream_bytes *
					    plan_ratio(kept->stream_bytes, all->stream_bytes);
	if (cell->key.kind == KIND_DIRECTORY || all->stream_bytes <= 0)
		cell->dumped.media_bytes = part * kept->media_bytes;
	else
		cell->dumped.media_bytes =
			kept->media_bytes * (double)sums->stream_bytes / all->stream_bytes;
}

static int make_cells(const struct shares *shares, struct dump_plan *plan)
{
	const struct cube *cube = shares->request->cube;

	plan->cells = calloc(cube_count(cube) + 1, sizeof(*plan->cells));
	if (!plan->cells)
		return -ENOMEM;
	for (plan->count = 0; plan->count < cube_count(cube); plan->count++) {
		struct plan_cell *cell = &plan->cells[plan->count];
		const struct cube_sums *sums = cube_at(cube, plan->count, &cell->key);

		make_cell(hashmap_find(&shares->map,
				  share_key(cell->key.uid, cell->key.kind, cell->key.size_class)),
			sums, cell);
	}
	return 0;
}

int dump_plan_make(
	const struct prediction_request *request, struct dump_plan *plan, struct err *err)
{
	struct shares shares = {.request = request, .plan = plan};
	int rc;

	*plan = (struct dump_plan){
		.incremental = request->dump.incremental,
		.no_attributes = request->dump.no_attributes,
		.ranges = request->facts ? &request->facts->ranges : NULL,
	};
	rc = check(request, err);
	if (rc)
		return rc;
	hashmap_init(&shares.map, sizeof(struct share));
	rc = find_shares(&shares);
	if (!rc)
		rc = make_cells(&shares, plan);
	hashmap_fini(&shares.map);
	if (rc)
		dump_plan_fini(plan);
	return rc;
}

int dump_plan_copy(const struct dump_plan *from, struct dump_plan *plan)
{
	*plan = *from;
	plan->cells = reallocarray(NULL, from->count + 1, sizeof(*plan->cells));
	plan->packs = reallocarray(NULL, from->pack_count + 1, sizeof(*plan->packs));
	if (!plan->cells || !plan->packs) {
		dump_plan_fini(plan);
		return -ENOMEM;
	}
	memcpy(plan->cells, from->cells, from->count * sizeof(*plan->cells));
	if (from->pack_count)
		memcpy(plan->packs, from->packs, from->pack_count * sizeof(*plan->packs));
	return 0;
}

void dump_plan_fini(struct dump_plan *plan)
{
	free(plan->cells);
	free(plan->packs);
	*plan = (struct dump_plan){0};
}

double dump_plan_xfsdump_estimate(
	const struct dump_plan *plan, uint64_t inode_chunks, uint64_t unlinked)
{
	double bytes = (double)dump_stream_overhead_bytes(inode_chunks) - DUMP_STREAM_END_BYTES;
	double inodes = -(double)unlinked;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		inodes += cell->dumped.inodes;
		if (cell->key.kind == KIND_REGULAR)
			bytes += cell->dumped.allocated_bytes;
	}
	for (size_t i = 0; i < plan->pack_count; i++)
		bytes += plan->packs[i].size_bytes;
	inodes += (double)plan->pack_count;
	return bytes + XFSDUMP_INODE_BYTES * fmax(0, inodes);
}
